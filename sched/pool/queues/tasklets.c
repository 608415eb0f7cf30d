/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/tasklets.h"

#include "support/base/array.h"

#include <assert.h>
#include <stdlib.h>

enum status tasklets_init(struct tasklets *tasklets, const struct taskpool_range *ranges,
                          int64_t n_ranges, int64_t n_wanted, bool skew)
{
    *tasklets = (struct tasklets){.n_ranges = n_ranges, .skew = skew};
    size_t n = (size_t)n_ranges;
    tasklets->ranges = malloc((n + 1) * sizeof *tasklets->ranges);
    tasklets->before = malloc((n + 1) * sizeof *tasklets->before);
    if (!tasklets->ranges || !tasklets->before) {
        tasklets_fini(tasklets);
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu ranges of tasks", n);
    }
    for (int64_t i = 0; i < n_ranges; i++) {
        tasklets->ranges[i] = ranges[i];
        tasklets->before[i] = tasklets->n_tasks;
        tasklets->n_tasks += taskpool_range_count(&ranges[i]);
    }
    tasklets->before[n_ranges] = tasklets->n_tasks;
    tasklets->n = n_wanted < tasklets->n_tasks ? n_wanted : tasklets->n_tasks;
    return STATUS_OK;
}

void tasklets_fini(struct tasklets *tasklets)
{
    free(tasklets->ranges);
    free(tasklets->before);
    *tasklets = (struct tasklets){0};
}

/* Position of the first task of tasklet i in the list. */
static int64_t border(const struct tasklets *tasklets, int64_t i)
{
    if (i == 0 || i == tasklets->n)
        return i == 0 ? 0 : tasklets->n_tasks;
    if (!tasklets->skew)
        return taskpool_range_block(tasklets->n_tasks, tasklets->n, i).first;
    double n = (double)tasklets->n, left = n - (double)i;
    int64_t more = tasklets->n_tasks - tasklets->n; /* than one task each */
    int64_t more_left = (int64_t)((double)more * (left * (left - 1) / (n * (n - 1))));
    return i + more - more_left;
}

int64_t tasklets_size(const struct tasklets *tasklets, int64_t i)
{
    assert(i >= 0 && i < tasklets->n);
    return border(tasklets, i + 1) - border(tasklets, i);
}

/* Index of the range that holds the task at a position. */
static int64_t tasklet_range_at(const struct tasklets *tasklets, int64_t position)
{
    return array_find_last(tasklets->before, tasklets->n_ranges, position);
}

enum status tasklets_add_to(const struct tasklets *tasklets, int64_t i, struct task_ranges *list)
{
    int64_t position = border(tasklets, i), end = border(tasklets, i + 1);
    for (int64_t r = tasklet_range_at(tasklets, position); position < end; r++) {
        struct taskpool_range range = tasklets->ranges[r];
        int64_t last = end < tasklets->before[r + 1] ? end : tasklets->before[r + 1];
        task_range_cut_front(&range, position - tasklets->before[r]);
        TRY(task_ranges_add_range(list, task_range_cut_front(&range, last - position)));
        position = last;
    }
    return STATUS_OK;
}
