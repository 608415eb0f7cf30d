/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's list of tasks cut into tasklets, the units that mode hybrid hands out. */
#ifndef BERYL_SCHED_TASKLETS_H
#define BERYL_SCHED_TASKLETS_H

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tasklets {
    struct taskpool_range *ranges; /* n_ranges */
    int64_t *before;               /* n_ranges + 1: tasks in the ranges before each */
    int64_t n_ranges;
    int64_t n_tasks;
    int64_t n; /* tasklets, each of one task at least */
    bool skew;
};

/* Cuts the tasks of a list (copied), in its order, into n_wanted tasklets, or
 * single tasks if they are fewer. With equal sizes these differ by one at most.
 * With skew they shrink in equal steps from nearly twice the average to one task
 * (as the chunks of Tzen and Ni, IEEE Trans. Parallel Distrib. Syst. 4 (1993)
 * 87): of m tasks in k tasklets, those from the i-th on hold
 *     k - i + (m - k) (k - i) (k - i - 1) / (k (k - 1))
 * tasks, rounded. Unlike a fixed fraction of the rest, this gives exactly n_wanted tasklets and
 * no long tail of single tasks.
 * n_wanted  >= 1
 * Errors: STATUS_NO_MEMORY, nothing is then owned. */
enum status tasklets_init(struct tasklets *tasklets, const struct taskpool_range *ranges,
                          int64_t n_ranges, int64_t n_wanted, bool skew);
void tasklets_fini(struct tasklets *tasklets);

/* Tasks of tasklet i, 0 <= i < n. */
int64_t tasklets_size(const struct tasklets *tasklets, int64_t i);

/* Appends the tasks of tasklet i to a list. Errors: STATUS_NO_MEMORY. */
enum status tasklets_add_to(const struct tasklets *tasklets, int64_t i, struct task_ranges *list);

#endif
