/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the density as a Fock build reads them: fetched once per worker,
 * with the largest element of every block of two groups of shells for screening. */
#pragma once

#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/arrays/item_cache.h"
#include "support/base/status.h"

#include <stdint.h>

/* Tile (I, J), I >= J; matrices row-major over functions, weights over groups. */
struct density_tile {
    const double *coulomb;         /* total density, or zeros: exchange alone */
    const double *exchange[2];     /* per spin; the total density of a closed shell */
    const double *coulomb_weight;  /* 2 max |D|, see quartet_is_significant */
    const double *exchange_weight; /* max |D| / 2 or max over spins of |Ds| */
};

struct density_tiles {
    const struct tiling *tiling; /* borrowed */
    int n_spins;
    const struct darray *D[2]; /* borrowed; of the last density_tiles_set */
    bool exchange_alone;       /* of two spins; of the last density_tiles_set */
    struct item_cache *cache;
    double *tile_max; /* per tile pair, largest |D| of any spin or the total; the same everywhere */
};

/* An object without a density. On failure density_tiles_destroy still has to be called. Collective.
 * Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status density_tiles_create(const struct tiling *tiling, int n_spins, int64_t cache_bytes,
                                 struct density_tiles **tiles);

/* Takes a density, which must be complete, as after darray_sync, and not change until the next.
 * exchange_alone: of two spins, whose Coulomb part is left out. Collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC if an element of D is not finite; the same
 * everywhere. */
enum status density_tiles_set(struct density_tiles *tiles, const struct darray *const D[],
                              bool exchange_alone);
void density_tiles_destroy(struct density_tiles *tiles);

/* Bytes of a process without the cache. Not collective. */
int64_t density_tiles_bytes(const struct tiling *tiling);

/* The tile of a pair index, until it is released. */
enum status density_tiles_pin(struct density_tiles *tiles, int64_t pair,
                              const struct density_tile **tile);
void density_tiles_release(struct density_tiles *tiles, int64_t pair);
