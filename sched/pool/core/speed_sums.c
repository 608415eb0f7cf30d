/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/speed_sums.h"

#include <math.h>

/* Tasks that ran twice in the same time, in addition to those that did: few tasks prove nothing. */
#define PRIOR_REPEATS 2

/* Standard errors by which noise, or a slope, is to differ from what is expected of it, and tasks that show that. */
#define SIGNIFICANT    3
#define LEAST_COMPARED 8

/* An imbalance that is no sign of a slow worker. */
#define SLOW_IMBALANCE 0.5

/* The least power of deviations: without any they could not be seen any more. */
#define LEAST_POWER 0.05

/* Tasks of mean work and of the assumed variance, in addition to those that ran twice, where these show a larger one. */
#define PRIOR_NOISE 4

/* Tasks that ran on one worker twice which do not tell what the noise is; and tasks that moved, beyond one for
 * each changed speed, which do. */
#define FEW_STAYED 8
#define MUCH_LEFT  16

/* Standard errors of a sum over workers that show that many differ. */
#define MANY_DIFFER 4

/* --- sums --- */

void repeat_sums_add(struct repeat_sums *self, double x, double y)
{
    self->n++;
    self->x += x;
    self->y += y;
    self->xx += x * x;
    self->xy += x * y;
    self->yy += y * y;
}

void repeat_sums_merge(struct repeat_sums *self, const struct repeat_sums *others, double x_factor,
                       double y_factor)
{
    self->n += others->n;
    self->x += others->x * x_factor;
    self->y += others->y * y_factor;
    self->xx += others->xx * x_factor * x_factor;
    self->xy += others->xy * x_factor * y_factor;
    self->yy += others->yy * y_factor * y_factor;
}

void deviation_sums_add(struct deviation_sums *self, double weight, double x, double y)
{
    self->weight += weight;
    self->squares += weight * weight;
    self->x += weight * x;
    self->y += weight * y;
    self->xx += weight * x * x;
    self->xy += weight * x * y;
    self->yy += weight * y * y;
}

void deviation_sums_merge(struct deviation_sums *self, const struct deviation_sums *others,
                          double x_term, double y_term)
{
    double weight = others->weight;
    self->weight += weight;
    self->squares += others->squares;
    self->x += others->x + weight * x_term;
    self->y += others->y + weight * y_term;
    self->xx += others->xx + 2 * x_term * others->x + weight * x_term * x_term;
    self->xy += others->xy + x_term * others->y + y_term * others->x + weight * x_term * y_term;
    self->yy += others->yy + 2 * y_term * others->y + weight * y_term * y_term;
}

void lag_sums_add(struct lag_sums *self, double work, double cost)
{
    double ratio = cost > 0 ? work / cost : INFINITY;
    self->least = self->n_tasks > 0 ? fmin(self->least, ratio) : ratio;
    self->n_tasks++;
    self->work += work;
    self->cost += cost;
}

void lag_sums_add_pair(struct lag_sums *self, double d, double x, double e, double c)
{
    self->n++;
    self->dd += d * d;
    self->dx += d * x;
    self->xx += x * x;
    self->de += d * e;
    self->dc += d * c;
    self->xe += x * e;
    self->xc += x * c;
    self->ee += e * e;
    self->ec += e * c;
    self->cc += c * c;
}

void lag_sums_merge(struct lag_sums *self, const struct lag_sums *others)
{
    if (others->n_tasks > 0)
        self->least = self->n_tasks > 0 ? fmin(self->least, others->least) : others->least;
    self->is_incomplete |= others->is_incomplete;
    self->n_tasks += others->n_tasks;
    self->work += others->work;
    self->cost += others->cost;
    self->n += others->n;
    self->dd += others->dd;
    self->dx += others->dx;
    self->xx += others->xx;
    self->de += others->de;
    self->dc += others->dc;
    self->xe += others->xe;
    self->xc += others->xc;
    self->ee += others->ee;
    self->ec += others->ec;
    self->cc += others->cc;
}

