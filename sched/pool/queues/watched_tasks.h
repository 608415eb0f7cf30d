/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks whose work is known from an earlier run, to be compared with what they take next: some of
 * those that stay on a worker, and those that moved there. */
#pragma once

#include "sched/pool/queues/duration_bins.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct watched_task {
    int64_t task;  /* first: the order of array_ascending */
    double work;   /* seconds at speed 1 */
    double time_s; /* that it has taken since; 0: it ran elsewhere */
    int32_t from;  /* the worker on which it ran; -1: unknown */
};

/* Zero-initialised is empty. */
struct watched_tasks {
    struct watched_task *list; /* n */
    int64_t n, capacity;
};

/* Tasks of others that are watched at most: more have no effect. */
enum { WATCHED_TASKS_MAX = 1024 };

void watched_tasks_fini(struct watched_tasks *watched);

/* Errors: STATUS_NO_MEMORY. */
enum status watched_tasks_add(struct watched_tasks *watched, int64_t task, double work, int from);

/* Whether a task may be one of those: it is, or the list is full. */
bool watched_tasks_may_have(const struct watched_tasks *watched, int64_t task);

void watched_tasks_remove(struct watched_tasks *watched, int64_t task);

/* Adds n_most tasks of the bins at most, which are spread over all durations, and sorts all.
 * Errors: STATUS_NO_MEMORY. */
enum status watched_tasks_add_own(struct watched_tasks *watched, const struct duration_bins *bins,
                                  int64_t n_most, int worker);

/* A task; NULL: it is not watched. The list is sorted. */
struct watched_task *watched_tasks_find(const struct watched_tasks *watched, int64_t task);
