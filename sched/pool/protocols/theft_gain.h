/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether thefts made an iteration shorter, where each worker had few tasks.
 *
 * A stolen task begins earlier, but need not end earlier: a worker that is interrupted now and then is early because
 * its interruption is still to come, and another is late because it has had one. Then workers make up for what
 * they lag behind: what a task takes more than expected is the less, the more the tasks before it on the same
 * worker took. The slope of that regression, if it is significant, says how long those from whom tasks were
 * stolen would have taken for all their tasks, and the largest of these and of the other workers' own
 * tasks how long the iteration would have taken without thefts.
 *
 * Where thefts made it longer the next one goes without. As long as such iterations take less than the last one
 * that stole, relative to what is possible at best, they do so on; else stealing is right, and after n such
 * failures it is so for 2^n - 1 iterations at least. */
#pragma once

#include "sched/pool/core/speed_sums.h"

#include <stdbool.h>
#include <stdint.h>

/* The tasks of a worker in an iteration. Zero-initialised: none began. */
struct theft_gain {
    bool runs;
    double began_s, took_s; /* took: until its last task ended */
    int64_t n_begun, n;     /* own tasks that it began with, and that ran here */
    double begun_cost, cost;
    double own_s, own_work; /* of those that ran here; work by the speed that counted then */
    struct lag_sums sums;   /* of these tasks */
};

/* The worker begins with one more task of this predicted cost; where costs are not predicted, of 1. */
void theft_gain_note_begun(struct theft_gain *gain, double cost);

/* Whether it is to be noted with what tasks it begins, and what they take. */
static inline bool theft_gain_notes(const struct theft_gain *gain)
{
    return !gain->sums.is_incomplete;
}

/* A task of this duration and cost ended here, its own or a stolen one, on this worker of some speed. */
void theft_gain_add(struct theft_gain *gain, double time_s, double speed, double cost, bool is_own);

/* How long the worker would have taken without thefts, at this speed; 0: not known, on all workers. */
double theft_gain_alone(const struct theft_gain *gain, const struct lag_sums *all, double speed);

/* From one iteration to the next. Zero-initialised: thefts do not harm. */
struct theft_forecast {
    bool harms;     /* thefts make iterations longer */
    double took;    /* the last iteration that stole, relative to what was possible at best */
    int n_failed;   /* times that iterations without thefts took longer */
    int64_t n_wait; /* iterations until thefts may count as harmful again */
};

/* After an iteration that took took_s, and without thefts would have taken alone_s (0: not known). best_s: at best. */
void theft_forecast_update(struct theft_forecast *forecast, bool stole, double took_s,
                           double alone_s, double best_s);

/* Whether the next iteration, whose largest load is to be max_s, goes better without thefts. */
bool theft_forecast_harms(const struct theft_forecast *forecast, double max_s, double best_s);
