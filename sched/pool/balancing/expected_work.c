/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/expected_work.h"

#include <math.h>

void expected_work_init(struct expected_work *self, const struct taskpool_problem *problem)
{
    *self = (struct expected_work){.problem = problem, .powers = deviation_powers_none};
}

double expected_work_cost(const struct expected_work *self, int64_t task)
{
    return self->problem->cost ? self->problem->cost(task, self->problem->context) : 0;
}

void expected_work_keep(struct expected_work *self)
{
    self->powers = deviation_powers_none;
    self->extra = 0;
}

double expected_work_deviation(const struct expected_work *self, double work, double cost)
{
    double unit = self->powers.log_unit;
    return (log(work / cost) - unit) / self->powers.moves + unit;
}

/* The mean deviation of a worker's tasks, with their work as weights. */
static double mean_deviation(const struct expected_work *self, const struct duration_bins *bins)
{
    double sum = 0, weight = 0;
    for (int64_t i = 0; i < bins->n_bins; i++) {
        const struct duration_bin *bin = &bins->bins[i];
        double work = bin->n_tasks > 0 ? bin->sum_s / bin->n_tasks : 0;
        for (int64_t entry = bin->first; entry >= 0; entry = bins->entries[entry].next) {
            double cost = expected_work_cost(self, bins->entries[entry].task);
            if (!(cost > 0 && work > 0))
                continue;
            sum += work * (log(work / cost) - self->powers.log_unit);
            weight += work;
        }
    }
    return weight > 0 ? sum / weight : 0;
}

static double predict_task(int64_t task, double work, void *context)
{
    struct expected_work *self = context;
    const struct deviation_powers *powers = &self->powers;
    double cost = expected_work_cost(self, task);
    if (!(cost > 0 && work > 0))
        return work;
    double deviation = log(work / cost) - powers->log_unit;
    double moved = cost * exp(powers->moves * deviation + powers->log_unit);
    double stays = powers->stays * (deviation - self->mean) + powers->workers * self->mean;
    self->extra += cost * exp(stays + powers->log_unit) - moved;
    return moved;
}

enum status expected_work_predict(struct expected_work *self, const struct deviation_powers *powers,
                                  struct duration_bins *bins)
{
    self->powers = *powers;
    self->extra = 0;
    if (!expected_work_minds_costs(self))
        return STATUS_OK;
    self->mean = mean_deviation(self, bins);
    return duration_bins_map(bins, predict_task, self);
}
