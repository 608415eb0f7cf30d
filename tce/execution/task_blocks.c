/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/task_blocks.h"

#include "tce/tensor/block_index.h"

#include <stdlib.h>

/* The task that is added. */
struct stage_task {
    struct task_blocks *blocks;
    int first_step; /* of its stage */
    int64_t number;
};

enum status task_blocks_init(const struct plan *plan, struct task_blocks *blocks)
{
    *blocks = (struct task_blocks){.plan = plan};
    blocks->first_block = calloc((size_t)plan->n_tensors + 1, sizeof *blocks->first_block);
    TRY(CHECK_MEMORY(blocks->first_block, "no memory for %d tensors", plan->n_tensors));
    for (int i = 0; i < plan->n_tensors; i++) {
        struct block_index *index;
        TRY(block_index_create(&plan->tensors[i].labels, &index));
        blocks->first_block[i + 1] = blocks->first_block[i] + block_index_n(index);
        block_index_destroy(index);
    }
    return STATUS_OK;
}

void task_blocks_fini(struct task_blocks *blocks)
{
    free(blocks->first_block);
    data_records_fini(&blocks->records);
}

static int tensor_of_operand(const struct plan_step *step, enum contraction_place place)
{
    switch (place) {
    case CONTRACTION_A:
        return step->A.tensor;
    case CONTRACTION_B:
        return step->B.tensor;
    case CONTRACTION_C:
        break;
    }
    return step->C.tensor;
}

static enum status record_access(const struct contraction_access *access, void *context)
{
    const struct stage_task *task = context;
    const struct plan_step *step = &task->blocks->plan->steps[task->first_step + access->problem];
    int tensor = tensor_of_operand(step, access->place);
    struct taskpool_data_block block = {.bytes = access->elements * (int64_t)sizeof(double),
                                        .owner = access->block};
    return data_records_add(&task->blocks->records, task->number, access->writes,
                            task->blocks->first_block[tensor] + access->block, block);
}

enum status task_blocks_add(struct task_blocks *blocks, int stage,
                            const struct contraction *contraction,
                            const struct taskpool_history *history, int64_t first_task)
{
    for (int64_t i = 0; i < history->n_entries; i++) {
        int64_t task = history->entries[i].task;
        struct stage_task added = {.blocks = blocks,
                                   .first_step = blocks->plan->stage_begin[stage],
                                   .number = first_task + task};
        data_records_begin_task(&blocks->records);
        TRY(contraction_visit_blocks(contraction, task, record_access, &added));
    }
    return STATUS_OK;
}
