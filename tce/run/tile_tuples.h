/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuples of tiles that a loop runs over, numbered without a list. Ordered ones, a >= b >= c, stand for
 * all their permutations: the first tile changes slowest, so that neighbours share tiles. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TILE_LOOP_MAX_INDICES = 6 };

struct tile_tuples {
    int n; /* tiles of a tuple */
    int32_t
        n_tiles[TILE_LOOP_MAX_INDICES]; /* to choose from at each place; ordered: the same number */
    bool ordered;
};

/* As double where it may be beyond 2^63. */
double tile_tuples_count(const struct tile_tuples *tuples);

/* The tiles of a tuple in [0, count); counts up to TILE_LOOP_MAX_TASKS. */
void tile_tuples_get(const struct tile_tuples *tuples, int64_t number, int32_t tile[]);

/* How many tuples it stands for: the different permutations of its tiles. */
int tile_tuples_weight(const struct tile_tuples *tuples, const int32_t tile[]);
