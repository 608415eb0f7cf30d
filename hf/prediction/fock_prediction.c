/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/prediction/fock_prediction.h"

#include "basis/quartets/kept_quartets.h"
#include "hf/prediction/sample_run.h"
#include "hf/prediction/tile_samples.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs of a class as measured in the sample, whichever of its pairs the engines take for the bra. */
static struct class_cost measured_cost(const struct class_costs *costs, int t, int u)
{
    struct class_cost cost = costs->of[t * costs->n_pair_types + u];
    if (t == u)
        return cost;
    const struct class_cost *other = &costs->of[u * costs->n_pair_types + t];
    cost.quartets += other->quartets;
    cost.primitives += other->primitives;
    cost.selection_s += other->selection_s;
    cost.integral_s += other->integral_s;
    cost.digestion_s += other->digestion_s;
    return cost;
}

/* Computing follows the primitive quartets, all else the quartets. */
static double scale_cost(const struct class_cost *cost, const struct class_count *count)
{
    return cost->integral_s * count->primitives / cost->primitives +
           (cost->selection_s + cost->digestion_s) * count->quartets / cost->quartets;
}

/* Seconds of classes with a sample, and their reference: seconds of another pass, or work in any unit. */
struct cost_sums {
    double seconds, reference;
};

static void add_class(double seconds, double reference, struct cost_sums *sums)
{
    sums->seconds += seconds;
    sums->reference += reference;
}

static double ratio_of(const struct cost_sums *sums, double otherwise)
{
    return sums->reference > 0 ? sums->seconds / sums->reference : otherwise;
}

/* Sums over the classes with a sample that have a pair of each type, and over all, number n_pair_types. */
static void sum_sampled(const struct class_counts *counts, const double *class_s,
                        const double *reference, struct cost_sums *sums)
{
    int n = counts->n_pair_types;
    memset(sums, 0, ((size_t)n + 1) * sizeof *sums);
    for (int class = 0; class < n * n; class ++) {
        int t = class / n, u = class % n;
        if (class_s[class] < 0)
            continue;
        add_class(class_s[class], reference[class], &sums[n]);
        add_class(class_s[class], reference[class], &sums[t]);
        if (u != t)
            add_class(class_s[class], reference[class], &sums[u]);
    }
}

/* Sets the seconds of classes from the costs of a pass; returns their sum. A class without a sample costs
 * more or less than its reference by as much as the classes that have its pairs: its ratio is to that of all
 * as the product of those of its two types. sums: scratch, n_pair_types + 1. */
static double predict_classes(const struct class_counts *counts, const struct class_costs *costs,
                              const double *reference, struct cost_sums *sums,
                              struct build_time *time)
{
    int n = counts->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        struct class_cost cost = measured_cost(costs, class / n, class % n);
        bool is_sampled = counts->of[class].quartets > 0 && cost.quartets > 0;
        time->class_s[class] = is_sampled ? scale_cost(&cost, &counts->of[class]) : -1;
    }
    sum_sampled(counts, time->class_s, reference, sums);
    double total = 0, all = ratio_of(&sums[n], 0);
    for (int class = 0; class < n * n; class ++) {
        double of_types = ratio_of(&sums[class / n], all) * ratio_of(&sums[class % n], all);
        if (time->class_s[class] < 0)
            time->class_s[class] = all > 0 ? reference[class] * of_types / all : 0;
        total += time->class_s[class];
    }
    return total;
}

static void set_work(const struct class_counts *counts, double *work)
{
    for (int t = 0; t < counts->n_pair_types; t++)
        for (int u = 0; u <= t; u++)
            work[t * counts->n_pair_types + u] = tile_samples_work(counts, t, u);
}

static void predict_times(struct fock_prediction *prediction, const struct sample_costs *costs,
                          const double *work, struct cost_sums *sums, double n_tile_quartets,
                          int n_processes)
{
    struct build_time *times[] = {&prediction->direct, &prediction->fill, &prediction->read};
    const double *reference = work;
    for (int pass = 0; pass < SAMPLE_PASSES; pass++) {
        int measured = costs->costs[pass] ? pass : SAMPLE_DIRECT;
        double total_s = predict_classes(prediction->counts, costs->costs[measured], reference,
                                         sums, times[pass]) +
                         n_tile_quartets * costs->tiles_s[measured];
        times[pass]->seconds = fmax(total_s / n_processes, costs->longest_s[measured]);
        if (pass == SAMPLE_DIRECT)
            reference = prediction->direct.class_s;
    }
}

static double sum_integrals(const struct class_counts *counts)
{
    double sum = 0;
    for (int t = 0; t < counts->n_pair_types; t++)
        for (int u = 0; u <= t; u++)
            sum += counts->of[t * counts->n_pair_types + u].quartets *
                   class_counts_n_integrals(counts, t, u);
    return sum;
}

