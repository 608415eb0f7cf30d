/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum status array_reserve(void *items, int64_t n, int64_t *capacity, size_t item_size)
{
    if (n <= *capacity)
        return STATUS_OK;
    int64_t wanted = 2 * *capacity > n ? 2 * *capacity : n + 16;
    void *old, *moved = NULL;
    /* The caller's pointer is of any object type, so it is copied, not cast. */
    memcpy(&old, items, sizeof old);
    if ((uint64_t)wanted <= SIZE_MAX / item_size)
        moved = realloc(old, (size_t)wanted * item_size);
    TRY(CHECK_MEMORY(moved, "no memory for an array of %lld items of %zu bytes", (long long)wanted,
                     item_size));
    memcpy(items, &moved, sizeof moved);
    *capacity = wanted;
    return STATUS_OK;
}

enum status array_append(void *items, int *n, size_t item_size)
{
    char *array;
    memcpy(&array, items, sizeof array);
    bool is_full = (*n & (*n - 1)) == 0;
    if (is_full) {
        size_t wanted = *n > 0 ? 2 * (size_t)*n : 1;
        array = wanted <= SIZE_MAX / item_size ? realloc(array, wanted * item_size) : NULL;
        TRY(CHECK_MEMORY(array, "no memory for an array of %zu items of %zu bytes", wanted,
                         item_size));
        memcpy(items, &array, sizeof array);
    }
    memset(array + (size_t)*n * item_size, 0, item_size);
    ++*n;
    return STATUS_OK;
}

int array_ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

int array_ascending_reals(const void *left, const void *right)
{
    return array_descending(right, left);
}

int array_descending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

void numbers_sort(double *numbers, int64_t n)
{
    qsort(numbers, (size_t)n, sizeof *numbers, array_ascending_reals);
}

double numbers_quantile(const double *sorted, int64_t n, double fraction)
{
    double position = fraction * (double)(n - 1);
    int64_t below = (int64_t)position;
    int64_t above = below + 1 < n ? below + 1 : below;
    double weight = position - (double)below;
    return (1 - weight) * sorted[below] + weight * sorted[above];
}
