/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/tensor_functions.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Source: Steele, Lea, Flood, OOPSLA 2014, the finaliser of SplitMix64. */
static uint64_t mix_bits(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static double random_element(const int64_t value[], void *context)
{
    const struct tensor_function *function = context;
    uint64_t state = mix_bits((uint64_t)(int64_t)function->argument + UINT64_C(0x9e3779b97f4a7c15));
    for (int d = 0; d < function->rank; d++)
        state = mix_bits(state ^ (uint64_t)value[d]) + UINT64_C(0x9e3779b97f4a7c15);
    return (double)(mix_bits(state) >> 11) * 0x1p-52 - 1;
}

static double wave_element(const int64_t value[], void *context)
{
    const struct tensor_function *function = context;
    double angle = function->argument;
    for (int d = 0; d < function->rank; d++)
        angle += (1 + 0.25 * d) * (double)value[d] / 3;
    return cos(angle);
}

static double constant_element(const int64_t value[], void *context)
{
    (void)value;
    return ((const struct tensor_function *)context)->argument;
}

static double delta_element(const int64_t value[], void *context)
{
    const struct tensor_function *function = context;
    for (int d = 1; d < function->rank; d++)
        if (value[d] != value[0])
            return 0;
    return 1;
}

static const struct {
    const char *name;
    tensor_element *element;
    int max_arguments;
    double argument; /* unless given */
} functions[] = {
    {"random", random_element, 1, 1},
    {"wave", wave_element, 1, 0},
    {"constant", constant_element, 1, 1},
    {"delta", delta_element, 0, 0},
};

/* Whether it is a whole number that a double holds. */
static bool is_seed(double argument)
{
    return fabs(argument) <= 0x1p53 && argument == floor(argument);
}

enum status tensor_function_find(const char *name, int n_arguments, const double *arguments,
                                 int rank, struct tensor_function *function)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        if (n_arguments > functions[i].max_arguments)
            return FAIL(STATUS_INPUT, "%s takes %d argument%s, not %d", name,
                        functions[i].max_arguments, functions[i].max_arguments == 1 ? "" : "s",
                        n_arguments);
        *function = (struct tensor_function){.element = functions[i].element,
                                             .rank = rank,
                                             .argument = n_arguments > 0 ? arguments[0]
                                                                         : functions[i].argument};
        if (function->element == random_element && !is_seed(function->argument))
            return FAIL(STATUS_INPUT, "the seed of random is a whole number of at most 2^53");
        return STATUS_OK;
    }
    return FAIL(STATUS_INPUT,
                "there is no function %s to fill a tensor with: there are random, wave, constant "
                "and delta; other names stand for quantities of a molecule, and run has none here",
                name);
}
