/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/theft_gain.h"

#include <math.h>

/* The fraction of an iteration that thefts have to cost. */
#define LEAST_HARM 0.01

/* Standard deviations of lags beyond which one is due to a slow worker. */
#define SLOW_DEVIATIONS 4

enum { MOST_DOUBLINGS = 10 };

void theft_gain_note_begun(struct theft_gain *self, double cost)
{
    self->n_begun++;
    self->begun_cost += cost;
    self->sums.is_incomplete |= self->n_begun >= LAG_MOST_TASKS;
}

void theft_gain_add(struct theft_gain *self, double time_s, double speed, double cost, bool is_own)
{
    double work = time_s * speed;
    lag_sums_add(&self->sums, work, cost);
    self->sums.is_incomplete |= self->sums.n_tasks >= LAG_MOST_TASKS;
    if (!is_own)
        return;
    if (self->n > 0)
        lag_sums_add_pair(&self->sums, work, cost, self->own_work, self->cost);
    self->n++;
    self->own_s += time_s;
    self->own_work += work;
    self->cost += cost;
}

/* The work of the tasks that others stole: what is expected, less what the worker would have made up for; one that
 * lags behind so much that it must be slow makes up for nothing. */
static double stolen_work(const struct theft_gain *self, const struct lag_sums *all, double speed)
{
    struct lag_fit fit = lag_sums_fit(all);
    double n = (double)(self->n_begun - self->n), left = self->begun_cost - self->cost;
    double lag = self->own_s * speed - self->cost * fit.unit;
    if (lag > SLOW_DEVIATIONS * fit.deviation)
        return left * self->own_s * speed / self->cost;
    return fmax(left * all->least, left * fit.unit + lag * (pow(1 + fit.slope, n) - 1));
}

double theft_gain_alone(const struct theft_gain *self, const struct lag_sums *all, double speed)
{
    if (!(lag_sums_fit(all).slope < 0))
        return 0;
    return self->own_s + (self->n_begun > self->n ? stolen_work(self, all, speed) / speed : 0);
}

void theft_forecast_update(struct theft_forecast *self, bool stole, double took_s, double alone_s,
                           double best_s)
{
    if (stole) {
        self->took = took_s / best_s;
        self->n_wait -= self->n_wait > 0;
        self->harms = self->n_wait == 0 && alone_s > 0 && took_s > (1 + LEAST_HARM) * alone_s;
    } else if (self->harms && took_s > self->took * best_s) {
        self->harms = false;
        self->n_failed += self->n_failed < MOST_DOUBLINGS;
        self->n_wait = (INT64_C(1) << self->n_failed) - 1;
    }
}

bool theft_forecast_harms(const struct theft_forecast *self, double max_s, double best_s)
{
    return self->harms && max_s < self->took * best_s;
}
