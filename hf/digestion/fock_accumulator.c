/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_accumulator.h"

#include "hf/tiles/tile_matrix.h"
#include "support/arrays/item_cache.h"
#include "support/base/agree.h"
#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least exponent of the bound on a sum: the quantum and its inverse are normal numbers. */
enum { LEAST_EXPONENT = -900 };

struct fock_accumulator {
    const struct screening *screening;
    const struct tiling *tiling;
    int n_matrices;
    bool fixed;
    double quantum, inverse_quantum;
    struct darray *sums[FOCK_MAX_MATRICES]; /* int64_t or double */
    struct item_cache *cache;               /* item matrix * n_pairs + pair: a tile of sums */
    int64_t n_pairs;
};

/* A zeroed tile; int64_t and double are of one size and one zero. */
static enum status load_sums(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct fock_accumulator *accumulator = context;
    int64_t n = darray_block_size(accumulator->sums[0], number % accumulator->n_pairs);
    *bytes = n * (int64_t)sizeof(double);
    *item = calloc((size_t)n + 1, sizeof(double));
    return CHECK_MEMORY(*item, "no memory for a tile of the Fock matrix");
}

/* Adds the cached sums to the distributed ones. */
static void unload_sums(int64_t number, void *item, void *context)
{
    struct fock_accumulator *accumulator = context;
    darray_acc(accumulator->sums[number / accumulator->n_pairs], number % accumulator->n_pairs,
               item);
    free(item);
}

enum status fock_accumulator_create(const struct screening *screening, int n_matrices, bool fixed,
                                    int64_t cache_bytes, struct fock_accumulator **accumulator)
{
    static const char name[] = "sums of the Fock matrix";
    struct fock_accumulator *made = agree_calloc(darray_comm(), sizeof *made, name);
    *accumulator = made;
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct fock_accumulator){.screening = screening,
                                      .tiling = screening->tiling,
                                      .n_matrices = n_matrices,
                                      .fixed = fixed,
                                      .n_pairs = tiling_n_pairs(screening->tiling)};
    struct item_cache_source source = {load_sums, unload_sums, made};
    TRY(status_agree(darray_comm(), item_cache_create(n_matrices * made->n_pairs, cache_bytes,
                                                      &source, &made->cache)));
    const char *names[FOCK_MAX_MATRICES];
    for (int i = 0; i < n_matrices; i++)
        names[i] = name;
    return tile_matrices_create(made->tiling, n_matrices, names,
                                fixed ? DARRAY_INT64 : DARRAY_DOUBLE, made->sums);
}

/* Two tiles to finish with. */
static int64_t finished_tiles_bytes(const struct tiling *tiling)
{
    return 2 * tiling->max_functions * tiling->max_functions * (int64_t)sizeof(double);
}

struct memory_need fock_accumulator_bytes(const struct tiling *tiling, int n_matrices,
                                          int n_processes)
{
    struct memory_need need = {.own_bytes =
                                   (double)sizeof(struct fock_accumulator) +
                                   (double)(item_cache_bytes(n_matrices * tiling_n_pairs(tiling)) +
                                            finished_tiles_bytes(tiling))};
    memory_need_add(&need, n_matrices, tile_matrix_bytes(tiling, n_processes));
    return need;
}

void fock_accumulator_destroy(struct fock_accumulator *accumulator)
{
    if (!accumulator)
        return;
    item_cache_destroy(accumulator->cache);
    for (int i = 0; i < accumulator->n_matrices; i++)
        darray_destroy(accumulator->sums[i]);
    free(accumulator);
}

/* A bound on every partial sum of |terms| of any element: see the header. */
static double largest_sum(const struct screening *screening, const struct density_tiles *density)
{
    const struct tiling *tiling = screening->tiling;
    double coulomb = 0, max_row = 0, max_D = 0;
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        double row = 0;
        for (int64_t J = 0; J < tiling->n_tiles; J++) {
            int64_t pair = tile_pair_index_unordered(I, J);
            double n_J = (double)tile_n_functions(tiling, J);
            row += n_J * screening->tile_bounds[pair];
            coulomb += (double)tile_n_functions(tiling, I) * n_J * screening->tile_bounds[pair] *
                       density->tile_max[pair];
            max_D = fmax(max_D, density->tile_max[pair]);
        }
        max_row = fmax(max_row, row);
    }
    return screening->max_bound * coulomb + max_row * max_row * max_D;
}

