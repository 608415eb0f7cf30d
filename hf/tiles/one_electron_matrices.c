/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/one_electron_matrices.h"

#include "basis/integrals/ecp.h"
#include "basis/integrals/one_electron.h"
#include "support/base/agree.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An operator of one or more components, and the means to compute its matrices. */
struct operator_matrices {
    int n_components;
    /* Sets the blocks of all components between two shells, one after another. */
    void (*compute)(const struct operator_matrices *op, const struct shell *bra,
                    const struct shell *ket);
    const struct molecule *molecule;
    const struct tiling *tiling;
    struct one_electron *engine;
    double *blocks, *scratch; /* scratch: one block of the largest shells */
    double *tiles;            /* one of each component, tile_size numbers apart */
    size_t tile_size;
};

static void compute_overlap(const struct operator_matrices *op, const struct shell *bra,
                            const struct shell *ket)
{
    one_electron_overlap(op->engine, bra, ket, op->blocks);
}

static void compute_core_hamiltonian(const struct operator_matrices *op, const struct shell *bra,
                                     const struct shell *ket)
{
    one_electron_kinetic(op->engine, bra, ket, op->scratch);
    one_electron_nuclear(op->engine, op->molecule, bra, ket, op->blocks);
    for (int i = 0; i < bra->n_functions * ket->n_functions; i++)
        op->blocks[i] += op->scratch[i];
}

static void compute_dipole(const struct operator_matrices *op, const struct shell *bra,
                           const struct shell *ket)
{
    static const double origin[3] = {0, 0, 0};
    one_electron_dipole(op->engine, origin, bra, ket, op->blocks);
}

/* Computes tile (I, J) of every component. */
static void compute_operator_tiles(const struct operator_matrices *op, int64_t I, int64_t J)
{
    const struct tiling *tiling = op->tiling;
    const struct shell *shells = tiling->shells->shells;
    int64_t n_J = tile_n_functions(tiling, J);
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++) {
        int64_t row = shells[i].first_function - tiling->first_function[I];
        for (int64_t j = tiling->first_shell[J]; j < tiling->first_shell[J + 1]; j++) {
            int64_t column = shells[j].first_function - tiling->first_function[J];
            int64_t n_i = shells[i].n_functions, n_j = shells[j].n_functions;
            op->compute(op, &shells[i], &shells[j]);
            for (int component = 0; component < op->n_components; component++) {
                double *tile = op->tiles + (size_t)component * op->tile_size;
                for (int f = 0; f < n_i; f++)
                    memcpy(tile + (row + f) * n_J + column,
                           op->blocks + (component * n_i + f) * n_j, (size_t)n_j * sizeof(double));
            }
        }
    }
}

/* Computes the tiles that this process holds. */
static void compute_own_tiles(const struct operator_matrices *op, struct darray *const matrices[])
{
    struct own_tile own = {0};
    while (own_tile_next(op->tiling, matrices[0], &own)) {
        compute_operator_tiles(op, own.I, own.J);
        for (int component = 0; component < op->n_components; component++)
            darray_put(matrices[component], own.pair,
                       op->tiles + (size_t)component * op->tile_size);
    }
}

static enum status compute_matrices(struct operator_matrices op, struct darray *const matrices[])
{
    int max_l = op.tiling->shells->max_l;
    size_t n_components = (size_t)op.n_components;
    size_t block_size = (size_t)(n_cartesians(max_l) * n_cartesians(max_l));
    op.tile_size = (size_t)(op.tiling->max_functions * op.tiling->max_functions);
    op.tiles = malloc(n_components * op.tile_size * sizeof(double));
    op.blocks = malloc((n_components + 1) * block_size * sizeof(double));
    enum status status = op.tiles && op.blocks
                             ? one_electron_create(op.tiling->shells, &op.engine)
                             : FAIL(STATUS_NO_MEMORY, "no memory for one-electron integrals");
    status = status_agree(darray_comm(), status);
    if (status != STATUS_OK)
        goto done;
    op.scratch = op.blocks + n_components * block_size;
    compute_own_tiles(&op, matrices);
    darray_sync();
done:
    one_electron_destroy(op.engine);
    free(op.tiles);
    free(op.blocks);
    return status;
}

enum status overlap_matrix(const struct tiling *tiling, struct darray *S)
{
    return compute_matrices(
        (struct operator_matrices){.n_components = 1, .compute = compute_overlap, .tiling = tiling},
        (struct darray *const[]){S});
}

/* --- core potentials --- */

