/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of the last run, as a profile. */
#include "tce/execution/executor_private.h"

#include "sched/lab/profiles/profile.h"
#include "sched/pool/core/history.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* The blocks of tensors that tasks read and write, for simulations of the plan. */
struct task_blocks {
    int64_t *first_block; /* plan->n_tensors: the blocks of all tensors are numbered one after
                              * another */
    struct data_records records;
};

/* The task that is added. */
struct stage_task {
    struct task_blocks *blocks;
    const struct plan_step *steps; /* of its stage's contractions */
    int64_t number;
};

/* Numbers the blocks. */
static enum status number_blocks_of_plan(const struct plan *plan, struct task_blocks *blocks)
{
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

static enum status record_access(const struct contraction_access *access, void *context)
{
    const struct stage_task *task = context;
    const struct plan_step *step = &task->steps[access->problem];
    const int tensors[] = {step->C.tensor, step->A.tensor, step->B.tensor};
    int tensor = tensors[access->place];
    struct taskpool_data_block block = {.bytes = access->elements * (int64_t)sizeof(double),
                                        .owner = access->block};
    return data_records_add(&task->blocks->records, task->number, access->writes,
                            task->blocks->first_block[tensor] + access->block, block);
}

/* Adds what the tasks in a stage's history read and write.
 * first_task  number of the stage's first task, counted over all stages */
static enum status record_stage_blocks(struct task_blocks *blocks, const struct plan_tasks *tasks,
                                       int64_t first_task)
{
    const struct taskpool_history *history = taskpool_history(stage_pool(tasks->stage));
    for (int64_t i = 0; i < history->n_entries; i++) {
        int64_t task = history->entries[i].task;
        struct stage_task added = {
            .blocks = blocks, .steps = tasks->steps, .number = first_task + task};
        data_records_begin_task(&blocks->records);
        TRY(stage_visit_blocks(tasks->stage, task, record_access, &added));
    }
    return STATUS_OK;
}

/* Appends a stage's tasks, which are numbered from first on. */
static enum status append_history(const struct stage *stage, int64_t first,
                                  struct taskpool_history *all)
{
    const struct taskpool_history *history = taskpool_history(stage_pool(stage));
    for (int64_t i = 0; i < history->n_entries; i++) {
        const struct taskpool_history_entry *entry = &history->entries[i];
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
        const struct plan_tasks *tasks = &self->stages[k];
        if (!tasks->stage)
            continue;
        TRY(append_history(tasks->stage, first, all));
        if (blocks)
            TRY(record_stage_blocks(blocks, tasks, first));
        first += stage_n_tasks(tasks->stage);
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
