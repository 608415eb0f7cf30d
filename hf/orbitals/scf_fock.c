/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_fock.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>

/* Builds in a row that may be incremental. */
enum { MAX_INCREMENTAL = 7 };

/* A tile matrix that scf_fock_destroy destroys. */
static enum status create_owned_tiles(struct scf_fock *fock, const char *name,
                                      struct darray **tiles)
{
    TRY(tile_matrix_create(fock->problem->tiling, name, DARRAY_DOUBLE, tiles));
    fock->owned[fock->n_owned++] = *tiles;
    return STATUS_OK;
}

enum { TILES_OF_SPIN = 3, TILES_OF_MATRIX = 2 };

static enum status create_last_tiles(struct scf_fock *fock, int spin)
{
    const char *const names[TILES_OF_SPIN] = {"F", "last D", "last F"};
    struct darray **const tiles[TILES_OF_SPIN] = {&fock->G_tiles[spin], &fock->D_last[spin],
                                                  &fock->G_last[spin]};
    for (int i = 0; i < TILES_OF_SPIN; i++)
        TRY(create_owned_tiles(fock, names[i], tiles[i]));
    return STATUS_OK;
}

/* Those of the matrices beyond the problem's spins, up to n. */
static enum status need_tiles(struct scf_fock *fock, int n)
{
    for (int i = fock->problem->n_spins; i < n; i++) {
        if (!fock->input_tiles[i])
            TRY(create_owned_tiles(fock, "D", &fock->input_tiles[i]));
        if (!fock->G_tiles[i])
            TRY(create_owned_tiles(fock, "F", &fock->G_tiles[i]));
    }
    return STATUS_OK;
}

struct memory_need scf_fock_bytes(const struct scf_problem *problem, int n_matrices,
                                  int n_processes)
{
    struct memory_need need = {.own_bytes = sizeof(struct scf_fock)};
    int n_tiles = TILES_OF_SPIN * problem->n_spins;
    if (n_matrices > problem->n_spins)
        n_tiles += TILES_OF_MATRIX * (n_matrices - problem->n_spins);
    memory_need_add(&need, n_tiles, tile_matrix_bytes(problem->tiling, n_processes));
    return need;
}

enum status scf_fock_create(const struct scf_problem *problem, struct darray *const scratch[],
                            struct scf_fock **fock)
{
    *fock = agree_calloc(problem->comm, sizeof **fock, "the two-electron matrices");
    if (!*fock)
        return STATUS_NO_MEMORY;
    (*fock)->problem = problem;
    for (int s = 0; s < problem->n_spins; s++) {
        (*fock)->input_tiles[s] = scratch[s];
        TRY(create_last_tiles(*fock, s));
    }
    return STATUS_OK;
}

void scf_fock_destroy(struct scf_fock *fock)
{
    if (!fock)
        return;
    for (int i = 0; i < fock->n_owned; i++)
        darray_destroy(fock->owned[i]);
    free(fock);
}

enum status scf_fock_set_density(struct scf_fock *fock, int spin, struct dense *D)
{
    return tile_matrix_from_dense(fock->problem->tiling, D, fock->input_tiles[spin]);
}

void scf_fock_set_tiles(struct scf_fock *fock, int spin, const struct darray *D)
{
    if (D != fock->input_tiles[spin])
        tile_matrix_add(fock->problem->tiling, 1, D, 0, fock->input_tiles[spin]);
    darray_sync();
}

/* Builds G_tiles from the densities of the spins in input_tiles, or from several matrices. */
static enum status build_tiles(struct scf_fock *fock, const struct density_kind *several)
{
    double start_s = clock_now_s();
    const struct darray *const *D = (const struct darray *const *)fock->input_tiles;
    struct fock *builder = fock->problem->fock;
    enum status status = several ? fock_build_several(builder, several, D, fock->G_tiles)
                                 : fock_build(builder, fock->problem->n_spins, D, fock->G_tiles);
    fock->seconds += clock_now_s() - start_s;
    fock->n_builds++;
    return status;
}

