/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/best_makespan.h"

#include <math.h>

/* The fractions of the makespan that a trial is to save, and that the same placement may take more. */
#define LEAST_SAVING 0.01
#define SAME_WITHIN  0.02

enum { MOST_DOUBLINGS = 10 };

/* Where nothing is tried: the start if that takes less than the best placement. */
static enum best_step prefer_start(struct best_makespan *self, enum best_step step)
{
    self->is_start = self->start_s > 0 && self->start_s < (1 - LEAST_SAVING) * self->least_s;
    self->is_best = !self->is_start;
    return self->is_start ? BEST_START : step;
}

static enum best_step step_after_start(struct best_makespan *self, double makespan_s)
{
    bool is_due = self->n_wait == 0;
    self->start_s = makespan_s;
    self->n_wait -= is_due ? 0 : 1;
    enum best_step step = prefer_start(self, BEST_RETURN);
    if (step == BEST_RETURN || !is_due)
        return step;
    self->is_start = false;
    return BEST_TRY;
}

/* Learns from a trial without a gain how far expectations are to be trusted. */
static void note_trial(struct best_makespan *self, double makespan_s)
{
    if (self->promised_s > 0 && makespan_s > (1 - LEAST_SAVING) * self->least_s)
        self->excess = fmax(self->excess, makespan_s / self->promised_s);
    self->promised_s = 0;
}

enum best_step best_makespan_next(struct best_makespan *self, double makespan_s, double error)
{
    bool is_first = self->least_s == 0;
    self->least_s *= 1 + error;
    self->start_s *= 1 + error;
    self->excess /= 1 + error;
    note_trial(self, makespan_s);
    if (self->is_start)
        return step_after_start(self, makespan_s);
    if (!is_first && !self->is_best && makespan_s > self->least_s) {
        self->n_failed += self->n_failed < MOST_DOUBLINGS;
        self->n_wait = (INT64_C(1) << self->n_failed) - 1;
        return prefer_start(self, BEST_RETURN);
    }
    if (!is_first && !self->is_best)
        self->n_failed = 0;
    bool is_longer = !is_first && makespan_s > (1 + SAME_WITHIN) * self->least_s;
    self->is_again = is_longer && !self->is_again;
    if (self->is_again)
        return BEST_RETURN;
    if (is_longer) /* the load is another one */
        self->excess = 0;
    self->least_s = makespan_s;
    self->is_best = self->n_wait > 0;
    if (self->n_wait == 0)
        return BEST_MOVE;
    self->n_wait--;
    return prefer_start(self, BEST_KEEP);
}

bool best_makespan_accepts(struct best_makespan *self, double max_s)
{
    double least_s = self->start_s > 0 ? fmin(self->start_s, self->least_s) : self->least_s;
    if (fmax(1, self->excess) * max_s >= (1 - LEAST_SAVING) * least_s) {
        prefer_start(self, BEST_KEEP);
        return false;
    }
    self->is_best = self->is_start = false;
    self->promised_s = max_s;
    return true;
}

enum best_step best_makespan_stay(struct best_makespan *self, enum best_step step)
{
    return step == BEST_MOVE || step == BEST_TRY ? prefer_start(self, BEST_KEEP) : step;
}
