/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/one_electron_matrices.h"

#include "basis/integrals/ecp.h"
#include "basis/integrals/one_electron.h"
#include "support/base/agree.h"

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
    struct ecp_integrals *ecp; /* of the molecule; NULL: no core potentials */
    enum status *status;       /* the first failure */
    double *blocks, *scratch;  /* scratch: one block of the largest shells */
    double *tiles;             /* one of each component, tile_size numbers apart */
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
    const struct shell *shells = op->tiling->shells->shells;
    if (op->ecp && *op->status == STATUS_OK)
        *op->status = ecp_integrals_add(op->ecp, bra - shells, ket - shells, op->blocks);
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
    if (status == STATUS_OK && op.molecule)
        status = ecp_integrals_create(op.molecule, op.tiling->shells, &op.ecp);
    status = status_agree(darray_comm(), status);
    if (status != STATUS_OK)
        goto done;
    op.scratch = op.blocks + n_components * block_size;
    op.status = &status;
    compute_own_tiles(&op, matrices);
    status = status_agree(darray_comm(), status);
    darray_sync();
done:
    ecp_integrals_destroy(op.ecp);
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

enum status core_hamiltonian_matrix(const struct tiling *tiling, const struct molecule *molecule,
                                    struct darray *H)
{
    return compute_matrices((struct operator_matrices){.n_components = 1,
                                                       .compute = compute_core_hamiltonian,
                                                       .molecule = molecule,
                                                       .tiling = tiling},
                            (struct darray *const[]){H});
}

enum status dipole_matrices(const struct tiling *tiling, struct darray *const r[3])
{
    return compute_matrices(
        (struct operator_matrices){.n_components = 3, .compute = compute_dipole, .tiling = tiling},
        r);
}
