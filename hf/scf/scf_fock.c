#include "hf/scf/scf_fock.h"

#include "hf/fock/fock_build.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>

/* Builds in a row that may be incremental. */
enum { MAX_INCREMENTAL = 7 };

enum status scf_fock_create(const struct scf_problem *problem, struct darray *const scratch[],
                            struct scf_fock **fock)
{
    int64_t n = problem->shells->n_functions;
    struct scf_fock *new = calloc(1, sizeof *new);
    *fock = NULL;
    enum status status = CHECK_MEMORY(new, "no memory for the two-electron matrices");
    TRY(status_agree(problem->comm, status));
    new->problem = problem;
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        new->input_tiles[s] = scratch[s];
        status = tile_matrix_create(problem->tiling, "F", DARRAY_DOUBLE, &new->G_tiles[s]);
        if (status == STATUS_OK)
            status = dense_create(problem->grid, n, n, &new->D_last[s]);
        if (status == STATUS_OK)
            status = dense_create(problem->grid, n, n, &new->G_last[s]);
    }
    if (status != STATUS_OK)
        scf_fock_destroy(new);
    *fock = status == STATUS_OK ? new : NULL;
    return status;
}

void scf_fock_destroy(struct scf_fock *fock)
{
    if (!fock)
        return;
    for (int s = 0; s < 2; s++) {
        darray_destroy(fock->G_tiles[s]);
        dense_destroy(fock->D_last[s]);
        dense_destroy(fock->G_last[s]);
    }
    darray_destroy(fock->second_input);
    free(fock);
}

/* Builds G_tiles from the densities in input_tiles. */
static enum status build_tiles(struct scf_fock *fock, int n_spins)
{
    double start_s = clock_now_s();
    const struct darray *D[2] = {fock->input_tiles[0], fock->input_tiles[1]};
    enum status status = fock_build(fock->problem->fock, n_spins, D, fock->G_tiles);
    fock->seconds += clock_now_s() - start_s;
    fock->n_builds++;
    return status;
}

static enum status build_matrices(struct scf_fock *fock, int n_spins, struct dense *const D[],
                                  struct dense *const G[])
{
    const struct tiling *tiling = fock->problem->tiling;
    TRY(tile_matrices_from_dense(tiling, n_spins, D, fock->input_tiles));
    TRY(build_tiles(fock, n_spins));
    return tile_matrices_to_dense(tiling, n_spins, fock->G_tiles, G);
}

enum status scf_fock_of_matrices(struct scf_fock *fock, struct dense *const D[],
                                 struct dense *const G[])
{
    return build_matrices(fock, fock->problem->n_spins, D, G);
}

enum status scf_fock_of_spins(struct scf_fock *fock, struct dense *const D[2],
                              struct dense *const G[2])
{
    const struct tiling *tiling = fock->problem->tiling;
    if (!fock->input_tiles[1]) {
        TRY(tile_matrix_create(tiling, "D", DARRAY_DOUBLE, &fock->second_input));
        TRY(tile_matrix_create(tiling, "F", DARRAY_DOUBLE, &fock->G_tiles[1]));
        fock->input_tiles[1] = fock->second_input;
    }
    return build_matrices(fock, 2, D, G);
}

/* D_last becomes D - D_last. Whether that is so much smaller than D that building from it pays. */
static bool find_change(struct scf_fock *fock, struct dense *const D[])
{
    int n_spins = fock->problem->n_spins, last = n_spins - 1;
    const struct dense *matrices[4];
    double largest[4];
    for (int s = 0; s < n_spins; s++) {
        dense_add(1, D[s], -1, fock->D_last[s]);
        matrices[s] = fock->D_last[s];
        matrices[n_spins + s] = D[s];
    }
    dense_max_abs_several(2 * n_spins, matrices, largest);
    return fmax(largest[0], largest[last]) < 0.5 * fmax(largest[n_spins], largest[n_spins + last]);
}

/* G = G_last + G[D - D_last]. */
static enum status build_change(struct scf_fock *fock, struct dense *const G[])
{
    TRY(build_matrices(fock, fock->problem->n_spins, fock->D_last, G));
    for (int s = 0; s < fock->problem->n_spins; s++)
        dense_add(1, fock->G_last[s], 1, G[s]);
    return STATUS_OK;
}

enum status scf_fock_of_density(struct scf_fock *fock, struct dense *const D[], bool full,
                                struct dense *const G[], bool *is_full)
{
    bool incremental = !full && !fock->always_full && fock->has_last &&
                       fock->n_incremental < MAX_INCREMENTAL && find_change(fock, D);
    fock->has_last = false;
    if (incremental) {
        TRY(build_change(fock, G));
        fock->n_incremental++;
    } else {
        TRY(scf_fock_of_matrices(fock, D, G));
        fock->n_incremental = 0;
    }
    for (int s = 0; s < fock->problem->n_spins; s++) {
        dense_copy(D[s], fock->D_last[s]);
        dense_copy(G[s], fock->G_last[s]);
    }
    fock->has_last = true;
    *is_full = !incremental;
    return STATUS_OK;
}
