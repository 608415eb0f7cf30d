/* SPDX-License-Identifier: BSD-3-Clause */
/* A lower bound on the makespan of a simulated iteration: no mode, and no placement of its tasks,
 * ends earlier. It is the smallest time M at which none of these is violated, where S is the sum of
 * the speeds of all threads and W the work of all tasks, seconds at speed 1:
 *
 *   (1) M >= W / S.
 *   (2) M >= longest task / highest speed.
 *   (3) S M >= W + s D(M), where s is the lowest speed. The threads spend D seconds at least on
 *       moving data, in which they could have done s D work.
 *   (4) M >= C(M) of every node, the least time for which its network card is busy.
 *
 * D(M) is the larger of two lower bounds on the seconds of moves:
 *
 *   - Must. A task whose blocks have several owners moves some wherever it runs. At best it runs
 *     where the slowest blocks to move are, and moves the blocks of all other owners. A block that
 *     is not kept in caches moves for each task. A kept block moves once at least, and counts for
 *     one task alone: a task counts if none of its blocks has counted before.
 *   - Leaving. The home of a task is the owner of its first written block, or of its first. A
 *     worker has time for M x its speed of the tasks that are at home there, and the rest of their
 *     work leaves. A task that leaves moves the blocks of its home: each, if they are not kept,
 *     else its first one, which moves once for all tasks of a node that read or write it. Let a
 *     block be needed for work w. If a part of w leaves, the block moves, which takes its seconds,
 *     and at least seconds x part / w. The least time that lets enough work leave is therefore
 *     found by a fractional knapsack: the items with the fewest seconds for their work leave
 *     first. Homes have different blocks, so their seconds add up.
 *
 * C(M) is the same knapsack for a node as the home, with bytes / bandwidth for seconds: tasks that
 * leave for another worker of the node do not use its card. A move counts with its least
 * time: no card is busy with others, and the owner is on the same node where that is faster.
 * Noise, messages and the time that a mode needs are not part of the bound.
 *
 * As M grows, (1) and (2) stay true, and in (3) and (4) the left side grows while the right one
 * does not, so that M is found by bisection. */
#pragma once

#include "support/base/status.h"
#include "taskpool/simulation.h"

struct makespan_bound {
    double seconds;   /* the bound, which is at least: */
    double work_s;    /* (1) */
    double longest_s; /* (2) */
};

/* The bound of the static pool of n_tasks with the durations that the machine gives now.
 * Errors: STATUS_NO_MEMORY. */
enum status makespan_bound_find(const struct taskpool_machine *machine, int64_t n_tasks,
                                struct makespan_bound *bound);

/* Prints the least bound of some iterations; nothing if it is 0 or infinite: not known. */
void makespan_bound_print(double bound_s);
