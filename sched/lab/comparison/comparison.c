/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/comparison/comparison.h"

#include "support/base/array.h"
#include "support/base/random.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void comparison_fini(struct comparison *comparison)
{
    for (int m = 0; m < comparison->n; m++)
        free(comparison->modes[m].round_s);
    *comparison = (struct comparison){0};
}

/* --- modes --- */

static bool names_mode(const struct comparison_mode *mode, const char *name)
{
    size_t length = strlen(name);
    return strncmp(mode->name, name, length) == 0 &&
           (mode->name[length] == '\0' || mode->name[length] == '#');
}

void comparison_add(struct comparison *comparison, const char *name)
{
    assert(comparison->n < COMPARISON_MODES_MAX);
    int n_earlier = 0;
    for (int m = 0; m < comparison->n; m++)
        n_earlier += names_mode(&comparison->modes[m], name);
    struct comparison_mode *mode = &comparison->modes[comparison->n++];
    *mode = (struct comparison_mode){.copy = n_earlier};
    if (n_earlier == 0)
        snprintf(mode->name, sizeof mode->name, "%.64s", name);
    else
        snprintf(mode->name, sizeof mode->name, "%.64s#%d", name, n_earlier + 1);
}

/* --- rounds --- */

void comparison_draw_order(const struct comparison *comparison, int64_t round, int *positions)
{
    for (int m = 0; m < comparison->n; m++)
        positions[m] = m;
    if (comparison->simulated)
        return;
    /* The mixed seed separates this stream from the streams of the modes' choices. */
    struct random_stream random;
    random_stream_init(&random, random_mix((uint64_t)comparison->seed), (uint64_t)round);
    for (int m = comparison->n - 1; m > 0; m--) {
        int other = (int)random_below(&random, (uint64_t)m + 1), position = positions[m];
        positions[m] = positions[other];
        positions[other] = position;
    }
}

int64_t comparison_run_seed(const struct comparison *comparison, int position, int64_t round)
{
    int64_t copy = comparison->modes[position].copy;
    return comparison->seed + round + copy * COMPARISON_ROUNDS_MAX;
}

void comparison_begin(struct comparison *comparison, int position)
{
    struct comparison_mode *begun = &comparison->modes[position];
    begun->n_iterations = 0;
    begun->counted_s = 0;
}

void comparison_note(struct comparison *comparison, int position, double seconds)
{
    struct comparison_mode *mode = &comparison->modes[position];
    mode->last_s = seconds;
    mode->counted_s += mode->n_iterations++ < COMPARISON_FIRST_COUNTED ? 0 : mode->last_s;
}

enum status comparison_end(struct comparison *comparison, int position)
{
    struct comparison_mode *mode = &comparison->modes[position];
    int64_t n_counted = mode->n_iterations - COMPARISON_FIRST_COUNTED;
    assert(mode->n_iterations > 0);
    double *round_s = realloc(mode->round_s, (size_t)(mode->n_rounds + 1) * sizeof *round_s);
    TRY(CHECK_MEMORY(round_s, "no memory for %lld rounds", (long long)mode->n_rounds + 1));
    mode->round_s = round_s;
    round_s[mode->n_rounds++] = n_counted > 0 ? mode->counted_s / (double)n_counted : mode->last_s;
    return STATUS_OK;
}

bool comparison_has_rounds(const struct comparison *comparison)
{
    for (int m = 1; m < comparison->n; m++)
        if (comparison->modes[m].n_rounds != comparison->modes[0].n_rounds)
            return false;
    return comparison->n > 0 && comparison->modes[0].n_rounds > 1;
}

int64_t comparison_rounds_needed(int n_modes)
{
    double level = (1 - COMPARISON_CONFIDENCE) / (n_modes > 1 ? n_modes - 1 : 1);
    return (int64_t)ceil(1 + log2(1 / level));
}

/* --- analysis --- */

static enum status summarise_mode(struct comparison_mode *mode, double *sorted, uint64_t seed)
{
    memcpy(sorted, mode->round_s, (size_t)mode->n_rounds * sizeof *sorted);
    numbers_sort(sorted, mode->n_rounds);
    mode->first_quartile_s = numbers_quantile(sorted, mode->n_rounds, 0.25);
    mode->third_quartile_s = numbers_quantile(sorted, mode->n_rounds, 0.75);
    return bootstrap_centre(mode->round_s, mode->n_rounds, CENTRE_MEDIAN, COMPARISON_CONFIDENCE,
                            seed, &mode->median_s);
}

/* Ratios multiply: their logarithms are what is symmetric between two equal modes. */
static void find_log_ratios(const struct comparison_mode *mode, const struct comparison_mode *first,
                            double *log_ratios)
{
    for (int64_t i = 0; i < mode->n_rounds; i++)
        log_ratios[i] = log(comparison_ratio(mode->round_s[i], first->round_s[i]));
}

static enum status estimate_ratio(struct comparison_mode *mode, const double *log_ratios,
                                  uint64_t seed)
{
    struct interval logarithm;
    TRY(bootstrap_centre(log_ratios, mode->n_rounds, CENTRE_OF_PAIRS, mode->ratio_confidence, seed,
                         &logarithm));
    mode->ratio = (struct interval){
        .value = exp(logarithm.value), .low = exp(logarithm.low), .high = exp(logarithm.high)};
    return STATUS_OK;
}

