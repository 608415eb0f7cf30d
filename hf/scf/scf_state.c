#include "hf/scf/scf_state.h"

#include "hf/tiles/tiling.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

/* A density whose P^2 - P is below this is taken as that of orbitals. */
#define IDEMPOTENT 1e-6

static enum status create_spin(const struct scf_frame *frame, int spin, struct scf_point *point)
{
    const struct dense_grid *grid = frame->problem->grid;
    int64_t n = frame->basis.n_functions, m = frame->basis.n_orbitals;
    TRY(dense_create(grid, m, m, &point->U[spin]));
    TRY(dense_create(grid, m, m, &point->P[spin]));
    TRY(dense_create(grid, m, m, &point->F[spin]));
    TRY(dense_create(grid, n, n, &point->D[spin]));
    TRY(dense_create(grid, n, n, &point->G[spin]));
    point->orbital_energies[spin] = calloc((size_t)m, sizeof(double));
    enum status status = point->orbital_energies[spin]
                             ? STATUS_OK
                             : FAIL(STATUS_NO_MEMORY, "no memory for orbital energies");
    return status_agree(frame->problem->comm, status);
}

enum status scf_point_create(const struct scf_frame *frame, struct scf_point **point)
{
    struct scf_point *new = calloc(1, sizeof *new);
    *point = NULL;
    enum status status = new ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for orbitals");
    TRY(status_agree(frame->problem->comm, status));
    for (int s = 0; s < frame->n_spins && status == STATUS_OK; s++)
        status = create_spin(frame, s, new);
    if (status != STATUS_OK) {
        scf_point_destroy(new);
        return status;
    }
    *point = new;
    return STATUS_OK;
}

void scf_point_destroy(struct scf_point *point)
{
    if (!point)
        return;
    for (int s = 0; s < 2; s++) {
        dense_destroy(point->U[s]);
        dense_destroy(point->P[s]);
        dense_destroy(point->F[s]);
        dense_destroy(point->D[s]);
        dense_destroy(point->G[s]);
        free(point->orbital_energies[s]);
    }
    free(point);
}

enum status scf_point_from_tiles(const struct scf_frame *frame, struct darray *const D[],
                                 struct scf_point *point)
{
    point->idempotent = true;
    for (int s = 0; s < frame->n_spins; s++) {
        struct dense *P = point->P[s], *P2 = frame->work_mm[0];
        TRY(tile_matrix_to_dense(frame->problem->tiling, D[s], point->D[s]));
        TRY(scf_frame_contract(frame, point->D[s], P));
        /* Orbitals of another basis can leave the space that this one spans, so
         * the trace is looked at too. */
        dense_multiply('N', 'N', 1, P, P, 0, P2);
        double trace = dense_dot(P, P);
        dense_add(-1, P, 1, P2);
        if (dense_max_abs(P2) > IDEMPOTENT || fabs(trace - frame->n_occupied[s]) > IDEMPOTENT)
            point->idempotent = false;
    }
    return STATUS_OK;
}

void scf_point_from_projector(const struct scf_frame *frame, struct scf_point *point)
{
    for (int s = 0; s < frame->n_spins; s++)
        scf_frame_expand(frame, frame->occupation, point->P[s], point->D[s]);
    point->idempotent = true;
}

void scf_point_from_orbitals(const struct scf_frame *frame, struct scf_point *point)
{
    for (int s = 0; s < frame->n_spins; s++)
        dense_multiply_columns(1, point->U[s], point->U[s], 0, frame->n_occupied[s], 0,
                               point->P[s]);
    scf_point_from_projector(frame, point);
}

