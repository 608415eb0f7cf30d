/* Ranges of task IDs, which a static pool holds instead of single IDs: 2e10 tasks
 * are a few words until they are divided. */
#ifndef BERYL_SCHED_TASK_RANGES_H
#define BERYL_SCHED_TASK_RANGES_H

#include "support/base/status.h"

#include <stdint.h>

/* The tasks first, first + step, ... below last; step >= 1. Empty if first >= last. */
struct taskpool_range {
    int64_t first;
    int64_t last;
    int64_t step;
};

/* The number of tasks in a range. */
int64_t task_range_count(const struct taskpool_range *range);

/* Part `part` of [0, n_tasks) cut into n_parts blocks whose sizes differ by one
 * at most, the larger ones first. 0 <= part < n_parts. */
struct taskpool_range task_range_block(int64_t n_tasks, int64_t n_parts, int64_t part);

/* The inverse: the part that contains a task of [0, n_tasks). */
int64_t task_range_block_of(int64_t n_tasks, int64_t n_parts, int64_t task);

/* Cuts the first n tasks off a range that has as many. */
struct taskpool_range task_range_cut_front(struct taskpool_range *range, int64_t n);

/* A list of ranges that grows. Zero-initialised is empty. */
struct task_ranges {
    struct taskpool_range *list; /* n */
    int64_t n;
    int64_t capacity;
};

/* Appends a task, to the last range if it continues that.
 * Errors: STATUS_NO_MEMORY, the list is then unchanged. */
enum status task_ranges_add(struct task_ranges *ranges, int64_t task);

/* Appends the tasks of a range, in its order. Errors: as task_ranges_add. */
enum status task_ranges_add_range(struct task_ranges *ranges, struct taskpool_range range);

void task_ranges_fini(struct task_ranges *ranges);

#endif
