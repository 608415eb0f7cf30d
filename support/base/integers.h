/* SPDX-License-Identifier: BSD-3-Clause */
/* The smaller and the larger of two integers. */
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
