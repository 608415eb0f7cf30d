#include "hf/scf/scf_basis.h"

#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/base/agree.h"

#include <stdlib.h>

/* S, H and X through one tile matrix. */
static enum status compute_matrices(struct scf_frame *frame, double dependence,
                                    struct darray *tiles)
{
    const struct scf_problem *problem = frame->problem;
    TRY(overlap_matrix(problem->tiling, tiles));
    TRY(tile_matrix_to_dense(problem->tiling, tiles, frame->S));
    TRY(core_hamiltonian_matrix(problem->tiling, problem->molecule, tiles));
    TRY(tile_matrix_to_dense(problem->tiling, tiles, frame->H));
    dense_copy(frame->S, frame->work_nn);
    return orthonormal_basis_init(frame->work_nn, dependence, &frame->basis);
}

static enum status check_space(const struct scf_frame *frame)
{
    int needed =
        frame->n_occupied[0] > frame->n_occupied[1] ? frame->n_occupied[0] : frame->n_occupied[1];
    if (needed <= frame->basis.n_orbitals)
        return STATUS_OK;
    return FAIL(STATUS_INPUT,
                "%d orbitals are to be occupied, but the basis has only %d independent functions",
                needed, frame->basis.n_orbitals);
}

/* The parts of a frame whose problem is set. */
static enum status fill_frame(struct scf_frame *frame, double dependence)
{
    const struct dense_grid *grid = frame->problem->grid;
    int64_t n = frame->problem->shells->n_functions;
    struct darray *tiles = NULL;
    TRY(dense_create(grid, n, n, &frame->S));
    TRY(dense_create(grid, n, n, &frame->H));
    TRY(dense_create(grid, n, n, &frame->work_nn));
    TRY(tile_matrix_create(frame->problem->tiling, "one-electron matrix", DARRAY_DOUBLE, &tiles));
    enum status status = compute_matrices(frame, dependence, tiles);
    darray_destroy(tiles);
    TRY(status);
    TRY(check_space(frame));
    int64_t m = frame->basis.n_orbitals;
    TRY(dense_create(grid, n, m, &frame->work_nm));
    TRY(dense_create(grid, m, m, &frame->work_mm[0]));
    return dense_create(grid, m, m, &frame->work_mm[1]);
}

enum status scf_frame_create(const struct scf_problem *problem, double dependence,
                             struct scf_frame **frame)
{
    struct scf_frame *new = calloc(1, sizeof *new);
    *frame = NULL;
    enum status status =
        new ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the one-electron matrices");
    TRY(status_agree(problem->comm, status));
    *new = (struct scf_frame){
        .problem = problem,
        .n_spins = problem->n_spins,
        .n_occupied = {(int)problem->n_occupied[0], (int)problem->n_occupied[1]},
        .occupation = problem->n_spins == 1 ? 2 : 1,
        .nuclear_repulsion = molecule_nuclear_repulsion(problem->molecule),
    };
    if (problem->n_spins == 1)
        new->n_occupied[1] = 0;
    status = fill_frame(new, dependence);
    if (status != STATUS_OK) {
        scf_frame_destroy(new);
        return status;
    }
    *frame = new;
    return STATUS_OK;
}

void scf_frame_destroy(struct scf_frame *frame)
{
    if (!frame)
        return;
    orthonormal_basis_fini(&frame->basis);
    dense_destroy(frame->S);
    dense_destroy(frame->H);
    dense_destroy(frame->work_nm);
    dense_destroy(frame->work_nn);
    dense_destroy(frame->work_mm[0]);
    dense_destroy(frame->work_mm[1]);
    free(frame);
}

void scf_frame_project(const struct scf_frame *frame, const struct dense *A, struct dense *B)
{
    dense_multiply('N', 'N', 1, A, frame->basis.X, 0, frame->work_nm);
    dense_multiply('T', 'N', 1, frame->basis.X, frame->work_nm, 0, B);
}

void scf_frame_expand(const struct scf_frame *frame, double factor, const struct dense *P,
                      struct dense *D)
{
    dense_multiply('N', 'N', factor, frame->basis.X, P, 0, frame->work_nm);
    dense_multiply('N', 'T', 1, frame->work_nm, frame->basis.X, 0, D);
}

enum status scf_frame_contract(const struct scf_frame *frame, const struct dense *D,
                               struct dense *P)
{
    struct dense *SX = NULL;
    TRY(dense_create(D->grid, frame->basis.n_functions, frame->basis.n_orbitals, &SX));
    dense_multiply('N', 'N', 1, frame->S, frame->basis.X, 0, SX);
    dense_multiply('N', 'N', 1, D, SX, 0, frame->work_nm);
    dense_multiply('T', 'N', 1 / frame->occupation, SX, frame->work_nm, 0, P);
    dense_destroy(SX);
    return STATUS_OK;
}
