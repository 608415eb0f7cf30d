/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles: consecutive groups of shells, near a wanted number of functions. */
#pragma once

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct tiling {
    const struct shells *shells; /* borrowed */
    int64_t n_tiles;
    int64_t max_functions; /* of a tile */
    int64_t max_groups;    /* of a tile */
    int64_t *first_group;  /* n_tiles + 1, as the others */
    int64_t *first_shell;
    int64_t *first_function;
};

/* Tiles (IJ|KL) of two-electron integrals. */
struct tile_quartet {
    int64_t I, J, K, L;
};

/* The default target, from molecule and basis alone, so that F has the same bits on any number of
 * processes:
 *     above 160 functions                                     40
 *     41 to 160, and more than one commuting operation moves centres
 *                                                             the least that makes as many tiles as 40 would
 *     else                                                    the least that makes four tiles */
int64_t tiling_default_target(const struct shells *shells, int n_commuting);

/* Cuts the groups, in order, into tiles of at most target functions; a single
 * larger group is a tile of its own. target >= 1. Errors: STATUS_NO_MEMORY. */
enum status tiling_create(const struct shells *shells, int64_t target, struct tiling **tiling);
void tiling_destroy(struct tiling *tiling);

static inline int64_t tile_n_functions(const struct tiling *tiling, int64_t tile)
{
    return tiling->first_function[tile + 1] - tiling->first_function[tile];
}

static inline int64_t tile_n_groups(const struct tiling *tiling, int64_t tile)
{
    return tiling->first_group[tile + 1] - tiling->first_group[tile];
}

/* The pairs of a group of tile I with one of tile J; triangle, for I == J: each
 * unordered pair once. */
static inline struct shell_rectangle tile_rectangle(const struct tiling *tiling, int64_t I,
                                                    int64_t J, bool triangle)
{
    return (struct shell_rectangle){
        .first = {tiling->first_group[I], tiling->first_group[J]},
        .last = {tiling->first_group[I + 1], tiling->first_group[J + 1]},
        .triangle = triangle,
    };
}

/* Number of tile pairs I >= J, and the number of one; I >= J. */
static inline int64_t tiling_n_pairs(const struct tiling *tiling)
{
    return tiling->n_tiles * (tiling->n_tiles + 1) / 2;
}

static inline int64_t tile_pair_index(int64_t I, int64_t J)
{
    return I * (I + 1) / 2 + J;
}

/* The number of the pair of two tiles in any order. */
static inline int64_t tile_pair_index_unordered(int64_t I, int64_t J)
{
    return I >= J ? tile_pair_index(I, J) : tile_pair_index(J, I);
}

/* The pair of an index, exactly, for any index below 2^62. */
void tile_pair_of_index(int64_t index, int64_t *I, int64_t *J);