struct lag_fit lag_sums_fit(const struct lag_sums *self)
{
    if (self->is_incomplete || self->n < 2 || !(self->cost > 0))
        return (struct lag_fit){0};
    double unit = self->work / self->cost;
    double lags = self->ee - 2 * unit * self->ec + unit * unit * self->cc;
    double both = self->de - unit * (self->dc + self->xe) + unit * unit * self->xc;
    double rests = self->dd - 2 * unit * self->dx + unit * unit * self->xx;
    double slope = lags > 0 ? both / lags : 0;
    double error = lags > 0 ? sqrt(fmax(0, rests - slope * both) / (self->n - 1) / lags) : 0;
    return (struct lag_fit){.unit = unit,
                            .slope = slope < -SIGNIFICANT * error ? fmax(-1, slope) : 0,
                            .deviation = sqrt(fmax(0, lags) / self->n)};
}

void speed_sums_merge(struct speed_sums *self, const struct speed_sums *others)
{
    self->load_s += others->load_s;
    self->most_s = fmax(self->most_s, others->most_s);
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
    self->squares += others->squares;
    self->n_changed += others->n_changed;
    repeat_sums_merge(&self->stayed, &others->stayed, 1, 1);
    repeat_sums_merge(&self->moved, &others->moved, 1, 1);
    deviation_sums_merge(&self->stayed_deviations, &others->stayed_deviations, 0, 0);
    deviation_sums_merge(&self->moved_deviations, &others->moved_deviations, 0, 0);
    deviation_sums_merge(&self->workers, &others->workers, 0, 0);
    lag_sums_merge(&self->lags, &others->lags);
}

void speed_sums_add_evidence(struct speed_sums *self, double n, double square, double noise)
{
    self->excess += n * square / noise - 1;
    self->n_evidence += n;
    self->n_workers++;
}

double speed_sums_variance(const struct speed_sums *all)
{
    bool is_significant = all->excess > MANY_DIFFER * sqrt(2 * all->n_workers);
    return is_significant ? all->excess / all->n_evidence : 0;
}

bool speed_sums_explain(const struct speed_sums *all, double squares, double n_stayed)
{
    /* Both workers of a pair have its evidence; each changed speed explains that of one task. */
    double n_left = all->n_evidence / 2 - all->n_changed;
    double noise = n_left >= MUCH_LEFT ? all->squares / n_left : 0;
    bool is_doubted = n_stayed < FEW_STAYED && noise > SPEED_UNKNOWN_NOISE;
    return !is_doubted || squares - all->squares >= noise * all->n_changed;
}

