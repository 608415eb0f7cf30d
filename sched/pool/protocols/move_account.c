/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/move_account.h"

#include <math.h>

double move_account_least_lead(double move_cost)
{
    return 2 + move_cost;
}

void move_account_begin(struct move_account *self, double move_cost, double now_s)
{
    *self = (struct move_account){
        .move_cost = move_cost,
        .since_s = now_s,
        .last_mean_s = self->n_tasks > 0 ? self->load_s / (double)self->n_tasks : 0,
        .last_max_s = self->longest_s,
    };
}

void move_account_add(struct move_account *self, double time_s, double now_s)
{
    self->n_tasks++;
    self->load_s += time_s;
    self->longest_s = fmax(self->longest_s, time_s);
    self->since_s = now_s;
}

/* By both iterations, the less: some of the first one's durations are long. */
static double mean_of_a_task(const struct move_account *self)
{
    if (self->n_tasks == 0)
        return self->last_mean_s;
    return fmin(self->last_mean_s, self->load_s / (double)self->n_tasks);
}

int64_t move_account_worth(const struct move_account *self, int64_t n_waiting, double thief_s,
                           double now_s)
{
    /* The wall time of the task that runs, as far as it can be load. */
    double running_s = fmin(fmax(0, now_s - self->since_s), self->last_max_s);
    double lag_s = fmax(0, thief_s - self->load_s - running_s);
    double n = (double)n_waiting - (lag_s > 0 ? lag_s / mean_of_a_task(self) : 0);
    return n > 0 ? (int64_t)(n / move_account_least_lead(self->move_cost)) : 0;
}