/* Those of quartets that are kept in this width or a wider one. Collective. */
static enum status count_integrals_of(const struct predicted_build *build, enum kept_width width,
                                      double *n)
{
    struct class_counts *counts;
    struct screening screening = *build->screening;
    screening.threshold = fmax(screening.threshold, kept_least_bound(screening.unit, width));
    TRY(class_counts_create(&screening, (enum fock_symmetry)build->settings->symmetry,
                            build->symmetry, build->comm, &counts));
    *n = sum_integrals(counts);
    class_counts_destroy(counts);
    return STATUS_OK;
}

/* Sets the fraction of all integrals that fits into what the processes keep (kept_quartets.h).
 * Collective. */
static enum status find_kept_fraction(struct fock_prediction *prediction,
                                      const struct predicted_build *build, int n_processes)
{
    double room = (double)build->settings->kept_bytes * n_processes;
    double n_double, n_int32;
    TRY(count_integrals_of(build, KEPT_DOUBLE, &n_double));
    TRY(count_integrals_of(build, KEPT_INT32, &n_int32));
    double n_int16 = sum_integrals(prediction->counts) - n_int32;
    double bytes = sizeof(double) * n_double + sizeof(int32_t) * (n_int32 - n_double) +
                   sizeof(int16_t) * n_int16;
    prediction->kept_fraction = fmin(1, room / fmax(1, bytes));
    return STATUS_OK;
}

static void sum_quartets(struct fock_prediction *prediction)
{
    const struct class_costs *costs = prediction->costs;
    int n = prediction->counts->n_pair_types;
    for (int class = 0; class < n * n; class ++) {
        prediction->quartets += prediction->counts->of[class].quartets;
        prediction->sampled_quartets += costs->of[class].quartets;
    }
}

static enum status time_samples(struct fock_prediction *prediction,
                                const struct predicted_build *build, struct sample_costs *costs)
{
    struct tile_sample *samples;
    int64_t n_samples;
    TRY(tile_samples_create(prediction->counts, build->comm, &samples, &n_samples));
    double start_s = clock_now_s();
    enum status status = sample_run(build, samples, n_samples, costs);
    prediction->sample_s = clock_now_s() - start_s;
    free(samples);
    return status;
}

static enum status create_times(struct fock_prediction *prediction, MPI_Comm comm, double **work,
                                struct cost_sums **sums)
{
    size_t n = (size_t)prediction->counts->n_pair_types;
    double **arrays[] = {&prediction->direct.class_s, &prediction->fill.class_s,
                         &prediction->read.class_s, work};
    for (int i = 0; i < 4; i++) {
        *arrays[i] = agree_calloc(comm, n * n * sizeof(double), "a prediction");
        if (!*arrays[i])
            return STATUS_NO_MEMORY;
    }
    set_work(prediction->counts, *work);
    *sums = agree_calloc(comm, (n + 1) * sizeof **sums, "a prediction");
    return *sums ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status predict_builds(struct fock_prediction *prediction,
                                  const struct predicted_build *build)
{
    int n_processes;
    double *work = NULL, n_tile_quartets;
    struct cost_sums *sums = NULL;
    struct sample_costs costs = {0};
    MPI_Comm_size(build->comm, &n_processes);
    enum fock_symmetry symmetry = (enum fock_symmetry)build->settings->symmetry;
    TRY(tile_samples_count(build->screening, symmetry, build->comm, &n_tile_quartets));
    TRY(class_counts_create(build->screening, symmetry, build->symmetry, build->comm,
                            &prediction->counts));
    enum status status = time_samples(prediction, build, &costs);
    if (status == STATUS_OK)
        status = create_times(prediction, build->comm, &work, &sums);
    if (status != STATUS_OK)
        goto done;
    predict_times(prediction, &costs, work, sums, n_tile_quartets, n_processes);
    prediction->costs = costs.costs[SAMPLE_DIRECT];
    costs.costs[SAMPLE_DIRECT] = NULL;
    sum_quartets(prediction);
    status = find_kept_fraction(prediction, build, n_processes);
done:
    free(work);
    free(sums);
    sample_costs_fini(&costs);
    return status;
}

enum status fock_prediction_create(const struct predicted_build *build,
                                   struct fock_prediction **prediction)
{
    struct fock_prediction *made = agree_calloc(build->comm, sizeof *made, "a prediction");
    *prediction = NULL;
    if (!made)
        return STATUS_NO_MEMORY;
    enum status status = predict_builds(made, build);
    if (status == STATUS_OK)
        *prediction = made;
    else
        fock_prediction_destroy(made);
    return status;
}

void fock_prediction_destroy(struct fock_prediction *prediction)
{
    if (!prediction)
        return;
    class_counts_destroy(prediction->counts);
    class_costs_destroy(prediction->costs);
    free(prediction->direct.class_s);
    free(prediction->fill.class_s);
    free(prediction->read.class_s);
    free(prediction);
}

static double kept_mean(const struct fock_prediction *prediction, double kept_s)
{
    double kept = prediction->kept_fraction;
    return kept * kept_s + (1 - kept) * prediction->direct.seconds;
}

double fock_prediction_first(const struct fock_prediction *prediction)
{
    return kept_mean(prediction, prediction->fill.seconds);
}

double fock_prediction_later(const struct fock_prediction *prediction)
{
    return kept_mean(prediction, prediction->read.seconds);
}