void fock_accumulator_start(struct fock_accumulator *accumulator,
                            const struct density_tiles *density)
{
    /* Twice the bound stays below 2^62 quanta: room for the rounding. */
    int exponent;
    frexp(largest_sum(accumulator->screening, density), &exponent);
    /* Without this, the inverse would be infinite for a density of nearly nothing. */
    if (exponent < LEAST_EXPONENT)
        exponent = LEAST_EXPONENT;
    accumulator->quantum = ldexp(1, exponent - 61);
    accumulator->inverse_quantum = ldexp(1, 61 - exponent);
    for (int i = 0; i < accumulator->n_matrices; i++)
        darray_zero(accumulator->sums[i]);
}

/* sums[i] += round((block[i] + common[i]) / quantum); returns whether all fit. rint, and not llrint, which
 * is a call and keeps the loop from using vectors. */
VECTOR_CLONES
static bool add_fixed(double inverse_quantum, int64_t n, const double *restrict block,
                      const double *restrict common, int64_t *restrict sums)
{
    int64_t n_beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = (block[i] + (common ? common[i] : 0)) * inverse_quantum;
        n_beyond += !(fabs(x) < 0x1p62);
    }
    for (int64_t i = 0; i < n && n_beyond == 0; i++)
        sums[i] += (int64_t)rint((block[i] + (common ? common[i] : 0)) * inverse_quantum);
    return n_beyond == 0;
}

enum status fock_accumulator_add(struct fock_accumulator *accumulator, int matrix, int64_t pair,
                                 const double *block, const double *block_common)
{
    void *item;
    int64_t number = matrix * accumulator->n_pairs + pair;
    int64_t n = darray_block_size(accumulator->sums[0], pair);
    TRY(item_cache_pin(accumulator->cache, number, &item));
    bool fits = true;
    if (accumulator->fixed) {
        fits = add_fixed(accumulator->inverse_quantum, n, block, block_common, item);
    } else {
        double *sums = item;
        for (int64_t i = 0; i < n; i++)
            sums[i] += block[i] + (block_common ? block_common[i] : 0);
    }
    item_cache_release(accumulator->cache, number);
    if (!fits)
        return FAIL(STATUS_NUMERIC, "a contribution to the Fock matrix is beyond its bound");
    return STATUS_OK;
}

/* out = A + A^T for the tile (I, J) of sums: its transpose is not stored unless
 * I == J. */
static void finish_tile(const struct fock_accumulator *accumulator, int64_t I, int64_t J,
                        const void *sums, double *out)
{
    int64_t n_I = tile_n_functions(accumulator->tiling, I);
    int64_t n_J = tile_n_functions(accumulator->tiling, J);
    const int64_t *integers = sums;
    const double *doubles = sums;
    for (int64_t i = 0; i < n_I; i++) {
        for (int64_t j = 0; j < n_J; j++) {
            int64_t at = i * n_J + j, mirror = j * n_J + i;
            if (accumulator->fixed) {
                int64_t sum = integers[at] + (I == J ? integers[mirror] : 0);
                out[at] = accumulator->quantum * (double)sum;
            } else {
                out[at] = doubles[at] + (I == J ? doubles[mirror] : 0);
            }
        }
    }
}

void fock_accumulator_complete(struct fock_accumulator *accumulator)
{
    item_cache_clear(accumulator->cache);
    darray_complete();
}

enum status fock_accumulator_finish(struct fock_accumulator *accumulator, struct darray *const F[])
{
    const struct tiling *tiling = accumulator->tiling;
    double *sums = malloc((size_t)finished_tiles_bytes(tiling));
    double *out = sums ? sums + tiling->max_functions * tiling->max_functions : NULL;
    enum status status = CHECK_MEMORY(sums, "no memory for tiles");
    for (int i = 0; i < accumulator->n_matrices && status == STATUS_OK; i++) {
        struct own_tile own = {0};
        while (own_tile_next(tiling, F[i], &own)) {
            darray_get(accumulator->sums[i], own.pair, sums);
            finish_tile(accumulator, own.I, own.J, sums, out);
            darray_put(F[i], own.pair, out);
        }
    }
    free(sums);
    return darray_sync_and_agree(status);
}
