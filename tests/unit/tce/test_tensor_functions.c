/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that fill tensors are identical on every machine and in every version, for comparisons
 * with older results. */
#include "tce/tensor/tensor_functions.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static double element(const char *name, int n_arguments, double argument, int rank,
                      const int64_t value[])
{
    struct tensor_function function;
    check_ok(tensor_function_find(name, n_arguments, &argument, rank, &function));
    return function.element(value, &function);
}

/* Computed from the published finaliser of SplitMix64 by another program. */
TEST(random_numbers_never_change)
{
    static const struct {
        double seed;
        int rank;
        int64_t value[4];
        double expected;
    } cases[] = {
        {1, 0, {0}, 0.7257122977221173},
        {1, 1, {0}, -0.1345101448145576},
        {1, 1, {1}, -0.737138589753412},
        {1, 2, {0, 0}, -0.21790644567304085},
        {1, 2, {0, 1}, -0.24570576516836895},
        {1, 2, {1, 0}, -0.5720451622441127},
        {2, 2, {0, 0}, -0.028814195425370226},
        {-3, 3, {5, 7, 11}, 0.1835614021011882},
        {1, 4, {123456789012, 3, 4, 5}, 0.8470145211666793},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_close(element("random", 1, cases[i].seed, cases[i].rank, cases[i].value),
                    cases[i].expected, 0);
    /* Unless given the seed is 1. */
    check_close(element("random", 0, 0, 1, cases[2].value), cases[2].expected, 0);
}

/* In [-1, 1), about as often in each quarter, and without a relation of neighbours. */
TEST(random_numbers_are_spread)
{
    enum { N = 40000 };
    int n_in[4] = {0};
    double sum = 0, product = 0, before = 0;
    for (int64_t i = 0; i < N; i++) {
        double x = element("random", 0, 0, 2, (int64_t[]){i / 200, i % 200});
        assert_true(x >= -1 && x < 1);
        n_in[(int)(2 * (x + 1))]++;
        sum += x;
        product += x * before;
        before = x;
    }
    for (int q = 0; q < 4; q++)
        assert_true(abs(n_in[q] - N / 4) < 500);
    assert_true(fabs(sum) < 600 && fabs(product) < 400);
}

TEST(waves_constants_and_deltas_have_their_values)
{
    const int64_t value[] = {2, 3, 5}, equal[] = {4, 4, 4}, nearly[] = {4, 4, 5};
    check_close(element("wave", 1, 0.3, 3, value), cos(0.3 + (1.0 * 2 + 1.25 * 3 + 1.5 * 5) / 3),
                1e-15);
    check_close(element("wave", 0, 0, 3, value), cos((1.0 * 2 + 1.25 * 3 + 1.5 * 5) / 3), 1e-15);
    check_close(element("wave", 0, 0, 0, NULL), 1, 0);
    check_close(element("constant", 1, -2.5, 3, value), -2.5, 0);
    check_close(element("constant", 0, 0, 3, value), 1, 0);
    check_close(element("delta", 0, 0, 3, equal), 1, 0);
    check_close(element("delta", 0, 0, 3, nearly), 0, 0);
    check_close(element("delta", 0, 0, 2, value), 0, 0);
    check_close(element("delta", 0, 0, 1, value), 1, 0);
    check_close(element("delta", 0, 0, 0, NULL), 1, 0);
}

static void refuse(const char *name, int n_arguments, const char *text)
{
    struct tensor_function function;
    const double arguments[3] = {1, 2, 3};
    check_status(STATUS_INPUT, tensor_function_find(name, n_arguments, arguments, 2, &function));
    if (!strstr(status_text(), text))
        fail_msg("'%s' does not say '%s'", status_text(), text);
}

TEST(seeds_are_whole_numbers)
{
    static const double seeds[] = {0.5, 1e300, -0x1p60, 1 - 1e-10};
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        struct tensor_function function;
        check_status(STATUS_INPUT, tensor_function_find("random", 1, &seeds[i], 2, &function));
        check_ok(tensor_function_find("wave", 1, &seeds[i], 2, &function));
    }
}

TEST(other_functions_are_refused)
{
    refuse("wiggle", 0, "there is no function wiggle");
    refuse("wiggle", 0, "random, wave, constant and delta");
    refuse("integrals", 0, "stand for quantities of a molecule");
    refuse("Wave", 0, "there is no function Wave");
    refuse("wav", 0, "there is no function wav");
    refuse("waves", 0, "there is no function waves");
    refuse("random", 2, "random takes 1 argument, not 2");
    refuse("constant", 3, "constant takes 1 argument, not 3");
    refuse("delta", 1, "delta takes 0 arguments, not 1");
}
