/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/plan_memory.h"

#include "tce/execution/executor.h"
#include "tce/plan/plan_loops.h"
#include "tce/run/loop_worker.h"
#include "tce/tensor/tensor.h"

#include <math.h>

/* Elements of a block that no memory holds, and whose bytes an int64_t can count. */
#define MOST_ELEMENTS 1e15

/* Elements of a tensor's largest block. */
static double count_in_block(const struct plan *plan, int tensor)
{
    const struct block_labels *labels = &plan->tensors[tensor].labels;
    double block = 1;
    for (int d = 0; d < labels->rank; d++)
        block *= (double)labels->space[d]->max_tile;
    return fmin(block, MOST_ELEMENTS);
}

/* A tensor of the plan; max_block: raised to the elements of its largest block. */
static enum status add_tensor_need(const struct plan *plan, int number, struct plan_memory *memory,
                                   double *max_block)
{
    const struct plan_tensor *tensor = &plan->tensors[number];
    struct block_index *blocks;
    TRY(block_index_create(&tensor->labels, &blocks));
    memory->tables += tensor_index_bytes(block_index_n(blocks)) + block_index_bytes(blocks);
    *max_block = fmax(*max_block, count_in_block(plan, number));
    if (plan_keeps_tensor(plan, number))
        memory->tensors_of_program += sizeof(double) * tensor->elements;
    block_index_destroy(blocks);
    return STATUS_OK;
}

/* Scratch of a step: packing_pack and packing_unpack have a block of A. */
static void add_step_need(const struct plan *plan, const struct plan_step *step,
                          struct plan_memory *memory)
{
    if (step->phase != PLAN_CONTRACT) {
        int full = step->phase == PLAN_PACK ? step->A.tensor : step->C.tensor;
        memory->between =
            fmax(memory->between,
                 packing_scratch_bytes(&plan->packings[step->packing], &plan->tensors[full].labels,
                                       (int64_t)count_in_block(plan, step->A.tensor)));
    }
}

/* Memory of the local tensors of a tuple of tiles, and of the parts of scalars. Loops run one after
 * another. */
static enum status add_loop_need(const struct plan *plan, int loop, struct plan_memory *memory)
{
    struct plan_loop_problem problem;
    enum status status = plan_loop_problem_init(plan, loop, &problem);
    double parts = (double)problem.problem.n_tensors * tile_tuples_count(&problem.problem.tuples) *
                   sizeof(double);
    memory->loops = fmax(memory->loops, problem.local_bytes + parts + (double)loop_worker_bytes());
    plan_loop_problem_fini(&problem);
    return status;
}

/* Parts of blocks that several tasks make. */
static enum status add_parts_need(const struct plan *plan,
                                  const struct contraction_settings *settings,
                                  struct plan_memory *memory)
{
    for (int stage = 0; stage < plan->n_stages; stage++) {
        struct contraction *contraction;
        enum status status = plan_contraction(plan, stage, settings, &contraction);
        if (status == STATUS_OK && contraction) {
            double bytes = sizeof(double) * contraction_parts_of(contraction);
            memory->tensors += bytes;
            memory->tensors_of_program += bytes;
        }
        contraction_destroy(contraction);
        TRY(status);
    }
    return STATUS_OK;
}

enum status plan_memory_estimate(const struct plan *plan,
                                 const struct contraction_settings *settings,
                                 struct plan_memory *memory)
{
    double max_block = 0;
    *memory = (struct plan_memory){.tensors = sizeof(double) * plan->peak_elements};
    for (int i = 0; i < plan->n_tensors; i++)
        if (plan->tensors[i].loop < 0 && !plan->tensors[i].unstored)
            TRY(add_tensor_need(plan, i, memory, &max_block));
    TRY(add_parts_need(plan, settings, memory));
    for (int i = 0; i < plan->program->n_loops; i++)
        TRY(add_loop_need(plan, i, memory));
    for (int s = 0; s < plan->n_steps; s++)
        add_step_need(plan, &plan->steps[s], memory);
    memory->cache = (double)settings->cache_bytes;
    memory->work = (double)executor_work_bytes((int64_t)max_block);
    return STATUS_OK;
}

double plan_memory_scratch(const struct plan_memory *memory)
{
    return memory->work + memory->between + memory->loops;
}

double plan_memory_cached(const struct plan_memory *memory, double n_processes)
{
    double of_contractions = EXECUTOR_CACHE_FRACTION * memory->tensors / n_processes;
    return fmin(memory->cache, memory->loops > 0 ? memory->tensors : of_contractions);
}
