/* SPDX-License-Identifier: BSD-3-Clause */
/* The smaller and the larger of two integers, and the next multiple of one. */
#pragma once

#include <stdint.h>

static inline int64_t min_int64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t max_int64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The smallest multiple of step that is not below n; n >= 0, step > 0. */
static inline int64_t round_up_int64(int64_t n, int64_t step)
{
    return (n + step - 1) / step * step;
}
