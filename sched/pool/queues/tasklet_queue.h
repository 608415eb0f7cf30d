/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue that the workers of a group share in mode hybrid: the tasklets of
 * all members, indexed by the member that was seeded with them and by the one that ran them last.
 * Cost, on average over an iteration: O(1) to take a tasklet, O(log members) if another member
 * ran it last; O(tasklets) to begin an iteration. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* --- a worker's list of tasks cut into tasklets, the units that mode hybrid hands out --- */

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

/* --- the queue --- */

struct tasklet {
    int64_t index; /* among its owner's */
    int64_t n_tasks;
    int owner; /* the member that was seeded with it */
    int last;  /* the member that took it last; before that, the owner */
    bool taken;
};

/* An index: the tasklets of each member, in the order of the queue. Tasklets taken by another
 * index remain until they reach an end, where they are skipped. */
struct tasklet_shelf {
    int64_t *items; /* n tasklets of the queue; of member m [front[m], back[m]) */
    int64_t *front, *back;
};

/* Number of tasklets left that a member ran last; may be out of date, see `richest`. */
struct tasklet_holder {
    int64_t n_left;
    int member;
};

struct tasklet_queue {
    int n_members;
    bool skew, locality;
    struct tasklet *tasklets; /* n, in the order of the queue */
    int64_t n;
    int64_t n_tasks;       /* in all tasklets */
    int64_t n_tasks_taken; /* in this iteration */
    struct tasklet_shelf by_owner, by_last;
    int64_t *n_left;                /* by_last, not taken */
    struct tasklet_holder *holders; /* a heap, largest first */
};

/* parts     n_members, read
 * skew      the larger tasklets come first, else the members' in turn
 * locality  members prefer those that they ran last
 * The first iteration has begun. Errors: STATUS_NO_MEMORY, nothing is then owned. */
enum status tasklet_queue_init(struct tasklet_queue *queue, const struct tasklets *parts,
                               int n_members, bool skew, bool locality);
void tasklet_queue_fini(struct tasklet_queue *queue);

/* Begins an iteration: all tasklets are in the queue again. */
void tasklet_queue_begin(struct tasklet_queue *queue);

/* Takes a tasklet for a member: one that it ran last; else one that it was
 * seeded with; else one of the member with the most tasklets left that it ran
 * last, which costs the least locality: the one that member would run last or,
 * with skew, the largest. Without locality the first of the queue. NULL if none is
 * left.
 * last  out: the member that ran the tasklet before */
const struct tasklet *tasklet_queue_take(struct tasklet_queue *queue, int member, int *last);