double speed_sums_noise(const struct speed_sums *all, double mean)
{
    const struct repeat_sums *stayed = &all->stayed;
    if (stayed->n == 0)
        return SPEED_UNKNOWN_NOISE;
    double n = (stayed->x + stayed->y) / 2 / mean;
    double squares = fmax(0, stayed->xx - 2 * stayed->xy + stayed->yy) / (mean * mean);
    double of_loads =
        fmin(squares / n, (squares + PRIOR_NOISE * SPEED_UNKNOWN_NOISE) / (n + PRIOR_NOISE));
    return fmin(all->noise / all->noise_weight, of_loads);
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

const struct deviation_powers deviation_powers_none = {.stays = 1, .moves = 1, .workers = 1};

/* Adds sums of a phase, less their means. */
static void merge_centred(struct deviation_sums *self, const struct deviation_sums *phase)
{
    if (phase->weight > 0)
        deviation_sums_merge(self, phase, -phase->x / phase->weight, -phase->y / phase->weight);
}

/* The variance of noise: the mean of x (x - y), where it differs significantly from what is expected. */
static double noise_of(const struct deviation_sums *before, const struct deviation_sums *phase,
                       double expected)
{
    struct deviation_sums sums = *before;
    merge_centred(&sums, phase);
    if (!(sums.squares > 0))
        return expected;
    double n = sums.weight * sums.weight / sums.squares;
    double noise = (sums.xx - sums.xy) / sums.weight;
    double changes = sums.xx - 2 * sums.xy + sums.yy;
    double error = sqrt(sums.xx * changes / n) / sums.weight;
    bool is_known = n > LEAST_COMPARED && noise > SPEED_LEAST_CHANGE * SPEED_LEAST_CHANGE;
    return is_known && fabs(noise - expected) > SIGNIFICANT * error ? noise : expected;
}

/* The fraction of the deviations of this phase that is no noise. */
static double power_of(double noise, const struct deviation_sums *phase)
{
    struct deviation_sums sums = {0};
    merge_centred(&sums, phase);
    double variance = sums.weight > 0 ? sums.yy / sums.weight : 0;
    return noise > 0 && variance > 0 ? fmax(LEAST_POWER, 1 - noise / variance) : 1;
}

static void update_powers(struct prediction *self, const struct speed_sums *all)
{
    const struct deviation_sums *stayed = &all->stayed_deviations, *moved = &all->moved_deviations;
    struct deviation_sums both = *stayed, before = self->stayed_before, centred = {0};
    deviation_sums_merge(&both, moved, 0, 0);
    merge_centred(&centred, stayed);
    merge_centred(&centred, moved);
    deviation_sums_merge(&before, &self->moved_before, 0, 0);
    double noise = noise_of(&before, &centred, 0);
    self->powers = (struct deviation_powers){
        .stays = power_of(noise_of(&self->stayed_before, stayed, noise), &both),
        .moves = power_of(noise_of(&self->moved_before, moved, noise), &both),
        .workers = power_of(noise_of(&self->workers_before, &all->workers, 0), &all->workers),
        .log_unit = both.weight > 0 ? both.y / both.weight : 0};
}

void prediction_update(struct prediction *self, const struct speed_sums *all)
{
    double n = all->stayed.n + all->moved.n;
    self->mean = n > 0 ? (all->stayed.y + all->moved.y) / n : 0;
    self->stays = slope_of(&all->stayed, 1);
    /* Where none has moved: part of what a duration tells is of its worker and of when the task began, more of it
     * where durations are noise; but tasks of a slow worker are shorter elsewhere. */
    bool has_moved = all->moved.n > 0;
    bool is_noise = !has_moved && self->imbalance < SLOW_IMBALANCE;
    double expected = is_noise ? self->stays * self->stays : self->stays;
    self->moves = slope_of(has_moved ? &all->moved : &self->moved, expected);
    update_powers(self, all);
}

/* Those before count for half, as if their weights were smaller. */
static void remember_deviations(struct deviation_sums *self, const struct deviation_sums *phase)
{
    *self = (struct deviation_sums){.weight = self->weight / 2,
                                    .squares = self->squares / 4,
                                    .xx = self->xx / 2,
                                    .xy = self->xy / 2,
                                    .yy = self->yy / 2};
    merge_centred(self, phase);
}

void prediction_remember(struct prediction *self, const struct speed_sums *all)
{
    if (all->moved.n > 0)
        self->moved = all->moved;
    remember_deviations(&self->stayed_before, &all->stayed_deviations);
    remember_deviations(&self->moved_before, &all->moved_deviations);
    remember_deviations(&self->workers_before, &all->workers);
}

/* --- costs --- */

/* Hysteresis: a worker once found unusual stays so until its deviation is below this part of a significant one. */
#define UNUSUAL 0.5

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
    double deviation = self->ratio / self->weight - centre_of(all);
    /* As long as no worker is known to be unusual the centre includes this one, which shifts it by so much if it is. In
     * later phases the centre is that of the others, and this estimate is to count for less than theirs. */
    bool none_is_known = all->n_typical == all->n_ratios && all->n_ratios > 1;
    double bias = none_is_known ? deviation / (all->n_ratios - 1) : 0;
    double own_noise = independent / self->n, precision = 1 / (shared + own_noise + bias * bias);
    self->precision += precision;
    self->change += (deviation - self->change) * precision / self->precision;
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
    /* Noise that becomes known later is no reason to take a slow worker for a usual one at once. */
    double doubt = self->is_unusual ? UNUSUAL * UNUSUAL * self->doubt : self->doubt;
    self->is_unusual = self->change * self->change > doubt;
    return self->is_unusual ? self->change : 0;
}
