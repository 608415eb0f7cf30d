/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_fock.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bound on the neglect of consecutive builds together, in cutoffs of the last: with equal cutoffs,
 * one full build and seven incremental ones. */
enum { MAX_NEGLECTED = 8 };

enum { TILES_OF_SPIN = 3, TILES_OF_MATRIX = 2 };

/* Creates n tile matrices that scf_fock_destroy destroys. */
static enum status create_owned_tiles(struct scf_fock *fock, const char *name, int n,
                                      struct darray *tiles[])
{
    const char *names[FOCK_MAX_MATRICES];
    for (int i = 0; i < n; i++)
        names[i] = name;
    TRY(tile_matrices_create(fock->problem->tiling, n, names, DARRAY_DOUBLE, tiles));
    memcpy(fock->owned + fock->n_owned, tiles, (size_t)n * sizeof(struct darray *));
    fock->n_owned += n;
    return STATUS_OK;
}

static enum status create_last_tiles(struct scf_fock *fock)
{
    int n = fock->problem->n_densities;
    TRY(create_owned_tiles(fock, "F", n, fock->G_tiles));
    TRY(create_owned_tiles(fock, "last D", n, fock->D_last));
    return create_owned_tiles(fock, "last F", n, fock->G_last);
}

/* Creates the tiles of matrices beyond the problem's densities, up to n. */
static enum status need_tiles(struct scf_fock *fock, int n)
{
    int first = fock->problem->n_densities;
    while (first < n && fock->input_tiles[first])
        first++;
    if (first >= n)
        return STATUS_OK;
    TRY(create_owned_tiles(fock, "D", n - first, fock->input_tiles + first));
    return create_owned_tiles(fock, "F", n - first, fock->G_tiles + first);
}

struct memory_need scf_fock_bytes(const struct scf_problem *problem, int n_matrices,
                                  int n_processes)
{
    struct memory_need need = {.own_bytes =
                                   sizeof(struct scf_fock) +
                                   2 * sizeof(double) * (double)tiling_n_pairs(problem->tiling)};
    int n_tiles = TILES_OF_SPIN * problem->n_densities;
    if (n_matrices > problem->n_densities)
        n_tiles += TILES_OF_MATRIX * (n_matrices - problem->n_densities);
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
    for (int s = 0; s < problem->n_densities; s++)
        (*fock)->input_tiles[s] = scratch[s];
    (*fock)->shares = agree_calloc(
        problem->comm, 2 * (size_t)tiling_n_pairs(problem->tiling) * sizeof(double), "energies");
    if (!(*fock)->shares)
        return STATUS_NO_MEMORY;
    return create_last_tiles(*fock);
}

void scf_fock_destroy(struct scf_fock *fock)
{
    if (!fock)
        return;
    for (int i = 0; i < fock->n_owned; i++)
        darray_destroy(fock->owned[i]);
    free(fock->shares);
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

/* Builds G_tiles from the matrices in input_tiles. */
static enum status build_tiles(struct scf_fock *fock, const struct density_kind *kind)
{
    double start_s = clock_now_s();
    const struct darray *const *D = (const struct darray *const *)fock->input_tiles;
    enum status status = fock_build_several(fock->problem->fock, kind, D, fock->G_tiles);
    fock->seconds += clock_now_s() - start_s;
    fock->n_builds++;
    return status;
}

enum status scf_fock_of_several(struct scf_fock *fock, const struct density_kind *kind,
                                struct dense *const D[], struct dense *const G[])
{
    const struct tiling *tiling = fock->problem->tiling;
    TRY(need_tiles(fock, kind->n_matrices));
    TRY(tile_matrices_from_dense(tiling, kind->n_matrices, D, fock->input_tiles));
    TRY(build_tiles(fock, kind));
    return tile_matrices_to_dense(tiling, kind->n_matrices, fock->G_tiles, G);
}

static void swap_tiles(struct darray **A, struct darray **B)
{
    struct darray *tiles = *A;
    *A = *B;
    *B = tiles;
}

/* D_last becomes D - D_last. Returns whether a build from this change is cheaper than one from D. */
static bool find_change(struct scf_fock *fock)
{
    const struct tiling *tiling = fock->problem->tiling;
    double own[2] = {0, 0}, largest[2];
    for (int s = 0; s < fock->problem->n_densities; s++) {
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
    for (int s = 0; s < fock->problem->n_densities; s++) {
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
    for (int s = 0; s < fock->problem->n_densities; s++) {
        if (incremental)
            tile_matrix_add(fock->problem->tiling, 1, fock->G_tiles[s], 1, fock->G_last[s]);
        else
            swap_tiles(&fock->G_tiles[s], &fock->G_last[s]);
    }
    fock->has_last = true;
}

enum status scf_fock_build(struct scf_fock *fock)
{
    struct fock *builder = fock->problem->fock;
    fock_set_cutoff(builder, fock->cutoff);
    double cutoff = fock_cutoff(builder);
    double neglected = fock->neglected + cutoff;
    bool incremental = fock->has_last && neglected <= MAX_NEGLECTED * cutoff && find_change(fock);
    struct density_kind kind = density_of_spins(fock->problem->n_densities);
    fock->has_last = false;
    remember_density(fock, incremental);
    enum status status = build_tiles(fock, &kind);
    fock_set_cutoff(builder, 0);
    TRY(status);
    remember_outcome(fock, incremental);
    fock->neglected = incremental ? neglected : cutoff;
    fock->is_accurate = cutoff == fock_cutoff(builder);
    return STATUS_OK;
}

void scf_fock_energies(struct scf_fock *fock, const struct darray *H, double energies[2])
{
    const struct scf_problem *problem = fock->problem;
    int64_t n_pairs = tiling_n_pairs(problem->tiling);
    double *of_H = fock->shares, *of_G = fock->shares + n_pairs;
    memset(fock->shares, 0, 2 * (size_t)n_pairs * sizeof *fock->shares);
    for (int s = 0; s < problem->n_densities; s++) {
        tile_matrix_add_shares(problem->tiling, fock->D_last[s], H, of_H);
        tile_matrix_add_shares(problem->tiling, fock->D_last[s], fock->G_last[s], of_G);
    }
    dense_sum_parts(problem->grid, (int)(2 * n_pairs), fock->shares);
    energies[0] = energies[1] = 0;
    for (int64_t pair = 0; pair < n_pairs; pair++) {
        energies[0] += of_H[pair];
        energies[1] += of_G[pair] / 2;
    }
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
