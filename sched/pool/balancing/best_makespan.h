/* SPDX-License-Identifier: BSD-3-Clause */
/* Which placement of tasks had the least makespan, as the root of the balancer's tree knows it, and
 * what comes next: tasks are moved from the best placement, and return to it if that took longer. A
 * failure shows that moves are not understood, so after n of them 2^n - 1 iterations pass until the
 * next trial. Where the best placement itself took longer than before, by what was stolen or by chance,
 * it runs once more as it was; if that takes as long, it does so now. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum best_step {
    BEST_MOVE,   /* from the placement that ran, which is the best so far: it is to be remembered */
    BEST_KEEP,   /* it runs once more, and is remembered */
    BEST_RETURN, /* to the placement that was remembered */
};

/* Zero-initialised: nothing ran. */
struct best_makespan {
    double least_s; /* of the best placement; 0: none ran */
    bool is_best;   /* the next iteration runs that one */
    bool is_again;  /* once more, because it took longer than before */
    int n_failed;   /* trials in a row */
    int64_t n_wait; /* iterations without one */
};

/* After an iteration of this makespan. error: the fraction by which a makespan may differ from the last
 * iteration's for the noise or drift of durations: what was least counts as so much more in each
 * iteration since. */
enum best_step best_makespan_next(struct best_makespan *best, double makespan_s, double error);

/* Whether tasks are to move, if that is expected to make the largest load max_s: so much less than the
 * best placement takes. If not, that runs once more. */
bool best_makespan_accepts(struct best_makespan *best, double max_s);
