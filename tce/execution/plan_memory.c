/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/plan_memory.h"

#include "tce/execution/executor.h"
#include "tce/plan/plan_tasks.h"
#include "tce/run/products.h"
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
        int packed = step->phase == PLAN_PACK ? step->C.tensor : step->A.tensor;
        memory->between =
            fmax(memory->between,
                 packing_scratch_bytes(plan->tensors[packed].packing, &plan->tensors[full].labels,
                                       (int64_t)count_in_block(plan, step->A.tensor)));
    }
}

/* Parts of blocks and scalars that tasks make, and the local tensors of a tuple of tiles. Loops run one after
 * another. */
static enum status add_stage_need(const struct plan *plan, int stage,
                                  const struct contraction_settings *settings,
                                  struct plan_memory *memory)
{
    struct plan_tasks tasks;
    enum status status = plan_tasks_init(plan, stage, settings, &tasks);
    if (status == STATUS_OK && tasks.stage) {
        double parts = sizeof(double) * stage_parts_elements(tasks.stage);
        if (tasks.is_loop)
            memory->loops =
                fmax(memory->loops, tasks.of_loop.local_bytes + parts + (double)products_bytes());
        memory->tensors += tasks.is_loop ? 0 : parts;
        memory->tensors_of_program += tasks.is_loop ? 0 : parts;
    }
    plan_tasks_fini(&tasks);
    return status;
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
    for (int stage = 0; stage < plan->n_stages; stage++)
        TRY(add_stage_need(plan, stage, settings, memory));
    for (int s = 0; s < plan->n_steps; s++)
        add_step_need(plan, &plan->steps[s], memory);
    memory->cache = (double)settings->cache_bytes;
    memory->work = (double)block_tasks_bytes((int64_t)max_block);
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
