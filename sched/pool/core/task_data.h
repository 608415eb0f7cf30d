/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of data that tasks read and write, for simulations that charge for moving them. Beside a
 * profile X.csv lie
 *     X.blocks.csv   task,access,block: access r or w; tasks ascend
 *     X.sizes.csv    block,bytes,owner: blocks ascend
 * Tasks have their numbers from X.csv. Worker `owner` modulo the number of workers holds the block,
 * as arrays deal their blocks out: so one file fits any number of workers. */
#pragma once

#include "support/base/status.h"
#include "taskpool/simulation.h"

/* The n accesses of a task, in the order on file; NULL if n is 0. */
const struct taskpool_data_access *task_data_of(const struct taskpool_data *data, int64_t task,
                                                int64_t *n);

static inline int data_block_owner(const struct taskpool_data_block *block, int n_workers)
{
    return (int)(block->owner % n_workers);
}

/* The worker that holds the first block that the task writes, or reads if it writes none. A task
 * without data has the worker of its own number. */
int task_data_owner(const struct taskpool_data *data, int64_t task, int n_workers);

/* From now on the tasks have these numbers: n_tasks, ascending, copied.
 * Errors: STATUS_NO_MEMORY. */
enum status task_data_number(struct taskpool_data *data, const int64_t *tasks);

/* NULL is fine. */
void task_data_destroy(struct taskpool_data *data);

/* The two files that accompany a profile. */
enum { TASK_DATA_PATH = 4096 };
struct task_data_paths {
    char blocks[TASK_DATA_PATH], sizes[TASK_DATA_PATH];
};

/* False if the profile can have none: its name does not end in .csv, is NULL or too long. */
bool task_data_paths(const char *profile, struct task_data_paths *paths);
