/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing_pace.h"

#include <math.h>

/* Fraction of the mean pace below which a worker is slow: errors of costs and interruptions are
 * smaller. */
#define SLOW_PACE 0.6

/* Standard deviations of the others' times that are no chance, and others that show these. */
#define SIGNIFICANT 3

enum { LEAST_OTHERS = 2 };

double stealing_pace_note(struct stealing_pace *self, struct steal_window *window, double cost,
                          double time_s, double now_s)
{
    if (self->cost == 0)
        self->began_s = now_s - time_s;
    self->cost += cost;
    self->time_s += time_s;
    struct steal_window_paces others = steal_window_sum_paces(window);
    double relative = others.n > 0 ? self->cost / self->time_s * (others.time_s / others.cost) : 1;
    self->is_slow = relative < SLOW_PACE;
    double speed = self->is_slow ? relative : 1;
    steal_window_set_pace(window, self->cost, self->time_s, speed);
    return speed;
}

/* The standard deviation of times from costs / pace. An interruption takes the same of a short time and
 * of a long one, so that it is these that are compared, not paces. */
static double deviation_of(const struct steal_window_paces *others, double inverse_pace)
{
    double squares = others->time_time - 2 * inverse_pace * others->cost_time +
                     inverse_pace * inverse_pace * others->cost_cost;
    return sqrt(fmax(0, squares) / (others->n - 1));
}

bool stealing_pace_leaves(const struct stealing_pace *self, const struct steal_window *window,
                          double cost, double now_s)
{
    struct steal_window_paces others = steal_window_sum_paces(window);
    if (!self->is_slow || others.n < LEAST_OTHERS)
        return false;
    double inverse_pace = others.time_s / others.cost;
    if (self->time_s - inverse_pace * self->cost <
        SIGNIFICANT * deviation_of(&others, inverse_pace))
        return false;
    double saves_s = cost * (self->time_s / self->cost - inverse_pace);
    double until_free_s = self->began_s + inverse_pace * self->load - now_s;
    return fabs(until_free_s) < saves_s;
}
