#include "hf/scf/scf_state.h"

#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

/* A density whose P^2 - P is below this is taken as that of orbitals. */
#define IDEMPOTENT 1e-6

static enum status create_spin(const struct scf_basis *basis, int spin, struct scf_state *state)
{
    const struct dense_grid *grid = basis->problem->grid;
    int64_t n = basis->n_functions, m = basis->n_orbitals;
    TRY(dense_create(grid, m, m, &state->U[spin]));
    TRY(dense_create(grid, m, m, &state->P[spin]));
    TRY(dense_create(grid, m, m, &state->F[spin]));
    TRY(dense_create(grid, n, n, &state->D[spin]));
    TRY(dense_create(grid, n, n, &state->G[spin]));
    state->orbital_energies[spin] = calloc((size_t)m, sizeof(double));
    enum status status =
        CHECK_MEMORY(state->orbital_energies[spin], "no memory for orbital energies");
    return status_agree(basis->problem->comm, status);
}

enum status scf_state_create(const struct scf_basis *basis, struct scf_state **state)
{
    struct scf_state *new = calloc(1, sizeof *new);
    *state = NULL;
    enum status status = CHECK_MEMORY(new, "no memory for orbitals");
    TRY(status_agree(basis->problem->comm, status));
    for (int s = 0; s < basis->n_spins && status == STATUS_OK; s++)
        status = create_spin(basis, s, new);
    if (status != STATUS_OK)
        scf_state_destroy(new);
    *state = status == STATUS_OK ? new : NULL;
    return status;
}

void scf_state_destroy(struct scf_state *state)
{
    if (!state)
        return;
    for (int s = 0; s < 2; s++) {
        dense_destroy(state->U[s]);
        dense_destroy(state->P[s]);
        dense_destroy(state->F[s]);
        dense_destroy(state->D[s]);
        dense_destroy(state->G[s]);
        free(state->orbital_energies[s]);
    }
    free(state);
}

enum status scf_state_from_tiles(const struct scf_basis *basis, struct darray *const D[],
                                 struct scf_state *state)
{
    state->idempotent = true;
    for (int s = 0; s < basis->n_spins; s++) {
        struct dense *P = state->P[s], *P2 = basis->work_mm[0];
        TRY(tile_matrix_to_dense(basis->problem->tiling, D[s], state->D[s]));
        TRY(scf_basis_contract(basis, state->D[s], P));
        /* Orbitals of another basis can leave the space that this one spans, so
         * the trace is looked at too. */
        dense_multiply('N', 'N', 1, P, P, 0, P2);
        double trace = dense_dot(P, P);
        dense_add(-1, P, 1, P2);
        if (dense_max_abs(P2) > IDEMPOTENT || fabs(trace - basis->n_occupied[s]) > IDEMPOTENT)
            state->idempotent = false;
    }
    return STATUS_OK;
}

void scf_state_from_projector(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->n_spins; s++)
        scf_basis_expand(basis, basis->occupation, state->P[s], state->D[s]);
    state->idempotent = true;
}

/* Sets P, D from the first columns of U. */
static void set_density_of_orbitals(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->n_spins; s++)
        dense_multiply_columns(1, state->U[s], state->U[s], 0, basis->n_occupied[s], 0,
                               state->P[s]);
    scf_state_from_projector(basis, state);
}

enum status scf_state_build(const struct scf_basis *basis, struct scf_fock *fock, bool full,
                            struct scf_state *state)
{
    TRY(scf_fock_of_density(fock, state->D, full, state->G, &state->full));
    double energies[2] = {0, 0};
    for (int s = 0; s < basis->n_spins; s++) {
        energies[0] += dense_dot_part(state->D[s], basis->H);
        energies[1] += dense_dot_part(state->D[s], state->G[s]) / 2;
        dense_copy(basis->H, basis->work_nn);
        dense_add(1, state->G[s], 1, basis->work_nn);
        scf_basis_project(basis, basis->work_nn, state->F[s]);
    }
    dense_sum_parts(basis->H->grid, 2, energies);
    state->one_electron_energy = energies[0];
    state->two_electron_energy = energies[1];
    state->energy =
        state->one_electron_energy + state->two_electron_energy + basis->nuclear_repulsion;
    if (!isfinite(state->energy))
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

void scf_state_gradient(const struct scf_basis *basis, struct scf_state *state)
{
    double own = 0, commutator = 0;
    struct dense *FU = basis->work_mm[0], *UFU = basis->work_mm[1];
    for (int s = 0; s < basis->n_spins; s++) {
        if (state->idempotent) {
            dense_multiply('N', 'N', 1, state->F[s], state->U[s], 0, FU);
            dense_multiply('T', 'N', 1, state->U[s], FU, 0, UFU);
            own = fmax(own, max_virtual_occupied(UFU, basis->n_occupied[s]));
        } else {
            scf_state_commutator(basis, state, s, UFU);
            commutator = fmax(commutator, dense_max_abs(UFU));
        }
    }
    MPI_Allreduce(&own, &state->gradient, 1, MPI_DOUBLE, MPI_MAX, basis->problem->comm);
    state->gradient = fmax(state->gradient, commutator);
}

void scf_state_commutator(const struct scf_basis *basis, const struct scf_state *state, int spin,
                          struct dense *error)
{
    struct dense *FP = basis->work_mm[0];
    dense_multiply('N', 'N', 1, state->F[spin], state->P[spin], 0, FP);
    dense_copy(FP, error);
    dense_add_transposed(-1, FP, 1, error);
}

enum status scf_state_diagonalise(const struct scf_basis *basis, struct dense *const matrices[],
                                  struct scf_state *state)
{
    for (int s = 0; s < basis->n_spins; s++)
        TRY(dense_eigen(matrices[s], state->orbital_energies[s], state->U[s]));
    set_density_of_orbitals(basis, state);
    return STATUS_OK;
}

/* A = F_oo + F_vv - shift P, with F_oo = PFP and F_vv = (1-P) F (1-P): the shift, beyond
 * the spread of F, sets the occupied orbitals apart. */
static void block_diagonal(const struct scf_basis *basis, const struct dense *F,
                           const struct dense *P, double shift, struct dense *A)
{
    struct dense *FP = basis->work_mm[0];
    dense_multiply('N', 'N', 1, F, P, 0, FP);
    dense_copy(F, A);
    dense_add(-1, FP, 1, A);
    dense_add_transposed(-1, FP, 1, A);
    dense_multiply('N', 'N', 2, P, FP, 1, A);
    dense_add(-shift, P, 1, A);
}

enum status scf_state_canonicalise(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->n_spins; s++) {
        double shift = 2 * sqrt(dense_dot(state->F[s], state->F[s])) + 1;
        struct dense *A = basis->work_mm[1];
        block_diagonal(basis, state->F[s], state->P[s], shift, A);
        TRY(dense_eigen(A, state->orbital_energies[s], state->U[s]));
        for (int i = 0; i < basis->n_occupied[s]; i++)
            state->orbital_energies[s][i] += shift;
    }
    return STATUS_OK;
}
