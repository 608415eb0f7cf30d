/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/statistics.h"

#include <math.h>
#include <stddef.h>

/* elapsed_s  the latest end of the workers that are added: the others wait for it */
static void add_worker(struct statistics_sums *sums, const struct statistics_worker *worker,
                       double elapsed_s)
{
    double attempted = (double)worker->steals_attempted;
    double successful = (double)worker->steals_successful;
    sums->workers += 1;
    sums->tasks += (double)worker->tasks;
    sums->task_s += worker->task_s;
    sums->idle_s += worker->idle_s + (elapsed_s - worker->elapsed_s);
    sums->search_s += worker->search_s;
    sums->scheduler_s += worker->scheduler_s;
    sums->communication_s += worker->communication_s;
    sums->attempted += attempted;
    sums->attempted_squared += attempted * attempted;
    sums->successful += successful;
    sums->successful_squared += successful * successful;
    sums->tasks_moved += (double)worker->tasks_moved;
    sums->messages += (double)worker->messages;
    sums->bytes += (double)worker->bytes;
}

struct statistics_totals statistics_totals_of(const struct statistics_worker *workers, int64_t n)
{
    struct statistics_totals totals = {.maxima.minus_started_s = -INFINITY};
    for (int64_t i = 0; i < n; i++) {
        double started_s = workers[i].started_s;
        totals.maxima.elapsed_s = fmax(totals.maxima.elapsed_s, workers[i].elapsed_s);
        totals.maxima.ended_s = fmax(totals.maxima.ended_s, started_s + workers[i].elapsed_s);
        totals.maxima.minus_started_s = fmax(totals.maxima.minus_started_s, -started_s);
        totals.maxima.task_s = fmax(totals.maxima.task_s, workers[i].task_s);
        totals.maxima.balance_s = fmax(totals.maxima.balance_s, workers[i].balance_s);
    }
    for (int64_t i = 0; i < n; i++)
        add_worker(&totals.sums, &workers[i], totals.maxima.elapsed_s);
    return totals;
}

void statistics_totals_add(struct statistics_totals *totals, const struct statistics_totals *other)
{
    /* Workers that were done earlier have waited for the last of both parts. */
    double elapsed_s = fmax(totals->maxima.elapsed_s, other->maxima.elapsed_s);
    double waited_s = totals->sums.workers * (elapsed_s - totals->maxima.elapsed_s) +
                      other->sums.workers * (elapsed_s - other->maxima.elapsed_s);
    /* Both structs consist of doubles alone. */
    double *sums = (double *)&totals->sums, *maxima = (double *)&totals->maxima;
    const double *other_sums = (const double *)&other->sums;
    const double *other_maxima = (const double *)&other->maxima;
    for (size_t i = 0; i < sizeof totals->sums / sizeof *sums; i++)
        sums[i] += other_sums[i];
    totals->sums.idle_s += waited_s; /* last: the order of the parts must not matter */
    for (size_t i = 0; i < sizeof totals->maxima / sizeof *maxima; i++)
        maxima[i] = fmax(maxima[i], other_maxima[i]);
}

/* Rounding may leave the mean above the maximum of equal loads. */
static double imbalance_of(double load_max, double load_mean)
{
    return load_mean > 0 ? fmax(0, load_max / load_mean - 1) : 0;
}

static struct taskpool_spread spread_of_sums(double sum, double sum_of_squares, double n)
{
    double mean = sum / n;
    return (struct taskpool_spread){.mean = mean,
                                    .sd = sqrt(fmax(0, sum_of_squares / n - mean * mean))};
}

double statistics_makespan_s(const struct statistics_totals *totals)
{
    const struct statistics_maxima *maxima = &totals->maxima;
    return fmax(maxima->elapsed_s, maxima->ended_s + maxima->minus_started_s);
}

void statistics_summarize(const struct statistics_totals *all, struct statistics_worker *workers,
                          int64_t n_workers, struct taskpool_iteration *iteration)
{
    struct statistics_sums sums = all->sums;
    struct statistics_maxima maxima = all->maxima;
    double makespan_s = statistics_makespan_s(all);
    for (int64_t i = 0; i < n_workers; i++) {
        workers[i].idle_s += makespan_s - workers[i].elapsed_s;
        workers[i].elapsed_s = makespan_s;
    }
    sums.idle_s += sums.workers * (makespan_s - maxima.elapsed_s);

    double load_mean = sums.task_s / sums.workers;
    double capacity_s = sums.workers * makespan_s;
    *iteration = (struct taskpool_iteration){
        .iteration = iteration->iteration,
        .n_workers = (int64_t)sums.workers,
        .tasks = (int64_t)sums.tasks,
        .makespan_s = makespan_s,
        .task_s = sums.task_s,
        .idle_s = sums.idle_s,
        .search_s = sums.search_s,
        .scheduler_s = sums.scheduler_s,
        .communication_s = sums.communication_s,
        .balance_s = maxima.balance_s,
        .load_mean = load_mean,
        .load_max = maxima.task_s,
        .imbalance = imbalance_of(maxima.task_s, load_mean),
        .efficiency = capacity_s > 0 ? sums.task_s / capacity_s : 1,
        .steals_attempted = spread_of_sums(sums.attempted, sums.attempted_squared, sums.workers),
        .steals_successful = spread_of_sums(sums.successful, sums.successful_squared, sums.workers),
        .tasks_moved = (int64_t)sums.tasks_moved,
        .messages = (int64_t)sums.messages,
        .bytes = (int64_t)sums.bytes,
    };
}

static void add_spread(struct taskpool_spread *sum, const struct taskpool_spread *next)
{
    sum->mean += next->mean;
    sum->sd = hypot(sum->sd, next->sd);
}

void statistics_add(struct taskpool_iteration *sum, const struct taskpool_iteration *next)
{
    sum->n_workers = next->n_workers;
    sum->tasks += next->tasks;
    sum->makespan_s += next->makespan_s;
    sum->task_s += next->task_s;
    sum->idle_s += next->idle_s;
    sum->search_s += next->search_s;
    sum->scheduler_s += next->scheduler_s;
    sum->communication_s += next->communication_s;
    sum->balance_s += next->balance_s;
    sum->load_mean += next->load_mean;
    sum->load_max += next->load_max;
    sum->tasks_moved += next->tasks_moved;
    sum->messages += next->messages;
    sum->bytes += next->bytes;
    sum->choice = next->choice;
    add_spread(&sum->steals_attempted, &next->steals_attempted);
    add_spread(&sum->steals_successful, &next->steals_successful);
    double capacity_s = (double)sum->n_workers * sum->makespan_s;
    sum->imbalance = imbalance_of(sum->load_max, sum->load_mean);
    sum->efficiency = capacity_s > 0 ? sum->task_s / capacity_s : 1;
}
