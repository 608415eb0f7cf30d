/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/comparison/rank_statistics.h"

#include "support/base/array.h"
#include "support/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { N_RESAMPLES = 10000 };

/* --- tests --- */

/* A number and its rank, doubled so that the mean rank of two equal numbers is whole. */
struct ranked {
    double number; /* that is ranked; first */
    int64_t doubled_rank;
    bool is_marked; /* positive, or of the left sample */
};

/* Sorts, and ranks from 1; equal numbers get the mean of their ranks. Returns the sum of the
 * doubled ranks that are marked. */
static int64_t rank_numbers(struct ranked *ranked, int64_t n)
{
    int64_t sum = 0;
    qsort(ranked, (size_t)n, sizeof *ranked, array_ascending_reals);
    for (int64_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && ranked[last].number == ranked[first].number; last++)
            ;
        for (int64_t i = first; i < last; i++) {
            ranked[i].doubled_rank = first + 1 + last;
            sum += ranked[i].is_marked ? ranked[i].doubled_rank : 0;
        }
    }
    return sum;
}

/* probability: room for n (n + 1) + 1; each mark is a coin's */
static double sum_over_signs(const struct ranked *ranked, int64_t n, int64_t marked,
                             double *probability)
{
    int64_t total = n * (n + 1), reached = 0;
    int64_t smaller = marked < total - marked ? marked : total - marked;
    double p = 0;
    for (int64_t s = 0; s <= total; s++)
        probability[s] = s == 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t rank = ranked[i].doubled_rank;
        reached += rank;
        for (int64_t s = reached; s >= 0; s--)
            probability[s] = (probability[s] + (s >= rank ? probability[s - rank] : 0)) / 2;
    }
    for (int64_t s = 0; s <= smaller; s++)
        p += probability[s];
    return fmin(1, 2 * p);
}

enum status signed_rank_test(const double *differences, int64_t n, double *p)
{
    struct ranked *ranked = malloc((size_t)(n + 1) * sizeof *ranked);
    double *probability = malloc((size_t)(n * (n + 1) + 1) * sizeof *probability);
    enum status status =
        CHECK_MEMORY(ranked && probability, "no memory for the test of %lld pairs", (long long)n);
    if (status != STATUS_OK)
        goto done;
    int64_t n_ranked = 0;
    for (int64_t i = 0; i < n; i++)
        if (differences[i] != 0)
            ranked[n_ranked++] =
                (struct ranked){.number = fabs(differences[i]), .is_marked = differences[i] > 0};
    *p = sum_over_signs(ranked, n_ranked, rank_numbers(ranked, n_ranked), probability);
done:
    free(ranked);
    free(probability);
    return status;
}

void holm_adjust(const double *p, int n, double *adjusted, int *rank)
{
    for (int i = 0; i < n; i++) {
        rank[i] = 0;
        for (int j = 0; j < n; j++)
            rank[i] += p[j] < p[i] || (p[j] == p[i] && j < i);
    }
    /* No p is adjusted to less than a smaller one is. */
    for (int i = 0; i < n; i++) {
        adjusted[i] = 0;
        for (int j = 0; j < n; j++)
            if (rank[j] <= rank[i])
                adjusted[i] = fmax(adjusted[i], fmin(1, (n - rank[j]) * p[j]));
    }
}

/* --- bootstrap --- */

/* The mean of two numbers of a sample, or one of them. */
struct pair_mean {
    double value;          /* first */
    int64_t first, second; /* the same: the number itself */
};

/* Buffers of a bootstrap. */
struct bootstrap {
    int64_t n, n_means;
    enum sample_centre centre;
    struct pair_mean *means; /* ascending */
    int64_t *counts;         /* n: how often each number is in the resample */
    double *centres;         /* N_RESAMPLES */
};

static void fill_pair_means(const double *numbers, struct bootstrap *bootstrap)
{
    bool pairs = bootstrap->centre == CENTRE_OF_PAIRS;
    for (int64_t i = 0; i < bootstrap->n; i++)
        for (int64_t j = i; j < (pairs ? bootstrap->n : i + 1); j++)
            bootstrap->means[bootstrap->n_means++] = (struct pair_mean){
                .value = numbers[i] + (numbers[j] - numbers[i]) / 2, .first = i, .second = j};
    qsort(bootstrap->means, (size_t)bootstrap->n_means, sizeof *bootstrap->means,
          array_ascending_reals);
}

/* Number of times that a mean occurs in the resample. */
static int64_t count_pair_mean(const struct bootstrap *bootstrap, const struct pair_mean *mean)
{
    int64_t count = bootstrap->counts[mean->first];
    if (bootstrap->centre == CENTRE_MEDIAN)
        return count;
    return mean->first == mean->second ? count * (count + 1) / 2
                                       : count * bootstrap->counts[mean->second];
}

/* The median of the means of a resample. */
static double find_centre(const struct bootstrap *bootstrap)
{
    int64_t n = bootstrap->n, below = 0, k = 0;
    int64_t total = bootstrap->centre == CENTRE_MEDIAN ? n : n * (n + 1) / 2;
    for (; 2 * below < total; k++)
        below += count_pair_mean(bootstrap, &bootstrap->means[k]);
    double value = bootstrap->means[k - 1].value;
    if (2 * below > total)
        return value;
    while (count_pair_mean(bootstrap, &bootstrap->means[k]) == 0)
        k++;
    return value + (bootstrap->means[k].value - value) / 2;
}

static void draw_resample(struct bootstrap *bootstrap, struct random_stream *random)
{
    for (int64_t i = 0; i < bootstrap->n; i++)
        bootstrap->counts[i] = 0;
    for (int64_t i = 0; i < bootstrap->n; i++)
        bootstrap->counts[random_below(random, (uint64_t)bootstrap->n)]++;
}

static void estimate_centre(struct bootstrap *bootstrap, double confidence, uint64_t seed,
                            struct interval *interval)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    for (int64_t i = 0; i < bootstrap->n; i++)
        bootstrap->counts[i] = 1;
    interval->value = find_centre(bootstrap);
    for (int64_t i = 0; i < N_RESAMPLES; i++) {
        draw_resample(bootstrap, &random);
        bootstrap->centres[i] = find_centre(bootstrap);
    }
    numbers_sort(bootstrap->centres, N_RESAMPLES);
    interval->low = numbers_quantile(bootstrap->centres, N_RESAMPLES, (1 - confidence) / 2);
    interval->high = numbers_quantile(bootstrap->centres, N_RESAMPLES, (1 + confidence) / 2);
}

enum status bootstrap_centre(const double *numbers, int64_t n, enum sample_centre centre,
                             double confidence, uint64_t seed, struct interval *interval)
{
    size_t most = (size_t)(centre == CENTRE_MEDIAN ? n : n * (n + 1) / 2);
    struct bootstrap bootstrap = {.n = n,
                                  .centre = centre,
                                  .means = malloc(most * sizeof *bootstrap.means),
                                  .counts = malloc((size_t)n * sizeof *bootstrap.counts),
                                  .centres = malloc(N_RESAMPLES * sizeof *bootstrap.centres)};
    enum status status = CHECK_MEMORY(bootstrap.means && bootstrap.counts && bootstrap.centres,
                                      "no memory for the interval of %lld numbers", (long long)n);
    if (status != STATUS_OK)
        goto done;
    fill_pair_means(numbers, &bootstrap);
    estimate_centre(&bootstrap, confidence, seed, interval);
done:
    free(bootstrap.means);
    free(bootstrap.counts);
    free(bootstrap.centres);
    return status;
}
