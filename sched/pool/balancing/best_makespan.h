/* SPDX-License-Identifier: BSD-3-Clause */
/* Which placement of tasks had the least makespan, as the root of the balancer's tree knows it, and
 * what comes next: tasks are moved from the best placement, and return to it if that took longer. A
 * failure shows that moves are not understood, so after n of them 2^n - 1 iterations pass until the
 * next trial; and where a trial gained nothing, what is expected of the next counts as larger by the
 * ratio by which expectations were exceeded. Where the best placement itself took longer than before,
 * by what was stolen or by chance, it runs once more as it was; if that takes as long, it does so now.
 *
 * The first iteration began with the tasks as they were seeded, and stole. Where all placements take longer
 * than that did, iterations without a trial begin so again: where workers wait for the same network cards,
 * a schedule that thieves make as they go along may be shorter than the same tasks in another order. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum best_step {
    BEST_MOVE,   /* from the placement that ran, which is the best so far: it is to be remembered */
    BEST_KEEP,   /* it runs once more, and is remembered */
    BEST_RETURN, /* to the placement that was remembered */
    BEST_START,  /* as seeded, with stealing, like the first iteration */
    BEST_TRY,    /* from the placement that ran after such a start, which is not to be remembered */
};

/* Zero-initialised: nothing ran. */
struct best_makespan {
    double least_s;    /* of the best placement; 0: none ran */
    double start_s;    /* of the last iteration that began like the first one; 0: not known */
    bool is_best;      /* the next iteration runs the best placement */
    bool is_start;     /* it begins like the first one */
    bool is_again;     /* once more, because it took longer than before */
    double promised_s; /* expected of the trial that runs; 0: none runs */
    double excess;     /* largest ratio of what a trial without a gain took to that; at first 0 */
    int n_failed;      /* trials in a row */
    int64_t n_wait;    /* iterations without one */
};

/* After an iteration of this makespan. error: the fraction by which a makespan may differ from the last
 * iteration's for the noise or drift of durations: what was least counts as so much more in each
 * iteration since, and what exceeded expectations as so much less. */
enum best_step best_makespan_next(struct best_makespan *best, double makespan_s, double error);

/* Whether tasks are to move, if that is expected to make the largest load max_s: so much less than the
 * best placement, and the start, take. If not, the better of these runs once more: is_start. */
bool best_makespan_accepts(struct best_makespan *best, double max_s);

/* Takes the place of a step if no task is to move after all. */
enum best_step best_makespan_stay(struct best_makespan *best, enum best_step step);
