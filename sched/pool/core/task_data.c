/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/task_data.h"

#include "support/base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -1: the task needs no data. */
static int64_t place_of_task(const struct taskpool_data *data, int64_t task)
{
    if (!data->tasks)
        return task < data->n_tasks ? task : -1;
    int64_t i = array_find_last(data->tasks, data->n_tasks, task);
    return i >= 0 && data->tasks[i] == task ? i : -1;
}

const struct taskpool_data_access *task_data_of(const struct taskpool_data *data, int64_t task,
                                                int64_t *n)
{
    int64_t i = place_of_task(data, task);
    *n = i >= 0 ? data->first[i + 1] - data->first[i] : 0;
    return *n > 0 ? data->accesses + data->first[i] : NULL;
}

int task_data_owner(const struct taskpool_data *data, int64_t task, int n_workers)
{
    int64_t n, i = 0;
    const struct taskpool_data_access *accesses = task_data_of(data, task, &n);
    if (n == 0)
        return (int)(task % n_workers);
    while (i < n && !accesses[i].writes)
        i++;
    return data_block_owner(&data->blocks[accesses[i < n ? i : 0].block], n_workers);
}

enum status task_data_number(struct taskpool_data *data, const int64_t *tasks)
{
    size_t size = (size_t)data->n_tasks * sizeof *tasks;
    data->tasks = malloc(size);
    TRY(CHECK_MEMORY(data->tasks, "no memory for the data of %lld tasks",
                     (long long)data->n_tasks));
    memcpy(data->tasks, tasks, size);
    return STATUS_OK;
}

void task_data_destroy(struct taskpool_data *data)
{
    if (!data)
        return;
    free(data->numbers);
    free(data->blocks);
    free(data->tasks);
    free(data->first);
    free(data->accesses);
    free(data);
}

bool task_data_paths(const char *profile, struct task_data_paths *paths)
{
    static const char ending[] = ".csv";
    size_t length = profile ? strlen(profile) : 0, n = sizeof ending - 1;
    if (length < n || strcmp(profile + length - n, ending) != 0)
        return false;
    int stem = (int)(length - n);
    int size = snprintf(paths->blocks, TASK_DATA_PATH, "%.*s.blocks.csv", stem, profile);
    snprintf(paths->sizes, TASK_DATA_PATH, "%.*s.sizes.csv", stem, profile);
    return size < TASK_DATA_PATH;
}
