/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks that ran on a worker in an iteration, and then those with which the next one begins.
 *
 * Long tasks (mode.h, tasks_are_long: the driver polls after each) are kept with their durations,
 * so that the next iteration can begin with the longest. Then only short ones are left, for others
 * to steal, when some workers run dry: a long task begun last would end last in every iteration.
 * Short tasks, or all with keeps_order, are few ranges, in the order in which they ran. */
#pragma once

#include "sched/pool/queues/duration_bins.h"
#include "sched/pool/queues/record_list.h"
#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised, but for the size of records and keeps_order, is empty. */
struct ran_tasks {
    bool keeps_order;           /* set before the first task: long ones are kept as short */
    struct task_ranges ranges;  /* of short tasks */
    struct duration_bins timed; /* long ones; all, if the mode adds them when they end */
    bool runs_long;             /* the task `running` is a long one, taken at began_s */
    int64_t running;
    double began_s;
    struct record_list records; /* of a dynamic pool, the initial ones */
};

void ran_tasks_fini(struct ran_tasks *ran);

/* Removes all tasks and keeps the memory. */
void ran_tasks_clear(struct ran_tasks *ran);

/* The worker takes these tasks: the last one taken has ended.
 * Errors: those of duration_bins_add; some of the tasks are then not kept. */
enum status ran_tasks_take(struct ran_tasks *ran, const struct taskpool_range *range,
                           bool tasks_are_long, double now_s);

/* The task taken last has ended. Errors: as above. */
enum status ran_tasks_end(struct ran_tasks *ran, double now_s);

/* Appends all tasks in the order in which they are to run next: timed ones, the longest first, by
 * powers of two of their durations, or in the order of adding; then the others. Errors:
 * STATUS_NO_MEMORY. */
enum status ran_tasks_list(const struct ran_tasks *ran, struct task_ranges *tasks);
