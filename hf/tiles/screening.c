/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/screening.h"

#include "basis/quartets/kept_quartets.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"

#include <math.h>
#include <stdlib.h>

/* Bounds of one tile pair into bounds (row-major), and the largest of them. */
static enum status tile_pair_bounds(const struct tiling *tiling, struct two_electron *engine,
                                    int64_t I, int64_t J, double *bounds, double *largest)
{
    struct shell_rectangle rectangle = tile_rectangle(tiling, I, J, I == J);
    TRY(two_electron_bounds(engine, tiling->shells, &rectangle, bounds));
    int64_t n_I = tile_n_groups(tiling, I), n_J = tile_n_groups(tiling, J);
    *largest = 0;
    for (int64_t i = 0; i < n_I; i++) {
        for (int64_t j = 0; j < (I == J ? i + 1 : n_J); j++) {
            if (I == J)
                bounds[j * n_J + i] = bounds[i * n_J + j];
            *largest = fmax(*largest, bounds[i * n_J + j]);
        }
    }
    return STATUS_OK;
}

/* bounds: scratch for one tile. */
static enum status compute_own_tile(struct screening *screening, struct two_electron *engine,
                                    const struct own_tile *own, double *bounds)
{
    TRY(tile_pair_bounds(screening->tiling, engine, own->I, own->J, bounds,
                         &screening->tile_bounds[own->pair]));
    darray_put(screening->group_bounds, own->pair, bounds);
    return STATUS_OK;
}

/* The tile pairs of this process: dealt out cyclically, as the array is, so that
 * the bounds are written where they were computed. */
static enum status compute_own_bounds(struct screening *screening)
{
    const struct tiling *tiling = screening->tiling;
    struct two_electron *engine;
    TRY(two_electron_create(tiling->shells, 0, screening->engines, &engine));
    double *bounds = malloc((size_t)(tiling->max_groups * tiling->max_groups) * sizeof(double));
    enum status status = CHECK_MEMORY(bounds, "no memory for the bounds of a tile");
    struct own_tile own = {0};
    while (status == STATUS_OK && own_tile_next(tiling, screening->group_bounds, &own))
        status = compute_own_tile(screening, engine, &own, bounds);
    free(bounds);
    two_electron_destroy(engine);
    return status;
}

/* Sets the bounds of a screening whose other fields are set. */
static enum status find_bounds(struct screening *screening, MPI_Comm comm)
{
    const struct tiling *tiling = screening->tiling;
    int64_t n = tiling_n_pairs(tiling);
    screening->tile_bounds = agree_calloc(comm, (size_t)n * sizeof(double), "the bounds of tiles");
    if (!screening->tile_bounds)
        return STATUS_NO_MEMORY;
    TRY(tile_pairs_create(tiling, tiling->first_group, "Schwarz bounds", DARRAY_DOUBLE,
                          &screening->group_bounds));
    TRY(status_agree(comm, compute_own_bounds(screening)));
    darray_sync();
    long_reduce(screening->tile_bounds, n, MPI_DOUBLE, MPI_MAX, comm);
    for (int64_t pair = 0; pair < n; pair++)
        screening->max_bound = fmax(screening->max_bound, screening->tile_bounds[pair]);
    return STATUS_OK;
}

static bool is_one_atom(const struct shells *shells)
{
    return shells->shells[0].atom == shells->shells[shells->n_shells - 1].atom;
}

enum status screening_create(const struct tiling *tiling, double threshold,
                             struct engine_use *engines, MPI_Comm comm,
                             struct screening **screening)
{
    struct screening *made = agree_calloc(comm, sizeof *made, "a screening");
    *screening = NULL;
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct screening){.tiling = tiling,
                               .threshold = threshold,
                               .unit = is_one_atom(tiling->shells) ? 0 : kept_unit(threshold),
                               .engines = engines};
    enum status status = find_bounds(made, comm);
    if (status == STATUS_OK)
        *screening = made;
    else
        screening_destroy(made);
    return status;
}

struct memory_need screening_bytes(const struct tiling *tiling, int n_processes)
{
    struct memory_need need = tile_pairs_bytes(tiling, tiling->first_group, n_processes);
    need.own_bytes += (double)tiling_n_pairs(tiling) * sizeof(double);
    return need;
}

void screening_destroy(struct screening *screening)
{
    if (!screening)
        return;
    darray_destroy(screening->group_bounds);
    free(screening->tile_bounds);
    free(screening);
}