static enum status build_from_matrices(struct scf_fock *fock, int n,
                                       const struct density_kind *several, struct dense *const D[],
                                       struct dense *const G[])
{
    const struct tiling *tiling = fock->problem->tiling;
    TRY(need_tiles(fock, n));
    TRY(tile_matrices_from_dense(tiling, n, D, fock->input_tiles));
    TRY(build_tiles(fock, several));
    return tile_matrices_to_dense(tiling, n, fock->G_tiles, G);
}

enum status scf_fock_of_matrices(struct scf_fock *fock, struct dense *const D[],
                                 struct dense *const G[])
{
    return build_from_matrices(fock, fock->problem->n_spins, NULL, D, G);
}

enum status scf_fock_of_several(struct scf_fock *fock, const struct density_kind *kind,
                                struct dense *const D[], struct dense *const G[])
{
    return build_from_matrices(fock, kind->n_matrices, kind, D, G);
}

static void swap_tiles(struct darray **A, struct darray **B)
{
    struct darray *tiles = *A;
    *A = *B;
    *B = tiles;
}

/* D_last becomes D - D_last. Whether that is so much smaller than D that building from it pays. */
static bool find_change(struct scf_fock *fock)
{
    const struct tiling *tiling = fock->problem->tiling;
    double own[2] = {0, 0}, largest[2];
    for (int s = 0; s < fock->problem->n_spins; s++) {
        const struct darray *D = fock->input_tiles[s];
        tile_matrix_add(tiling, 1, D, -1, fock->D_last[s]);
        own[0] = fmax(own[0], tile_matrix_own_max_abs(tiling, fock->D_last[s]));
        own[1] = fmax(own[1], tile_matrix_own_max_abs(tiling, D));
    }
    MPI_Allreduce(own, largest, 2, MPI_DOUBLE, MPI_MAX, fock->problem->comm);
    return largest[0] < 0.5 * largest[1];
}

/* D_last becomes the density that is set, and the input what is to be built from. */
static void remember_density(struct scf_fock *fock, bool incremental)
{
    for (int s = 0; s < fock->problem->n_spins; s++) {
        if (incremental)
            swap_tiles(&fock->input_tiles[s], &fock->D_last[s]);
        else
            tile_matrix_add(fock->problem->tiling, 1, fock->input_tiles[s], 0, fock->D_last[s]);
    }
    darray_sync();
}

/* G_last = G of D_last. */
static void remember_outcome(struct scf_fock *fock, bool incremental)
{
    for (int s = 0; s < fock->problem->n_spins; s++) {
        if (incremental)
            tile_matrix_add(fock->problem->tiling, 1, fock->G_tiles[s], 1, fock->G_last[s]);
        else
            swap_tiles(&fock->G_tiles[s], &fock->G_last[s]);
    }
    fock->has_last = true;
}

enum status scf_fock_build(struct scf_fock *fock, bool full, bool *is_full)
{
    bool incremental = !full && !fock->always_full && fock->has_last &&
                       fock->n_incremental < MAX_INCREMENTAL && find_change(fock);
    fock->has_last = false;
    remember_density(fock, incremental);
    TRY(build_tiles(fock, NULL));
    remember_outcome(fock, incremental);
    fock->n_incremental = incremental ? fock->n_incremental + 1 : 0;
    *is_full = !incremental;
    return STATUS_OK;
}

void scf_fock_energies(const struct scf_fock *fock, const struct darray *H, double energies[2])
{
    const struct scf_problem *problem = fock->problem;
    energies[0] = energies[1] = 0;
    for (int s = 0; s < problem->n_spins; s++) {
        energies[0] += tile_matrix_dot_part(problem->tiling, fock->D_last[s], H);
        energies[1] += tile_matrix_dot_part(problem->tiling, fock->D_last[s], fock->G_last[s]) / 2;
    }
    dense_sum_parts(problem->grid, 2, energies);
}

enum status scf_fock_matrix(struct scf_fock *fock, int spin, const struct darray *H,
                            struct dense *F)
{
    const struct tiling *tiling = fock->problem->tiling;
    struct darray *sum = fock->G_tiles[spin];
    tile_matrix_add(tiling, 1, H, 0, sum);
    tile_matrix_add(tiling, 1, fock->G_last[spin], 1, sum);
    darray_sync();
    return tile_matrix_to_dense(tiling, sum, F);
}
