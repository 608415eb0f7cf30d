/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/best_makespan.h"

/* The fractions of the makespan that a trial is to save, and that the same placement may take more. */
#define LEAST_SAVING 0.01
#define SAME_WITHIN  0.02

enum { MOST_DOUBLINGS = 10 };

enum best_step best_makespan_next(struct best_makespan *self, double makespan_s, double error)
{
    bool is_first = self->least_s == 0;
    self->least_s *= 1 + error;
    if (!is_first && !self->is_best && makespan_s > self->least_s) {
        self->n_failed += self->n_failed < MOST_DOUBLINGS;
        self->n_wait = (INT64_C(1) << self->n_failed) - 1;
        self->is_best = true;
        return BEST_RETURN;
    }
    if (!is_first && !self->is_best)
        self->n_failed = 0;
    bool is_longer = !is_first && makespan_s > (1 + SAME_WITHIN) * self->least_s;
    self->is_again = is_longer && !self->is_again;
    if (self->is_again)
        return BEST_RETURN;
    self->least_s = makespan_s;
    self->is_best = self->n_wait > 0;
    if (self->n_wait == 0)
        return BEST_MOVE;
    self->n_wait--;
    return BEST_KEEP;
}

bool best_makespan_accepts(struct best_makespan *self, double max_s)
{
    bool accepts = max_s < (1 - LEAST_SAVING) * self->least_s;
    self->is_best = !accepts;
    return accepts;
}
