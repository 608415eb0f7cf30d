/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing_pace.h"

/* Fraction of the mean pace below which a worker is slow: errors of costs and interruptions are
 * smaller. */
#define SLOW_PACE 0.6

double stealing_pace_note(struct stealing_pace *self, struct steal_window *window, double cost,
                          double time_s)
{
    self->cost += cost;
    self->time_s += time_s;
    double pace = self->cost / self->time_s, mean = steal_window_mean_pace(window);
    self->is_slow = pace < SLOW_PACE * mean;
    double speed = self->is_slow ? pace / mean : 1;
    steal_window_set_pace(window, pace, speed);
    return speed;
}
