/* SPDX-License-Identifier: BSD-3-Clause */
/* Quantiles, rank tests, Holm's correction and bootstrap intervals have the values that are known
 * of them from elsewhere. */
#include "sched/lab/comparison/rank_statistics.h"
#include "support/base/array.h"
#include "tests/check.h"

TEST(quantiles)
{
    double numbers[] = {4, 1, 3, 2};
    numbers_sort(numbers, 4);
    check_close(numbers[0], 1, 0);
    check_close(numbers[3], 4, 0);
    check_close(numbers_quantile(numbers, 4, 0), 1, 0);
    check_close(numbers_quantile(numbers, 4, 0.25), 1.75, 1e-15);
    check_close(numbers_quantile(numbers, 4, 0.5), 2.5, 1e-15);
    check_close(numbers_quantile(numbers, 4, 1), 4, 0);
    check_close(numbers_quantile(numbers, 1, 0.3), 1, 0);
}

/* Depression scales of nine patients before and after a tranquilizer: Hollander & Wolfe (1999),
 * example 3.1, with T = 5 and p = 0.0195 on one side (wilcox.test of R has them as its example);
 * their estimate of the shift is -0.46. */
static const double scales[] = {0.878 - 1.83, 0.647 - 0.50, 0.598 - 1.62, 2.05 - 2.48, 1.06 - 1.68,
                                1.29 - 1.88,  1.06 - 1.55,  3.14 - 3.06,  1.29 - 1.30};

/* Heights of 15 pairs of maize plants, an eighth of an inch, crossed less self-fertilised: Darwin
 * (1876), in Fisher, The Design of Experiments (1935). The sum of negative ranks is 24; 1352/2 of
 * 2^15 sign patterns have at most that. */
static const double maize[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};

TEST(signed_ranks)
{
    const struct {
        const double *numbers;
        int n;
        double p, tolerance;
    } rows[] = {
        {scales, 9, 0.0390625, 1e-12},
        {maize, 15, 0.04126, 5e-6},
        {(double[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10, 2.0 / 1024, 1e-15},
        {(double[]){0, 0, 0}, 3, 1, 0},
        /* Ranks 1.5, 1.5, 3: of 8 signs one has a sum of 0 and two have 1.5. */
        {(double[]){-1, 1, 2}, 3, 2 * 3.0 / 8, 1e-15},
        {(double[]){1, 1, 0, 1, 1}, 5, 2.0 / 16, 1e-15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double p;
        check_ok(signed_rank_test(rows[i].numbers, rows[i].n, &p));
        check_close(p, rows[i].p, rows[i].tolerance);
    }
}

/* p.adjust of R, method "holm". */
TEST(holm)
{
    const double p[] = {0.01, 0.04, 0.03, 0.005}, expected[] = {0.03, 0.06, 0.06, 0.02};
    const int ranks[] = {1, 3, 2, 0};
    double adjusted[4];
    int rank[4];
    holm_adjust(p, 4, adjusted, rank);
    for (int i = 0; i < 4; i++) {
        check_close(adjusted[i], expected[i], 1e-15);
        assert_int_equal(rank[i], ranks[i]);
    }
    holm_adjust((double[]){0.5, 0.5}, 2, adjusted, rank);
    assert_true(adjusted[0] == 1 && adjusted[1] == 1);
}

/* Survival of seven mice: Efron & Tibshirani (1993), table 2.1. A resample's median is the number
 * of rank k or a lower one with the probability that 4 of 7 draws are: 0.0102 for k = 1, 0.108
 * for k = 2. */
TEST(interval_of_a_median)
{
    const double mice[] = {94, 197, 16, 38, 99, 141, 23};
    struct interval interval;
    check_ok(bootstrap_centre(mice, 7, CENTRE_MEDIAN, 0.95, 1, &interval));
    check_close(interval.value, 94, 0);
    check_close(interval.low, 23, 0);
    check_close(interval.high, 141, 0);
    check_ok(bootstrap_centre(mice, 7, CENTRE_MEDIAN, 0.99, 2, &interval));
    check_close(interval.low, 16, 0);
    check_close(interval.high, 197, 0);
    check_ok(bootstrap_centre(mice, 6, CENTRE_MEDIAN, 0.9, 1, &interval));
    check_close(interval.value, (94 + 99) / 2.0, 0);
}

/* Among 27 resamples of 0, 1, 3 one has the centre 0, three 0.25 (0, 0, 1: means 0 0 0 0.5 0.5 1);
 * with these the quantile of 0.1 is 0.25. */
TEST(interval_of_pairs)
{
    struct interval interval, again;
    check_ok(bootstrap_centre(scales, 9, CENTRE_OF_PAIRS, 0.98, 1, &interval));
    check_close(interval.value, -0.46, 1e-12);
    assert_true(interval.low < -0.46 && -0.46 < interval.high);
    check_ok(bootstrap_centre(scales, 9, CENTRE_OF_PAIRS, 0.98, 1, &again));
    assert_true(interval.low == again.low && interval.high == again.high);
    const double three[] = {1, 3, 0};
    check_ok(bootstrap_centre(three, 3, CENTRE_OF_PAIRS, 0.8, 1, &interval));
    check_close(interval.value, 1.25, 1e-15);
    check_close(interval.low, 0.25, 1e-15);
    const double one[] = {5};
    check_ok(bootstrap_centre(one, 1, CENTRE_OF_PAIRS, 0.8, 1, &interval));
    assert_true(interval.value == 5 && interval.low == 5 && interval.high == 5);
}
