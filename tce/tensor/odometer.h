/* SPDX-License-Identifier: BSD-3-Clause */
/* All tuples of values of several indices, the last one fastest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Steps to the next values of n indices, each in [first, end); false after the last, when each is its first again.
 * first  NULL: zeros */
static inline bool odometer_next(int n, const int64_t first[], const int64_t end[], int64_t value[])
{
    for (int d = n - 1; d >= 0; d--) {
        if (++value[d] < end[d])
            return true;
        value[d] = first ? first[d] : 0;
    }
    return false;
}
