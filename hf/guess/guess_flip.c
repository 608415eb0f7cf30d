/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* The blocks of one pair of shells in a tile of either density. */
struct spin_blocks {
    double *alpha, *beta;
    int n_rows, n_columns;
    int64_t stride;
};

/* Exchanges both blocks. */
static void exchange_spins(const struct spin_blocks *blocks)
{
    for (int f = 0; f < blocks->n_rows; f++)
        for (int g = 0; g < blocks->n_columns; g++) {
            double *alpha = &blocks->alpha[f * blocks->stride + g];
            double *beta = &blocks->beta[f * blocks->stride + g];
            double kept = *alpha;
            *alpha = *beta;
            *beta = kept;
        }
}

/* Sets both blocks to their mean. */
static void average_spins(const struct spin_blocks *blocks)
{
    for (int f = 0; f < blocks->n_rows; f++)
        for (int g = 0; g < blocks->n_columns; g++) {
            double *alpha = &blocks->alpha[f * blocks->stride + g];
            double *beta = &blocks->beta[f * blocks->stride + g];
            *alpha = *beta = 0.5 * (*alpha + *beta);
        }
}

static void flip_tile(const struct scf_problem *problem, const bool flipped[],
                      const struct own_tile *own, double *alpha, double *beta)
{
    const struct tiling *tiling = problem->tiling;
    const struct shell *shells = problem->shells->shells;
    int64_t I = own->I, J = own->J, n_J = tile_n_functions(tiling, J);
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++)
        for (int64_t j = tiling->first_shell[J]; j < tiling->first_shell[J + 1]; j++) {
            bool flip_i = flipped[shells[i].atom], flip_j = flipped[shells[j].atom];
            int64_t first = (shells[i].first_function - tiling->first_function[I]) * n_J +
                            shells[j].first_function - tiling->first_function[J];
            struct spin_blocks blocks = {.alpha = alpha + first,
                                         .beta = beta + first,
                                         .n_rows = shells[i].n_functions,
                                         .n_columns = shells[j].n_functions,
                                         .stride = n_J};
            if (flip_i && flip_j)
                exchange_spins(&blocks);
            else if (flip_i || flip_j)
                average_spins(&blocks);
        }
}

enum status guess_flip(const struct scf_problem *problem, const bool flipped[],
                       struct darray *const D[])
{
    const struct tiling *tiling = problem->tiling;
    size_t size = (size_t)(tiling->max_functions * tiling->max_functions);
    double *alpha = agree_calloc(problem->comm, 2 * size * sizeof *alpha, "two tiles");
    if (!alpha)
        return STATUS_NO_MEMORY;
    double *beta = alpha + size;
    struct own_tile own = {0};
    while (own_tile_next(tiling, D[0], &own)) { /* those of D[1], too */
        darray_get(D[0], own.pair, alpha);
        darray_get(D[1], own.pair, beta);
        flip_tile(problem, flipped, &own, alpha, beta);
        darray_put(D[0], own.pair, alpha);
        darray_put(D[1], own.pair, beta);
    }
    free(alpha);
    darray_sync();
    return STATUS_OK;
}