/* Shell pairs are dealt out one by one, because a pair at a potential costs a thousand times as much as a
 * distant one. */
struct ecp_share {
    struct ecp_integrals *integrals;
    const struct tiling *tiling;
    int rank, n_processes;
    int64_t n_pairs; /* dealt out so far */
    double *tile, *block;
};

/* Sets the block of shells i and j in tile (I, J), and in a diagonal tile the transposed one. */
static enum status set_pair_of_tile(const struct ecp_share *share, int64_t i, int64_t j, int64_t I,
                                    int64_t J)
{
    const struct tiling *tiling = share->tiling;
    const struct shell *a = &tiling->shells->shells[i], *b = &tiling->shells->shells[j];
    int64_t n_J = tile_n_functions(tiling, J);
    int64_t row = a->first_function - tiling->first_function[I];
    int64_t column = b->first_function - tiling->first_function[J];
    memset(share->block, 0, (size_t)(a->n_functions * b->n_functions) * sizeof(double));
    TRY(ecp_integrals_add(share->integrals, i, j, share->block));
    for (int f = 0; f < a->n_functions; f++)
        for (int g = 0; g < b->n_functions; g++) {
            double value = share->block[f * b->n_functions + g];
            share->tile[(row + f) * n_J + column + g] = value;
            if (I == J)
                share->tile[(column + g) * n_J + row + f] = value;
        }
    return STATUS_OK;
}

/* Adds the pairs of this process to tile (I, J) of H. */
static enum status add_share_of_tile(struct ecp_share *share, int64_t I, int64_t J,
                                     struct darray *H)
{
    const struct tiling *tiling = share->tiling;
    int64_t size = tile_n_functions(tiling, I) * tile_n_functions(tiling, J);
    bool any = false;
    memset(share->tile, 0, (size_t)size * sizeof(double));
    for (int64_t i = tiling->first_shell[I]; i < tiling->first_shell[I + 1]; i++) {
        int64_t end = I == J ? i + 1 : tiling->first_shell[J + 1];
        for (int64_t j = tiling->first_shell[J]; j < end; j++)
            if (share->n_pairs++ % share->n_processes == share->rank)
                TRY(set_pair_of_tile(share, i, j, I, J));
    }
    for (int64_t k = 0; k < size && !any; k++)
        any = share->tile[k] != 0;
    if (any)
        darray_acc(H, tile_pair_index(I, J), share->tile);
    return STATUS_OK;
}

static enum status add_share(struct ecp_share *share, const struct molecule *molecule,
                             struct darray *H)
{
    const struct tiling *tiling = share->tiling;
    int max_l = tiling->shells->max_l;
    size_t tile_size = (size_t)(tiling->max_functions * tiling->max_functions);
    size_t block_size = (size_t)(n_cartesians(max_l) * n_cartesians(max_l));
    share->tile = malloc((tile_size + block_size) * sizeof(double));
    TRY(CHECK_MEMORY(share->tile, "no memory for integrals of core potentials"));
    share->block = share->tile + tile_size;
    TRY(ecp_integrals_create(molecule, tiling->shells, &share->integrals));
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t J = 0; J <= I; J++)
            TRY(add_share_of_tile(share, I, J, H));
    return STATUS_OK;
}

/* H += the integrals of core potentials. Every element has one process that adds to it. Collective. */
static enum status add_core_potentials(const struct tiling *tiling, const struct molecule *molecule,
                                       struct darray *H)
{
    struct ecp_share share = {.tiling = tiling};
    MPI_Comm_rank(darray_comm(), &share.rank);
    MPI_Comm_size(darray_comm(), &share.n_processes);
    enum status status = add_share(&share, molecule, H);
    ecp_integrals_destroy(share.integrals);
    free(share.tile);
    return darray_sync_and_agree(status);
}

enum status core_hamiltonian_matrix(const struct tiling *tiling, const struct molecule *molecule,
                                    struct darray *H)
{
    TRY(compute_matrices((struct operator_matrices){.n_components = 1,
                                                    .compute = compute_core_hamiltonian,
                                                    .molecule = molecule,
                                                    .tiling = tiling},
                         (struct darray *const[]){H}));
    return ecp_needed(molecule) ? add_core_potentials(tiling, molecule, H) : STATUS_OK;
}

enum status dipole_matrices(const struct tiling *tiling, struct darray *const r[3])
{
    return compute_matrices(
        (struct operator_matrices){.n_components = 3, .compute = compute_dipole, .tiling = tiling},
        r);
}
