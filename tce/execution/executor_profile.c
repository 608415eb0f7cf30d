/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of the last run, as a profile. */
#include "tce/execution/executor_private.h"

#include "sched/lab/profiles/profile.h"
#include "sched/pool/core/history.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* The blocks of tensors that tasks read and write, for simulations of the plan. */
struct task_blocks {
    const struct plan *plan; /* borrowed */
    int64_t *first_block;    /* plan->n_tensors: the blocks of all tensors are numbered one after
                              * another */
    struct data_records records;
};

/* The task that is added. */
struct stage_task {
    struct task_blocks *blocks;
    int first_step; /* of its stage's contractions */
    int64_t number;
};

/* Numbers the blocks. */
static enum status number_blocks_of_plan(const struct plan *plan, struct task_blocks *blocks)
{
    blocks->plan = plan;
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

/* Adds what the tasks in a stage's history read and write; of a loop (contraction NULL) nothing.
 * first_task  number of the stage's first task among those of all stages */
static enum status record_stage_blocks(struct task_blocks *blocks, int stage,
                                       const struct contraction *contraction,
                                       const struct taskpool_history *history, int64_t first_task)
{
    int begin, end;
    plan_stage_phase(blocks->plan, stage, PLAN_CONTRACT, &begin, &end);
    for (int64_t i = 0; i < history->n_entries; i++) {
        int64_t task = history->entries[i].task;
        struct stage_task added = {
            .blocks = blocks, .first_step = begin, .number = first_task + task};
        data_records_begin_task(&blocks->records);
        if (!contraction)
            continue;
        TRY(contraction_visit_blocks(contraction, task, record_access, &added));
    }
    return STATUS_OK;
}

/* Appends a stage's tasks, which are numbered from first on. */
static enum status append_history(const struct taskpool_history *stage, int64_t first,
                                  struct taskpool_history *all)
{
    for (int64_t i = 0; i < stage->n_entries; i++) {
        const struct taskpool_history_entry *entry = &stage->entries[i];
        TRY(history_add(all, first + entry->task, entry->time_s, entry->worker));
    }
    return STATUS_OK;
}

/* The tasks of all stages, and what they read and write unless blocks is NULL. */
static enum status collect_tasks(const struct executor *self, struct taskpool_history *all,
                                 struct task_blocks *blocks)
{
    int64_t first = 0;
    if (blocks)
        TRY(number_blocks_of_plan(self->plan, blocks));
    for (int k = 0; k < self->plan->n_stages; k++) {
        int loop = plan_stage_loop(self->plan, k);
        if (!executor_stage_pool(self, k))
            continue;
        const struct taskpool_history *stage = taskpool_history(executor_stage_pool(self, k));
        TRY(append_history(stage, first, all));
        if (blocks)
            TRY(record_stage_blocks(blocks, k, self->contractions[k], stage, first));
        first += loop >= 0 ? tile_loop_n_tasks(self->loops[loop].loop)
                           : contraction_n_tasks(self->contractions[k]);
    }
    return STATUS_OK;
}

enum status executor_write_profile(const struct executor *self, const char *path)
{
    struct taskpool_history all = {0};
    struct task_blocks blocks = {0};
    struct task_data_paths paths;
    bool has_blocks = task_data_paths(path, &paths);
    enum status status =
        status_agree(self->comm, collect_tasks(self, &all, has_blocks ? &blocks : NULL));
    if (status != STATUS_OK)
        goto done;
    status = task_data_write(self->comm, &blocks.records, path);
    if (status != STATUS_OK)
        goto done;
    status = profile_write(self->comm, &all, path);
done:
    free(blocks.first_block);
    data_records_fini(&blocks.records);
    history_fini(&all);
    return status;
}