enum status scf_point_build(const struct scf_frame *frame, struct scf_fock *fock, bool whole,
                            struct scf_point *point)
{
    TRY(scf_fock_of_density(fock, point->D, whole, point->G, &point->whole));
    point->one_electron_energy = 0;
    point->two_electron_energy = 0;
    for (int s = 0; s < frame->n_spins; s++) {
        point->one_electron_energy += dense_dot(point->D[s], frame->H);
        point->two_electron_energy += dense_dot(point->D[s], point->G[s]) / 2;
        dense_copy(frame->H, frame->work_nn);
        dense_add(1, point->G[s], 1, frame->work_nn);
        scf_frame_project(frame, frame->work_nn, point->F[s]);
    }
    point->energy =
        point->one_electron_energy + point->two_electron_energy + frame->nuclear_repulsion;
    if (!isfinite(point->energy))
        return FAIL(STATUS_NUMERIC, "the energy is not finite");
    return STATUS_OK;
}

/* This process's max |A_ai| over virtual rows a and occupied columns i. */
static double max_virtual_occupied(const struct dense *A, int n_occupied)
{
    double largest = 0;
    for (int c = 0; c < A->local_columns; c++) {
        if (dense_global_column(A, c) >= n_occupied)
            continue;
        for (int r = 0; r < A->local_rows; r++)
            if (dense_global_row(A, r) >= n_occupied)
                largest = fmax(largest, fabs(A->local[(size_t)c * (size_t)A->local_rows + r]));
    }
    return largest;
}

void scf_point_gradient(const struct scf_frame *frame, struct scf_point *point)
{
    double own = 0, commutator = 0;
    struct dense *FU = frame->work_mm[0], *UFU = frame->work_mm[1];
    for (int s = 0; s < frame->n_spins; s++) {
        if (point->idempotent) {
            dense_multiply('N', 'N', 1, point->F[s], point->U[s], 0, FU);
            dense_multiply('T', 'N', 1, point->U[s], FU, 0, UFU);
            own = fmax(own, max_virtual_occupied(UFU, frame->n_occupied[s]));
        } else {
            scf_point_commutator(frame, point, s, UFU);
            commutator = fmax(commutator, dense_max_abs(UFU));
        }
    }
    MPI_Allreduce(&own, &point->gradient, 1, MPI_DOUBLE, MPI_MAX, frame->problem->comm);
    point->gradient = fmax(point->gradient, commutator);
}

void scf_point_commutator(const struct scf_frame *frame, const struct scf_point *point, int spin,
                          struct dense *error)
{
    struct dense *FP = frame->work_mm[0];
    dense_multiply('N', 'N', 1, point->F[spin], point->P[spin], 0, FP);
    dense_copy(FP, error);
    dense_add_transposed(-1, FP, 1, error);
}

enum status scf_point_diagonalise(const struct scf_frame *frame, struct dense *const matrices[],
                                  struct scf_point *point)
{
    for (int s = 0; s < frame->n_spins; s++)
        TRY(dense_eigen(matrices[s], point->orbital_energies[s], point->U[s]));
    scf_point_from_orbitals(frame, point);
    return STATUS_OK;
}

/* A = F_oo + F_vv - shift P, with F_oo = PFP and F_vv = (1-P) F (1-P): the shift, beyond
 * the spread of F, sets the occupied orbitals apart. */
static void block_diagonal(const struct scf_frame *frame, const struct dense *F,
                           const struct dense *P, double shift, struct dense *A)
{
    struct dense *FP = frame->work_mm[0];
    dense_multiply('N', 'N', 1, F, P, 0, FP);
    dense_copy(F, A);
    dense_add(-1, FP, 1, A);
    dense_add_transposed(-1, FP, 1, A);
    dense_multiply('N', 'N', 2, P, FP, 1, A);
    dense_add(-shift, P, 1, A);
}

enum status scf_point_canonicalise(const struct scf_frame *frame, struct scf_point *point)
{
    for (int s = 0; s < frame->n_spins; s++) {
        double shift = 2 * sqrt(dense_dot(point->F[s], point->F[s])) + 1;
        struct dense *A = frame->work_mm[1];
        block_diagonal(frame, point->F[s], point->P[s], shift, A);
        TRY(dense_eigen(A, point->orbital_energies[s], point->U[s]));
        for (int i = 0; i < frame->n_occupied[s]; i++)
            point->orbital_energies[s][i] += shift;
    }
    return STATUS_OK;
}
