/* SPDX-License-Identifier: BSD-3-Clause */
/* Random numbers and blocks of them, from one stream of the test, for tests of dense blocks. */
#pragma once

#include "support/base/random.h"

#include <stdint.h>
#include <stdlib.h>

static struct random_stream random_numbers;

static inline int below(int bound)
{
    return (int)random_below(&random_numbers, (uint64_t)bound);
}

/* n numbers in [-1/2, 1/2); to be freed. */
static inline double *random_block(int64_t n)
{
    double *block = malloc((size_t)n * sizeof *block);
    for (int64_t i = 0; i < n; i++)
        block[i] = random_unit(&random_numbers) - 0.5;
    return block;
}
