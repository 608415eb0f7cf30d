/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks of a static pool that a worker has not begun and that others of its node may take without
 * its answer, in the memory of the node: a list of ranges in the order in which the worker will run
 * them, and a window, the positions in it that are left. The worker takes from the front of its
 * window, the others from the back, each by one swap.
 *
 * Each change increments the count of the window, so that a swap fails if anything has changed
 * since the window was loaded, and the list with it; and the worker learns how often others took
 * tasks, which it has to count as transfers before it reports to be without work (termination.h): a
 * theft is a transfer that is sent and received at the moment of the swap.
 *
 * Source of the idea of one word for both ends: Cartier, Dinan, Larkins, ICPP 2021. */
#pragma once

#include "taskpool/mode.h"

enum {
    STEAL_WINDOW_RANGES = 16,    /* of a list, at most */
    STEAL_WINDOW_TASKS = 0xffff, /* in them: positions take 16 bits */
};

/* A worker's own window, and its access to other workers' windows. All zero: no window. */
struct steal_window {
    struct taskpool_comm *comm; /* borrowed; NULL: there is no memory */
    int own;                    /* this worker's position on the node */
    uint32_t count;             /* its own changes, and the thefts that it has counted */
    bool may_have_tasks;        /* false: empty, all thefts are counted, and nobody changes it */
};

/* A part of a list, in its order. */
struct steal_window_part {
    int64_t n_tasks;
    int n;
    struct taskpool_range ranges[STEAL_WINDOW_RANGES];
};

/* comm  borrowed. Without memory, or other workers on the node, the window stays empty. */
void steal_window_init(struct steal_window *window, struct taskpool_comm *comm);

/* --- the worker --- */

/* Puts tasks into its empty window. has_all: no other tasks wait here. */
void steal_window_open(struct steal_window *window, const struct steal_window_part *part,
                       bool has_all);

/* Takes up to n tasks of one range from its front. False: the window is empty. */
bool steal_window_take(struct steal_window *window, int64_t n, struct taskpool_range *range);

/* Takes all tasks back; none wait in the window alone then. */
void steal_window_close(struct steal_window *window, struct steal_window_part *part);

/* The number of tasks in its window. */
int64_t steal_window_n_tasks(const struct steal_window *window);

/* How often others have taken tasks since the last call. To be called before each report to be
 * without work. */
int64_t steal_window_count_thefts(struct steal_window *window);

/* --- the others of the node, by their positions there --- */

/* Takes the last n tasks of another worker's window or, with n = 0, half of them, rounded up;
 * min_tasks at least, or all. False: the window is empty. */
bool steal_window_steal(struct steal_window *window, int mate, int64_t n, int64_t min_tasks,
                        struct steal_window_part *part);

/* A worker other than this one whose window has tasks, the one with the most among some; -1: none
 * was found. */
int steal_window_find(const struct steal_window *window);

/* Whether another worker has put all tasks that it has not begun into its window: nothing else is
 * to be got from it. */
bool steal_window_has_all(const struct steal_window *window, int mate);
