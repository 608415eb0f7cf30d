/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that grow, and arrays in order. */
#pragma once

#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Makes room for n items of item_size bytes; the array at least doubles when it
 * grows, so that appending one by one is cheap.
 * items     address of the pointer to the items, which may move; owned by the caller,
 *           to be freed with free
 * capacity  items there is room for; read and updated
 * Errors: STATUS_NO_MEMORY, everything is then unchanged. */
enum status array_reserve(void *items, int64_t n, int64_t *capacity, size_t item_size);

/* Appends an item of zeros to the *n items of an array that has only grown so: there is room for
 * the next power of two, and no capacity to keep.
 * items  as in array_reserve
 * Errors: STATUS_NO_MEMORY, everything is then unchanged. */
enum status array_append(void *items, int *n, size_t item_size);

/* Orders for qsort, bsearch and tsearch: items that begin with an int64_t in ascending order of it,
 * and items that begin with a double, not NaN, in either order. */
int array_ascending(const void *left, const void *right);
int array_ascending_reals(const void *left, const void *right);
int array_descending(const void *left, const void *right);

/* Index of the last of n numbers in ascending order that is at most this one; -1 if there is
 * none. */
static inline int64_t array_find_last(const int64_t *numbers, int64_t n, int64_t at_most)
{
    int64_t low = -1, high = n;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (numbers[middle] <= at_most)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Sorts numbers, none NaN, in ascending order. */
void numbers_sort(double *numbers, int64_t n);

/* Quantile of n >= 1 numbers in ascending order, interpolated linearly between neighbours.
 * fraction  in [0, 1]; 0.5: the median
 * Source: Hyndman & Fan, Am. Stat. 50 (1996) 361, type 7. */
double numbers_quantile(const double *sorted, int64_t n, double fraction);