/* Both the test and the interval have to say so. */
static enum comparison_verdict judge_mode(const struct comparison_mode *mode)
{
    if (mode->adjusted_p > 1 - COMPARISON_CONFIDENCE)
        return COMPARISON_NOT_DISTINGUISHABLE;
    return mode->ratio.high < 1  ? COMPARISON_FASTER
           : mode->ratio.low > 1 ? COMPARISON_SLOWER
                                 : COMPARISON_NOT_DISTINGUISHABLE;
}

static enum status test_modes(struct comparison *comparison, double *log_ratios)
{
    const struct comparison_mode *first = &comparison->modes[0];
    int n_tests = comparison->n - 1, rank[COMPARISON_MODES_MAX];
    double p[COMPARISON_MODES_MAX], adjusted_p[COMPARISON_MODES_MAX];
    for (int t = 0; t < n_tests; t++) {
        find_log_ratios(&comparison->modes[t + 1], first, log_ratios);
        TRY(signed_rank_test(log_ratios, first->n_rounds, &p[t]));
    }
    holm_adjust(p, n_tests, adjusted_p, rank);
    for (int t = 0; t < n_tests; t++) {
        struct comparison_mode *mode = &comparison->modes[t + 1];
        mode->p = p[t];
        mode->adjusted_p = adjusted_p[t];
        mode->ratio_confidence = 1 - (1 - COMPARISON_CONFIDENCE) / (n_tests - rank[t]);
    }
    return STATUS_OK;
}

static enum status analyse_with_buffer(struct comparison *comparison, double *buffer)
{
    uint64_t seed = (uint64_t)comparison->seed; /* of the bootstrap */
    struct comparison_mode *first = &comparison->modes[0];
    for (int m = 0; m < comparison->n; m++)
        TRY(summarise_mode(&comparison->modes[m], buffer, seed));
    first->ratio = (struct interval){1, 1, 1};
    first->ratio_confidence = first->p = first->adjusted_p = 1;
    TRY(test_modes(comparison, buffer));
    for (int m = 1; m < comparison->n; m++) {
        struct comparison_mode *mode = &comparison->modes[m];
        find_log_ratios(mode, first, buffer);
        TRY(estimate_ratio(mode, buffer, seed));
        mode->verdict = judge_mode(mode);
    }
    return STATUS_OK;
}

enum status comparison_analyse(struct comparison *comparison)
{
    assert(comparison_has_rounds(comparison));
    int64_t n_rounds = comparison->modes[0].n_rounds;
    double *buffer = malloc((size_t)n_rounds * sizeof *buffer);
    TRY(CHECK_MEMORY(buffer, "no memory to compare %lld rounds", (long long)n_rounds));
    enum status status = analyse_with_buffer(comparison, buffer);
    comparison->analysed = status == STATUS_OK;
    free(buffer);
    return status;
}

double comparison_ratio(double seconds, double to_seconds)
{
    const double shortest_s = 1e-12;
    return fmax(seconds, shortest_s) / fmax(to_seconds, shortest_s);
}

const char *comparison_verdict_words(enum comparison_verdict verdict)
{
    static const char *const words[] = {"not distinguishable", "faster", "slower"};
    return words[verdict];
}

void comparison_print(const struct comparison *comparison, comparison_print_line *print, void *to)
{
    char line[160];
    snprintf(line, sizeof line, "%-12s %11s %11s %11s %6.0f %% from %11s", "mode", "median/s",
             "quartiles", "", 100 * COMPARISON_CONFIDENCE, "to");
    print(line, to);
    for (int m = 0; m < comparison->n; m++) {
        const struct comparison_mode *mode = &comparison->modes[m];
        snprintf(line, sizeof line, "%-12s %11.6g %11.6g %11.6g %13.6g %11.6g", mode->name,
                 mode->median_s.value, mode->first_quartile_s, mode->third_quartile_s,
                 mode->median_s.low, mode->median_s.high);
        print(line, to);
    }
    print("", to);
    snprintf(line, sizeof line, "%-12s %10s %10s %10s %9s   %s", "mode", "ratio", "from", "to", "p",
             "verdict");
    print(line, to);
    for (int m = 0; m < comparison->n; m++) {
        const struct comparison_mode *mode = &comparison->modes[m];
        snprintf(line, sizeof line, "%-12s %#10.5g %#10.5g %#10.5g %9.3g%s%s", mode->name,
                 mode->ratio.value, mode->ratio.low, mode->ratio.high, mode->adjusted_p,
                 m == 0 ? "" : "   ", m == 0 ? "" : comparison_verdict_words(mode->verdict));
        print(line, to);
    }
}

void comparison_print_rounds(const struct comparison *comparison, int64_t n_rounds,
                             comparison_print_line *print, void *to)
{
    char line[160];
    int64_t n_needed = comparison_rounds_needed(comparison->n);
    snprintf(line, sizeof line,
             "Rounds     %lld: %s to tell %d modes apart, which takes %lld or more",
             (long long)n_rounds, n_rounds < n_needed ? "too few" : "enough", comparison->n,
             (long long)n_needed);
    if (comparison->n > 1)
        print(line, to);
    if (comparison->oversubscribed)
        print("Oversubscribed: with more processes than cores, times also depend on the operating "
              "system",
              to);
}
