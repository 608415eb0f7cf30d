/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that fill tensors are identical on every machine and in every version, for comparisons
 * with older results. */
#include "tce/tensor/tensor_functions.h"
#include "tests/cases/program_case.h"

static double element(const char *name, int n_arguments, double argument, int rank,
                      const int64_t value[])
{
    struct tensor_function function;
    check_ok(tensor_function_find(name, n_arguments, &argument, rank, &function));
    return function.element(value, &function);
}

/* Random ones: computed from the published finaliser of SplitMix64 by another program. */
TEST(functions_have_their_values)
{
    const struct {
        const char *name;
        int n_arguments;
        double argument;
        int rank;
        int64_t value[4];
        double expected;
    } cases[] = {
        {"random", 1, 1, 0, {0}, 0.7257122977221173},
        {"random", 1, 1, 1, {0}, -0.1345101448145576},
        {"random", 0, 0, 1, {1}, -0.737138589753412}, /* unless given the seed is 1 */
        {"random", 1, 1, 2, {0, 0}, -0.21790644567304085},
        {"random", 1, 1, 2, {0, 1}, -0.24570576516836895},
        {"random", 1, 1, 2, {1, 0}, -0.5720451622441127},
        {"random", 1, 2, 2, {0, 0}, -0.028814195425370226},
        {"random", 1, -3, 3, {5, 7, 11}, 0.1835614021011882},
        {"random", 1, 1, 4, {123456789012, 3, 4, 5}, 0.8470145211666793},
        {"wave", 1, 0.3, 3, {2, 3, 5}, cos(0.3 + (1.0 * 2 + 1.25 * 3 + 1.5 * 5) / 3)},
        {"wave", 0, 0, 3, {2, 3, 5}, cos((1.0 * 2 + 1.25 * 3 + 1.5 * 5) / 3)},
        {"wave", 0, 0, 0, {0}, 1},
        {"constant", 1, -2.5, 3, {2, 3, 5}, -2.5},
        {"constant", 0, 0, 3, {2, 3, 5}, 1},
        {"delta", 0, 0, 3, {4, 4, 4}, 1},
        {"delta", 0, 0, 3, {4, 4, 5}, 0},
        {"delta", 0, 0, 2, {2, 3}, 0},
        {"delta", 0, 0, 1, {2}, 1},
        {"delta", 0, 0, 0, {0}, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        check_close(element(cases[c].name, cases[c].n_arguments, cases[c].argument, cases[c].rank,
                            cases[c].value),
                    cases[c].expected, cases[c].name[0] == 'w' ? 1e-15 : 0);
}

TEST(other_functions_and_seeds_are_refused)
{
    static const struct {
        const char *name;
        int n_arguments;
        double argument;
        const char *message;
    } cases[] = {
        {"wiggle", 0, 0, "there is no function wiggle"},
        {"wiggle", 0, 0, "random, wave, constant and delta"},
        {"integrals", 0, 0, "stand for quantities of a molecule"},
        {"wav", 0, 0, "there is no function wav"},
        {"waves", 0, 0, "there is no function waves"},
        {"random", 2, 0, "random takes 1 argument, not 2"},
        {"constant", 3, 0, "constant takes 1 argument, not 3"},
        {"delta", 1, 0, "delta takes 0 arguments, not 1"},
        {"random", 1, 0.5, ""},
        {"random", 1, 1e300, ""},
        {"random", 1, -0x1p60, ""},
        {"random", 1, 1 - 1e-10, ""},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct tensor_function function;
        const double arguments[] = {cases[c].argument, 2, 3};
        check_refusal(
            STATUS_INPUT,
            tensor_function_find(cases[c].name, cases[c].n_arguments, arguments, 2, &function),
            cases[c].message);
    }
}
