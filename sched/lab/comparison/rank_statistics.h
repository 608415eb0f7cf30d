/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of order and rank, which the stalls of a busy machine change little: a rank
 * test of pairs, Holm's correction, bootstrap intervals. The numbers of a
 * sample are finite. */
#pragma once

#include "support/base/status.h"

#include <stdint.h>

/* An estimate and its confidence interval. */
struct interval {
    double value, low, high;
};

/* Wilcoxon's signed-rank test that n differences of pairs are symmetric about zero: the two-sided
 * p, exact for any n, equal differences included. Differences of zero are left out; 1 if all are.
 * The smallest p is 2 / 2^n.
 * Errors: STATUS_NO_MEMORY. Source: Hollander & Wolfe, Nonparametric Statistical Methods (1999),
 * section 3.1. */
enum status signed_rank_test(const double *differences, int64_t n, double *p);

/* Adjusts the p of n tests so that with those <= level rejected, any true hypothesis is among
 * them with that probability at most.
 * rank  out, n: place of each p in ascending order, from 0
 * Source: Holm, Scand. J. Stat. 6 (1979) 65. */
void holm_adjust(const double *p, int n, double *adjusted, int *rank);

/* The centre of a sample: its median, or the median of the means of all its pairs (Hodges-Lehmann),
 * each number with itself included, which for few numbers varies less. */
enum sample_centre { CENTRE_MEDIAN, CENTRE_OF_PAIRS };

/* The centre of n >= 1 numbers and its bootstrap interval by percentiles of 10,000 resamples, which
 * the seed determines. Takes 10,000 n^2 / 4 steps for CENTRE_OF_PAIRS.
 * confidence  in (0, 1)
 * Errors: STATUS_NO_MEMORY. Source: Efron & Tibshirani, An Introduction to the Bootstrap (1993),
 * section 13.3. */
enum status bootstrap_centre(const double *numbers, int64_t n, enum sample_centre centre,
                             double confidence, uint64_t seed, struct interval *interval);
