/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison of scheduling modes by rounds (B A C, A C B, ...): the seconds of each mode in each
 * round, and what they are evidence of. Modes are compared within a round, so that a machine which
 * becomes slower from round to round changes no ratio. Real rounds run the modes in random orders,
 * so that one which becomes slower within a round favours no mode. Not collective.
 *
 * A round gives one number for a mode: the mean seconds of the iterations that count. These are all
 * from the third on, because before it modes that learn from iterations know little and caches are
 * cold; of less than three iterations the last one.
 *
 * Tests have a family-wise level of 2 % over all ratios: modes that do not differ are called
 * different in 2 of 100 comparisons at most. Intervals are bootstrap percentiles at 98 %, for
 * ratios at Holm's level. Intervals from few rounds are too short: with normally distributed ratios
 * they hold the true ratio in 52 of 100 cases for 2 rounds, in 96 for 7 or 10, in 97 for 20. */
#pragma once

#include "sched/lab/comparison/rank_statistics.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

#define COMPARISON_CONFIDENCE 0.98
enum {
    COMPARISON_MODES_MAX = 64,
    COMPARISON_ROUNDS_MAX = 1000,
    COMPARISON_FIRST_COUNTED = 2 /* iteration, from 0 */
};

/* The row of --rounds (support/io/option_row.h). */
#define COMPARISON_ROUNDS_OPTION(field)                                                            \
    INTEGER_OPTION("rounds", field, 1, COMPARISON_ROUNDS_MAX, .default_text = "1", .value = "N",   \
                   .expert = true,                                                                 \
                   .help = "of --compare: real ones run all modes in a random order, simulated "   \
                           "ones have other seeds; two or more add significance tests")

/* Whether a mode takes other times than the first one. */
enum comparison_verdict {
    COMPARISON_NOT_DISTINGUISHABLE, /* also the first mode itself */
    COMPARISON_FASTER,
    COMPARISON_SLOWER
};

struct comparison_mode {
    char name[80]; /* of the mode; "auto#2" where it was named before */
    int copy;      /* how often it was named before */
    int64_t n_rounds;
    double *round_s; /* n_rounds: seconds of an iteration */

    /* Set by comparison_analyse. */
    struct interval median_s;
    double first_quartile_s, third_quartile_s;
    /* To the first mode, of the same round: the Hodges-Lehmann median, with an interval of
     * Holm's level for this mode; and p of the signed-rank test, as it is and adjusted by Holm.
     * All 1 for the first mode. */
    struct interval ratio;
    double ratio_confidence, p, adjusted_p;
    enum comparison_verdict verdict;

    /* The round at hand. */
    int64_t n_iterations;
    double counted_s, last_s; /* sum of the iterations that count; the last one */
};

/* Zero-initialised, but for the first members, is empty. */
struct comparison {
    /* Set by the caller before the first round. */
    int64_t seed;        /* of --seed */
    bool simulated;      /* time passes for one mode at a time: no order of theirs changes it */
    bool oversubscribed; /* there are more processes than cores */

    int n;
    bool analysed; /* the results are there */
    struct comparison_mode modes[COMPARISON_MODES_MAX];
};

void comparison_fini(struct comparison *comparison);

/* Adds a mode at position n < COMPARISON_MODES_MAX, before the first round. */
void comparison_add(struct comparison *comparison, const char *mode);

/* The order in which a round, from 0, runs the modes. Real rounds have a uniformly random order,
 * drawn from the seed and the round; simulated rounds go by position.
 * positions  n: out */
void comparison_draw_order(const struct comparison *comparison, int64_t round, int *positions);

/* Seed of the random choices that a mode makes in a round: comparison->seed + round, and
 * COMPARISON_ROUNDS_MAX more for each time that the mode was named before. */
int64_t comparison_run_seed(const struct comparison *comparison, int position, int64_t round);

/* Begins the next round of the mode at this position. */
void comparison_begin(struct comparison *comparison, int position);

/* Notes the seconds of the round's next iteration. */
void comparison_note(struct comparison *comparison, int position, double seconds);

/* Ends the round, of at least one iteration. Errors: STATUS_NO_MEMORY. */
enum status comparison_end(struct comparison *comparison, int position);

/* Whether there are several rounds, the same number under every mode. */
bool comparison_has_rounds(const struct comparison *comparison);

/* The fewest rounds in which differences of n_modes can be significant: with fewer none is, however
 * large. */
int64_t comparison_rounds_needed(int n_modes);

/* Fills the results of all modes; comparison_has_rounds must hold. Errors: STATUS_NO_MEMORY. */
enum status comparison_analyse(struct comparison *comparison);

/* The quotient of two times. Shorter times than 1e-12 s, as in a simulation without tasks, count as
 * 1e-12 s: the quotient is finite. */
double comparison_ratio(double seconds, double to_seconds);

/* "faster", "slower", "not distinguishable". */
const char *comparison_verdict_words(enum comparison_verdict verdict);

/* Prints a line, whose end is left to it. */
typedef void comparison_print_line(const char *line, void *to);

/* The tables of an analysed comparison: seconds of the modes, and their ratios to the first. */
void comparison_print(const struct comparison *comparison, comparison_print_line *print, void *to);

/* Prints whether so many rounds can tell the modes apart, where there are two, and whether the
 * comparison is oversubscribed. */
void comparison_print_rounds(const struct comparison *comparison, int64_t n_rounds,
                             comparison_print_line *print, void *to);
