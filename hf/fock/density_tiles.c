/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/density_tiles.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest |block| element of each two groups of a tile. */
static void group_maxima(const struct tiling *tiling, int64_t I, int64_t J, const double *block,
                         double factor, double *maxima)
{
    const struct shells *shells = tiling->shells;
    int64_t n_J = tile_n_functions(tiling, J);
    double *out = maxima;
    for (int64_t a = tiling->first_group[I]; a < tiling->first_group[I + 1]; a++) {
        int64_t row = shells->groups[a].first_function - tiling->first_function[I];
        int n_a = shells->types[shells->groups[a].type].n_functions;
        for (int64_t b = tiling->first_group[J]; b < tiling->first_group[J + 1]; b++, out++) {
            int64_t column = shells->groups[b].first_function - tiling->first_function[J];
            int n_b = shells->types[shells->groups[b].type].n_functions;
            double largest = 0;
            for (int i = 0; i < n_a; i++) {
                for (int j = 0; j < n_b; j++) {
                    double magnitude = fabs(block[(row + i) * n_J + column + j]);
                    largest = magnitude > largest ? magnitude : largest;
                }
            }
            if (factor * largest > *out)
                *out = factor * largest;
        }
    }
}

/* Fetches the tile of every spin and computes the weights of its blocks. */
static enum status load_density(int64_t pair, void *context, void **item, int64_t *bytes)
{
    struct density_tiles *tiles = context;
    const struct tiling *tiling = tiles->tiling;
    int64_t I, J;
    tile_pair_of_index(pair, &I, &J);
    int64_t n = tile_n_functions(tiling, I) * tile_n_functions(tiling, J);
    int64_t n_groups = tile_n_groups(tiling, I) * tile_n_groups(tiling, J);
    int n_matrices = tiles->n_spins == 1 ? 1 : 3;
    size_t size =
        sizeof(struct density_tile) + (size_t)(n_matrices * n + 2 * n_groups) * sizeof(double);
    struct density_tile *tile = calloc(1, size);
    TRY(CHECK_MEMORY(tile, "no memory for a tile of the density"));
    double *numbers = (double *)(tile + 1);
    double *coulomb = numbers, *coulomb_weight = numbers + n_matrices * n;
    double *exchange_weight = coulomb_weight + n_groups;
    *tile = (struct density_tile){.coulomb = coulomb,
                                  .exchange = {coulomb, coulomb},
                                  .coulomb_weight = coulomb_weight,
                                  .exchange_weight = exchange_weight};
    if (tiles->n_spins == 1) {
        darray_get(tiles->D[0], pair, coulomb);
        group_maxima(tiling, I, J, coulomb, 0.5, exchange_weight);
    } else {
        for (int spin = 0; spin < 2; spin++) {
            double *own = numbers + (spin + 1) * n;
            darray_get(tiles->D[spin], pair, own);
            tile->exchange[spin] = own;
            group_maxima(tiling, I, J, own, 1, exchange_weight);
            for (int64_t i = 0; i < n && !tiles->exchange_alone; i++)
                coulomb[i] += own[i];
        }
    }
    group_maxima(tiling, I, J, coulomb, 2, coulomb_weight);
    *item = tile;
    *bytes = (int64_t)size;
    return STATUS_OK;
}

static void unload_density(int64_t pair, void *item, void *context)
{
    (void)pair;
    (void)context;
    free(item);
}

/* Largest element of the tiles that this process owns. A tile with an element
 * that is not finite counts as infinite: fmax would ignore a NaN. */
static enum status find_own_maxima(struct density_tiles *tiles)
{
    struct own_tile own = {0};
    while (own_tile_next(tiles->tiling, tiles->D[0], &own)) {
        void *item;
        int64_t bytes;
        TRY(load_density(own.pair, tiles, &item, &bytes));
        const struct density_tile *tile = item;
        double largest = 0;
        for (int64_t i = 0; i < darray_block_size(tiles->D[0], own.pair); i++) {
            double sum =
                fabs(tile->coulomb[i]) + fabs(tile->exchange[0][i]) + fabs(tile->exchange[1][i]);
            double element = fmax(fabs(tile->coulomb[i]),
                                  fmax(fabs(tile->exchange[0][i]), fabs(tile->exchange[1][i])));
            largest = isfinite(sum) ? fmax(largest, element) : INFINITY;
            if (!isfinite(largest))
                break;
        }
        tiles->tile_max[own.pair] = largest;
        free(item);
    }
    return STATUS_OK;
}

enum status density_tiles_create(const struct tiling *tiling, int n_spins, int64_t cache_bytes,
                                 struct density_tiles **tiles)
{
    int64_t n_pairs = tiling_n_pairs(tiling);
    struct density_tiles *made = agree_calloc(darray_comm(), sizeof *made, "the density's tiles");
    struct item_cache_source source = {load_density, unload_density, made};
    *tiles = made;
    if (!made)
        return STATUS_NO_MEMORY;
    made->tiling = tiling;
    made->n_spins = n_spins;
    made->tile_max =
        agree_calloc(darray_comm(), (size_t)n_pairs * sizeof(double), "maxima of the density");
    if (!made->tile_max)
        return STATUS_NO_MEMORY;
    return status_agree(darray_comm(),
                        item_cache_create(n_pairs, cache_bytes, &source, &made->cache));
}

int64_t density_tiles_bytes(const struct tiling *tiling)
{
    int64_t n_pairs = tiling_n_pairs(tiling);
    return (int64_t)sizeof(struct density_tiles) + n_pairs * (int64_t)sizeof(double) +
           item_cache_bytes(n_pairs);
}

enum status density_tiles_set(struct density_tiles *tiles, const struct darray *const D[],
                              bool exchange_alone)
{
    int64_t n_pairs = tiling_n_pairs(tiles->tiling);
    item_cache_clear(tiles->cache);
    tiles->exchange_alone = exchange_alone;
    for (int spin = 0; spin < tiles->n_spins; spin++)
        tiles->D[spin] = D[spin];
    memset(tiles->tile_max, 0, (size_t)n_pairs * sizeof(double));
    enum status status = find_own_maxima(tiles);
    /* The reduction already shows a failure to all processes: no agreement otherwise. */
    if (status != STATUS_OK)
        tiles->tile_max[0] = INFINITY;
    long_reduce(tiles->tile_max, n_pairs, MPI_DOUBLE, MPI_MAX, darray_comm());
    int64_t pair = 0;
    while (pair < n_pairs && isfinite(tiles->tile_max[pair]))
        pair++;
    if (pair == n_pairs)
        return STATUS_OK;
    TRY(status_agree(darray_comm(), status));
    return FAIL(STATUS_NUMERIC, "the density has elements that are not finite");
}

void density_tiles_destroy(struct density_tiles *tiles)
{
    if (!tiles)
        return;
    item_cache_destroy(tiles->cache);
    free(tiles->tile_max);
    free(tiles);
}

enum status density_tiles_pin(struct density_tiles *tiles, int64_t pair,
                              const struct density_tile **tile)
{
    void *item;
    TRY(item_cache_pin(tiles->cache, pair, &item));
    *tile = item;
    return STATUS_OK;
}

void density_tiles_release(struct density_tiles *tiles, int64_t pair)
{
    item_cache_release(tiles->cache, pair);
}
