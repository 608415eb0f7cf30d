/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of task IDs, which a static pool holds instead of single IDs: 2e10 tasks
 * are a few words until they are divided. */
#pragma once

#include "support/base/status.h"
#include "taskpool/mode.h"

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
