/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the density as a Fock build reads them: fetched once per worker,
 * with the largest element of every block of two groups of shells for screening. */
#pragma once

#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/arrays/item_cache.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Symmetric matrices that one pass over the integrals takes, and Coulomb densities, at most. */
enum { FOCK_MAX_MATRICES = 4, FOCK_MAX_COULOMB = 2 };

/* Matrices D[i] of a build, and which of them have a Coulomb part:
 *
 *   F[i] = coulomb_scale J[C[i / of_each]] + exchange_scale K[D[i]]   i < n_coulomb of_each
 *   F[i] =                                   exchange_scale K[D[i]]   the others
 *   C[c] = D[2 c] + D[2 c + 1]   of_each 2: the spins of an open shell
 *          2 D[c]                of_each 1: D[c] is of each spin of a closed shell
 *
 * but for total: a single D is the total density of a closed shell, and C[0]. The bound on sums
 * (fock_accumulator.h) takes scales from -1 to 1. */
struct density_kind {
    int n_matrices, n_coulomb, of_each;
    bool total;
    double coulomb_scale, exchange_scale;
};

/* Densities of each spin. */
static inline struct density_kind density_of_each_spin(int n_matrices, int n_coulomb, int of_each)
{
    return (struct density_kind){.n_matrices = n_matrices,
                                 .n_coulomb = n_coulomb,
                                 .of_each = of_each,
                                 .coulomb_scale = 1,
                                 .exchange_scale = -1};
}

/* The densities of an SCF: the total one of a closed shell, or alpha's and beta's. */
static inline struct density_kind density_of_spins(int n_densities)
{
    struct density_kind kind = density_of_each_spin(n_densities, 1, n_densities);
    kind.total = n_densities == 1;
    kind.exchange_scale = kind.total ? -0.5 : -1;
    return kind;
}

/* The number of the Coulomb density of a matrix; -1: it has none, or is it. */
static inline int density_coulomb(const struct density_kind *kind, int matrix)
{
    bool has = !kind->total && matrix < kind->n_coulomb * kind->of_each;
    return has ? matrix / kind->of_each : -1;
}

/* Different matrices among C and D. */
static inline int64_t density_n_blocks(const struct density_kind *kind)
{
    return kind->total ? 1 : kind->n_coulomb + kind->n_matrices;
}

/* Where D[i] is among them, after all C. */
static inline int64_t density_block(const struct density_kind *kind, int matrix)
{
    return kind->total ? 0 : kind->n_coulomb + matrix;
}

/* Tile (I, J), I >= J; matrices row-major over functions, weights over groups. */
struct density_tile {
    const double *coulomb[FOCK_MAX_COULOMB];   /* each C[c] */
    const double *exchange[FOCK_MAX_MATRICES]; /* each D[i] */
    const double *coulomb_weight;              /* of all C[c] (quartet_is_significant) */
    const double *exchange_weight;             /* of all D[i] */
    double most_coulomb_weight;                /* of the tile */
};

struct density_tiles {
    const struct tiling *tiling;               /* borrowed */
    struct density_kind kind;                  /* like D, of the last density_tiles_set */
    const struct darray *D[FOCK_MAX_MATRICES]; /* borrowed */
    struct item_cache *cache;
    double *tile_max; /* per tile pair, largest element of all C[c] and D[i]; the same everywhere */
};

/* An object without a density. On failure density_tiles_destroy still has to be called. Collective.
 * Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status density_tiles_create(const struct tiling *tiling, int64_t cache_bytes,
                                 struct density_tiles **tiles);

/* Takes matrices, which must be complete, as after darray_sync, and not change until the next call.
 * Collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC if an element of D is not finite; the same
 * everywhere. */
enum status density_tiles_set(struct density_tiles *tiles, const struct density_kind *kind,
                              const struct darray *const D[]);
void density_tiles_destroy(struct density_tiles *tiles);

/* Bytes of a process without the cache. Not collective. */
int64_t density_tiles_bytes(const struct tiling *tiling);

/* The tile of a pair index, until it is released. */
enum status density_tiles_pin(struct density_tiles *tiles, int64_t pair,
                              const struct density_tile **tile);
void density_tiles_release(struct density_tiles *tiles, int64_t pair);
