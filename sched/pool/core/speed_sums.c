/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/speed_sums.h"

#include <math.h>

/* Tasks that ran twice in the same time, in addition to those that did: few tasks prove nothing. */
#define PRIOR_REPEATS 2

/* Standard errors of a sum over workers that show that many differ, and what one adds at most: an
 * interruption of a task that moved is seen by two workers, and shows nothing of the others. */
#define MANY_DIFFER 4
#define MOST_EXCESS 3

/* --- sums --- */

void repeat_sums_add(struct repeat_sums *self, double x, double y)
{
    self->n++;
    self->x += x;
    self->y += y;
    self->xx += x * x;
    self->xy += x * y;
}

void repeat_sums_merge(struct repeat_sums *self, const struct repeat_sums *others, double x_factor,
                       double y_factor)
{
    self->n += others->n;
    self->x += others->x * x_factor;
    self->y += others->y * y_factor;
    self->xx += others->xx * x_factor * x_factor;
    self->xy += others->xy * x_factor * y_factor;
}

void speed_sums_merge(struct speed_sums *self, const struct speed_sums *others)
{
    self->noise += others->noise;
    self->noise_weight += others->noise_weight;
    self->scatter += others->scatter;
    self->cost_weight += others->cost_weight;
    self->ratios += others->ratios;
    self->n_ratios += others->n_ratios;
    self->typical += others->typical;
    self->n_typical += others->n_typical;
    self->gain = fmax(self->gain, others->gain);
    self->excess += others->excess;
    self->n_evidence += others->n_evidence;
    self->n_workers += others->n_workers;
    repeat_sums_merge(&self->stayed, &others->stayed, 1, 1);
    repeat_sums_merge(&self->moved, &others->moved, 1, 1);
}

void speed_sums_add_evidence(struct speed_sums *self, double n, double change, double noise)
{
    self->excess += fmin(n * change * change / noise - 1, MOST_EXCESS);
    self->n_evidence += n;
    self->n_workers++;
}

double speed_sums_variance(const struct speed_sums *all)
{
    bool is_significant = all->excess > MANY_DIFFER * sqrt(2 * all->n_workers);
    return is_significant ? all->excess / all->n_evidence : 0;
}

/* --- prediction --- */

/* The regression of y on x; expected: the slope without evidence. */
static double slope_of(const struct repeat_sums *sums, double expected)
{
    if (sums->n < 2)
        return expected;
    double xx = sums->xx - sums->x * sums->x / sums->n;
    double xy = sums->xy - sums->x * sums->y / sums->n;
    double prior = PRIOR_REPEATS * xx / sums->n;
    return xx > 0 ? fmin(1, fmax(0, (xy + prior * expected) / (xx + prior))) : expected;
}

void prediction_update(struct prediction *self, const struct speed_sums *all)
{
    double n = all->stayed.n + all->moved.n;
    self->mean = n > 0 ? (all->stayed.y + all->moved.y) / n : 0;
    self->stays = slope_of(&all->stayed, 1);
    self->moves = slope_of(all->moved.n > 0 ? &all->moved : &self->moved, self->stays);
}

void prediction_remember(struct prediction *self, const struct speed_sums *all)
{
    if (all->moved.n > 0)
        self->moved = all->moved;
}

/* --- costs --- */

void cost_evidence_begin(struct cost_evidence *self)
{
    self->n = self->weight = self->ratio = self->square = 0;
}

void cost_evidence_add(struct cost_evidence *self, double cost, double time_s)
{
    if (!(cost > 0 && time_s > 0))
        return;
    double ratio = log(cost / time_s);
    self->n++;
    self->weight += time_s;
    self->ratio += time_s * ratio;
    self->square += time_s * ratio * ratio;
}

void cost_evidence_sum(const struct cost_evidence *self, struct speed_sums *sums, bool is_typical)
{
    if (!(self->weight > 0))
        return;
    double mean = self->ratio / self->weight;
    sums->scatter += fmax(0, self->square - mean * self->ratio);
    sums->cost_weight += self->weight;
    sums->ratios += mean;
    sums->n_ratios++;
    if (!is_typical)
        return;
    sums->typical += mean;
    sums->n_typical++;
}

/* The mean of most workers, if these are known to be neither slow nor fast, or of all. */
static double centre_of(const struct speed_sums *all)
{
    return 2 * all->n_typical > all->n_ratios ? all->typical / all->n_typical
                                              : all->ratios / all->n_ratios;
}

/* Adds the phase, in which tasks of the worker ran. */
static void learn_from_costs(struct cost_evidence *self, const struct speed_sums *all, double noise,
                             double significance)
{
    /* The scatter of a worker's tasks is that of noise, and that of errors which they share. */
    double scatter = all->scatter / all->cost_weight + SPEED_LEAST_CHANGE * SPEED_LEAST_CHANGE;
    double independent = fmin(scatter, noise / 2), shared = scatter - independent;
    double own_noise = independent / self->n, precision = 1 / (shared + own_noise);
    self->precision += precision;
    self->change +=
        (self->ratio / self->weight - centre_of(all) - self->change) * precision / self->precision;
    self->noise_precision += own_noise > 0 ? 1 / own_noise : 0;
    self->least_error = fmin(self->least_error, shared);
    double variance =
        self->least_error + (self->noise_precision > 0 ? 1 / self->noise_precision : 0);
    self->doubt = significance * variance;
}

double cost_evidence_speed(struct cost_evidence *self, const struct speed_sums *all, double noise,
                           double significance)
{
    if (self->weight > 0)
        learn_from_costs(self, all, noise, significance);
    return self->change * self->change > self->doubt ? self->change : 0;
}
