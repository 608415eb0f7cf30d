/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/density_tiles.h"

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
        int n_a = n_functions_of_group(shells, a);
        for (int64_t b = tiling->first_group[J]; b < tiling->first_group[J + 1]; b++, out++) {
            int64_t column = shells->groups[b].first_function - tiling->first_function[J];
            int n_b = n_functions_of_group(shells, b);
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

static void add_multiple(int64_t n, double factor, const double *from, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* Fetches the tile of every matrix and computes the weights of its blocks. */
static enum status load_density(int64_t pair, void *context, void **item, int64_t *bytes)
{
    struct density_tiles *tiles = context;
    const struct tiling *tiling = tiles->tiling;
    int64_t I, J;
    tile_pair_of_index(pair, &I, &J);
    int64_t n = tile_n_functions(tiling, I) * tile_n_functions(tiling, J);
    int64_t n_groups = tile_n_groups(tiling, I) * tile_n_groups(tiling, J);
    const struct density_kind *kind = &tiles->kind;
    int64_t n_elements = density_n_blocks(kind) * n;
    size_t size =
        sizeof(struct density_tile) + (size_t)(n_elements + 2 * n_groups) * sizeof(double);
    struct density_tile *tile = calloc(1, size);
    TRY(CHECK_MEMORY(tile, "no memory for a tile of the density"));
    double *numbers = (double *)(tile + 1);
    double *coulomb_weight = numbers + n_elements;
    double *exchange_weight = coulomb_weight + n_groups;
    *tile =
        (struct density_tile){.coulomb_weight = coulomb_weight, .exchange_weight = exchange_weight};
    for (int c = 0; c < kind->n_coulomb; c++)
        tile->coulomb[c] = numbers + c * n;
    for (int i = 0; i < kind->n_matrices; i++) {
        double *own = numbers + density_block(kind, i) * n;
        darray_get(tiles->D[i], pair, own);
        tile->exchange[i] = own;
        group_maxima(tiling, I, J, own, fabs(kind->exchange_scale), exchange_weight);
        int c = density_coulomb(kind, i);
        if (c >= 0)
            add_multiple(n, 2.0 / kind->of_each, own, numbers + c * n);
    }
    for (int c = 0; c < kind->n_coulomb; c++)
        group_maxima(tiling, I, J, tile->coulomb[c], 2 * fabs(kind->coulomb_scale), coulomb_weight);
    for (int64_t block = 0; block < n_groups; block++)
        tile->most_coulomb_weight = fmax(tile->most_coulomb_weight, coulomb_weight[block]);
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

/* Largest magnitude; infinite with an element that is not finite: fmax would ignore a NaN. */
static double largest_magnitude(int64_t n, const double *elements)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(elements[i]))
            return INFINITY;
        largest = fmax(largest, fabs(elements[i]));
    }
    return largest;
}

/* Largest element of the tiles that this process owns. */
static enum status find_own_maxima(struct density_tiles *tiles)
{
    struct own_tile own = {0};
    while (own_tile_next(tiles->tiling, tiles->D[0], &own)) {
        void *item;
        int64_t bytes;
        TRY(load_density(own.pair, tiles, &item, &bytes));
        const struct density_tile *tile = item;
        int64_t n = darray_block_size(tiles->D[0], own.pair);
        double largest = 0;
        for (int c = 0; c < tiles->kind.n_coulomb; c++)
            largest = fmax(largest, largest_magnitude(n, tile->coulomb[c]));
        for (int matrix = 0; matrix < tiles->kind.n_matrices; matrix++)
            largest = fmax(largest, largest_magnitude(n, tile->exchange[matrix]));
        tiles->tile_max[own.pair] = largest;
        free(item);
    }
    return STATUS_OK;
}

enum status density_tiles_create(const struct tiling *tiling, int64_t cache_bytes,
                                 struct density_tiles **tiles)
{
    int64_t n_pairs = tiling_n_pairs(tiling);
    struct density_tiles *made = agree_calloc(darray_comm(), sizeof *made, "the density's tiles");
    struct item_cache_source source = {load_density, unload_density, made};
    *tiles = made;
    if (!made)
        return STATUS_NO_MEMORY;
    made->tiling = tiling;
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

enum status density_tiles_set(struct density_tiles *tiles, const struct density_kind *kind,
                              const struct darray *const D[])
{
    int64_t n_pairs = tiling_n_pairs(tiles->tiling);
    item_cache_clear(tiles->cache);
    tiles->kind = *kind;
    for (int matrix = 0; matrix < kind->n_matrices; matrix++)
        tiles->D[matrix] = D[matrix];
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
