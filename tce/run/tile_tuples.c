/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/tile_tuples.h"

/* Ordered tuples of k tiles below n: n (n + 1) ... (n + k - 1) / k!. */
static double count_ordered(int64_t n, int k)
{
    double count = 1;
    for (int i = 0; i < k; i++)
        count = count * (double)(n + i) / (i + 1);
    return count;
}

double tile_tuples_count(const struct tile_tuples *tuples)
{
    double count = 1;
    if (tuples->ordered)
        return count_ordered(tuples->n_tiles[0], tuples->n);
    for (int i = 0; i < tuples->n; i++)
        count *= tuples->n_tiles[i];
    return count;
}

/* The largest tile t with at most `number` ordered tuples of k tiles below it. */
static int32_t find_first_tile(int32_t n_tiles, int k, int64_t number)
{
    int32_t low = 0, high = n_tiles - 1;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        if (count_ordered(middle, k) <= (double)number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void tile_tuples_get(const struct tile_tuples *tuples, int64_t number, int32_t tile[])
{
    for (int i = tuples->n - 1; i >= 0 && !tuples->ordered; i--) {
        tile[i] = (int32_t)(number % tuples->n_tiles[i]);
        number /= tuples->n_tiles[i];
    }
    for (int i = 0; i < tuples->n && tuples->ordered; i++) {
        int k = tuples->n - i;
        tile[i] = find_first_tile(tuples->n_tiles[0], k, number);
        number -= (int64_t)count_ordered(tile[i], k);
    }
}

int tile_tuples_weight(const struct tile_tuples *tuples, const int32_t tile[])
{
    int weight = 1, equal = 0;
    for (int i = 0; i < tuples->n && tuples->ordered; i++) {
        equal = i > 0 && tile[i] == tile[i - 1] ? equal + 1 : 1;
        weight = weight * (i + 1) / equal;
    }
    return weight;
}
