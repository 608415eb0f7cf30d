/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_state.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Upper bound for elements of P^2 - P of a determinant. */
#define IDEMPOTENT 1e-6

enum { N_STATE_MEMBERS = 6 };
static void list_state_matrices(const struct scf_basis *basis, int spin, struct scf_state *state,
                                struct dense_member members[N_STATE_MEMBERS])
{
    int64_t n = basis->n_functions, m = basis->n_orbitals, o = basis->n_occupied[spin];
    const struct dense_member all[N_STATE_MEMBERS] = {
        {&state->U[spin], m, m},    {&state->F[spin], m, m},      {&state->U_o[spin], m, o},
        {&state->FU_o[spin], m, o}, {&state->work_o[spin], m, o}, {&state->C_o[spin], n, o}};
    memcpy(members, all, sizeof all);
}

static enum status create_spin(const struct scf_basis *basis, int spin, struct scf_state *state)
{
    struct dense_member members[N_STATE_MEMBERS];
    list_state_matrices(basis, spin, state, members);
    TRY(dense_create_members(basis->problem->grid, N_STATE_MEMBERS, members));
    size_t size = (size_t)basis->n_orbitals * sizeof(double);
    state->orbital_energies[spin] = agree_calloc(basis->problem->comm, size, "orbital energies");
    return state->orbital_energies[spin] ? STATUS_OK : STATUS_NO_MEMORY;
}

int64_t scf_state_bytes(const struct scf_basis *plan)
{
    struct scf_state state;
    int64_t bytes = (int64_t)sizeof state;
    for (int s = 0; s < plan->problem->n_densities; s++) {
        struct dense_member members[N_STATE_MEMBERS];
        list_state_matrices(plan, s, &state, members);
        bytes += dense_members_bytes(plan->problem->grid, N_STATE_MEMBERS, members) +
                 plan->n_orbitals * (int64_t)sizeof(double);
    }
    return bytes;
}

enum status scf_state_create(const struct scf_basis *basis, struct scf_state **state)
{
    *state = agree_calloc(basis->problem->comm, sizeof **state, "orbitals");
    if (!*state)
        return STATUS_NO_MEMORY;
    for (int s = 0; s < basis->problem->n_densities; s++)
        TRY(create_spin(basis, s, *state));
    return STATUS_OK;
}

void scf_state_destroy(struct scf_state *state)
{
    if (!state)
        return;
    for (int s = 0; s < 2; s++) {
        dense_destroy(state->U[s]);
        dense_destroy(state->U_o[s]);
        dense_destroy(state->FU_o[s]);
        dense_destroy(state->work_o[s]);
        dense_destroy(state->C_o[s]);
        dense_destroy(state->F[s]);
        free(state->orbital_energies[s]);
    }
    free(state);
}

/* Whether P, the projection of a density of a spin, is a projector of the right rank. Orbitals of
 * another basis can leave the space that this one spans, so the trace is looked at too. */
static bool is_projector(const struct scf_basis *basis, const struct dense *P, int n_occupied)
{
    struct dense *P2 = basis->work_mm[0];
    if (fabs(dense_dot(P, P) - n_occupied) > IDEMPOTENT)
        return false;
    dense_multiply('N', 'N', 1, P, P, 0, P2);
    dense_add(-1, P, 1, P2);
    return dense_max_abs(P2) <= IDEMPOTENT;
}

/* U, U_o and the orbital energies of a spin = eigenvectors and eigenvalues of A (destroyed). */
static enum status take_eigenvectors(struct scf_state *state, int spin, struct dense *A)
{
    TRY(dense_eigen(A, state->orbital_energies[spin], state->U[spin]));
    dense_copy_columns(state->U[spin], 0, state->U_o[spin]);
    return STATUS_OK;
}

enum status scf_state_from_tiles(const struct scf_basis *basis, struct darray *const D[],
                                 struct scf_fock *fock, struct scf_state *state)
{
    state->idempotent = true;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        TRY(scf_basis_contract(basis, D[s], state->U[s]));
        if (!is_projector(basis, state->U[s], basis->n_occupied[s]))
            state->idempotent = false;
        scf_fock_set_tiles(fock, s, D[s]);
    }
    return state->idempotent ? scf_state_take_natural(basis, state) : STATUS_OK;
}

enum status scf_state_take_natural(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        /* P in U: occupied orbitals have the lowest eigenvalues of -P, -1 if P is a projector. */
        dense_add(-1, state->U[s], 0, basis->work_mm[0]);
        TRY(take_eigenvectors(state, s, basis->work_mm[0]));
    }
    state->idempotent = true;
    return STATUS_OK;
}

void scf_state_density(const struct scf_basis *basis, struct scf_state *state, int spin)
{
    scf_basis_expand(basis, state->U_o[spin], state->C_o[spin]);
    dense_multiply('N', 'T', basis->problem->electrons_per_orbital, state->C_o[spin],
                   state->C_o[spin], 0, basis->work_nn);
}

enum status scf_state_build(const struct scf_basis *basis, struct scf_fock *fock,
                            struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_densities; s++) {
        scf_state_density(basis, state, s);
        TRY(scf_fock_set_density(fock, s, basis->work_nn));
    }
    return scf_state_build_density(basis, fock, state);
}

enum status scf_state_build_density(const struct scf_basis *basis, struct scf_fock *fock,
                                    struct scf_state *state)
{
    double energies[2];
    TRY(scf_fock_build(fock));
    state->accurate = fock->is_accurate;
    scf_fock_energies(fock, basis->H, energies);
    state->one_electron_energy = energies[0];
    state->two_electron_energy = energies[1];
    state->energy = energies[0] + energies[1] + basis->nuclear_repulsion;
    if (!isfinite(state->energy))
        return FAIL(STATUS_NUMERIC, "the energy is not finite");
    for (int s = 0; s < basis->problem->n_densities; s++) {
        TRY(scf_fock_matrix(fock, s, basis->H, basis->work_nn));
        scf_basis_project(basis, basis->work_nn, state->F[s]);
    }
    return STATUS_OK;
}

/* This process's max |A_ai| over virtual rows a; *square += sum A_ai^2. */
static double max_virtual(const struct dense *A, int n_occupied, double *square)
{
    double largest = 0;
    for (int c = 0; c < A->local_columns; c++)
        for (int r = 0; r < A->local_rows; r++)
            if (dense_global_row(A, r) >= n_occupied) {
                double element = A->local[(size_t)c * (size_t)A->local_rows + r];
                largest = fmax(largest, fabs(element));
                *square += element * element;
            }
    return largest;
}

/* max |(FP - PF)_kl|, P being in U. */
static double max_commutator(const struct scf_basis *basis, const struct scf_state *state, int spin)
{
    struct dense *FP = basis->work_mm[0], *commutator = basis->work_mm[1];
    dense_multiply('N', 'N', 1, state->F[spin], state->U[spin], 0, FP);
    dense_copy(FP, commutator);
    dense_add_transposed(-1, FP, 1, commutator);
    return dense_max_abs(commutator);
}

void scf_state_gradient(const struct scf_basis *basis, struct scf_state *state)
{
    double own = 0, commutator = 0, square = 0;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        if (state->idempotent) {
            struct dense *UFU_o = state->work_o[s];
            dense_multiply('N', 'N', 1, state->F[s], state->U_o[s], 0, state->FU_o[s]);
            dense_multiply('T', 'N', 1, state->U[s], state->FU_o[s], 0, UFU_o);
            own = fmax(own, max_virtual(UFU_o, basis->n_occupied[s], &square));
        } else {
            commutator = fmax(commutator, max_commutator(basis, state, s));
        }
    }
    MPI_Allreduce(&own, &state->gradient, 1, MPI_DOUBLE, MPI_MAX, basis->problem->comm);
    state->gradient = fmax(state->gradient, commutator);
    dense_sum_parts(basis->problem->grid, 1, &square);
    state->norm = state->idempotent ? sqrt(square) : INFINITY;
}

void scf_state_commutator(const struct scf_basis *basis, const struct scf_state *state, int spin,
                          struct dense *error)
{
    struct dense *FP = basis->work_mm[0];
    dense_multiply('N', 'T', 1, state->FU_o[spin], state->U_o[spin], 0, FP);
    dense_copy(FP, error);
    dense_add_transposed(-1, FP, 1, error);
}

enum status scf_state_diagonalise(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_orbital_sets; s++)
        TRY(take_eigenvectors(state, s, state->F[s]));
    state->idempotent = true;
    return STATUS_OK;
}

/* A = F_oo + F_vv - shift P, with F_oo = PFP and F_vv = (1-P) F (1-P): the shift, beyond
 * the spread of F, sets the occupied orbitals apart. By P = U_o U_o^T,
 *   A = F - T - T^T,   T = (F U_o - U_o (U_o^T F U_o - shift / 2)) U_o^T. */
static enum status block_diagonal(const struct scf_basis *basis, const struct scf_state *state,
                                  int spin, double shift, struct dense *A)
{
    const struct dense *U_o = state->U_o[spin];
    struct dense *FU_o = state->FU_o[spin], *T = basis->work_mm[0], *F_oo;
    int n_occupied = basis->n_occupied[spin];
    TRY(dense_create(A->grid, n_occupied, n_occupied, &F_oo));
    dense_multiply('N', 'N', 1, state->F[spin], U_o, 0, FU_o);
    dense_multiply('T', 'N', 1, U_o, FU_o, 0, F_oo);
    dense_multiply('N', 'N', -1, U_o, F_oo, 1, FU_o);
    dense_add(shift / 2, U_o, 1, FU_o);
    dense_multiply('N', 'T', 1, FU_o, U_o, 0, T);
    dense_copy(state->F[spin], A);
    dense_add(-1, T, 1, A);
    dense_add_transposed(-1, T, 1, A);
    dense_destroy(F_oo);
    return STATUS_OK;
}

enum status scf_state_canonicalise(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        double shift = 2 * sqrt(dense_dot(state->F[s], state->F[s])) + 1;
        struct dense *A = basis->work_mm[1];
        TRY(block_diagonal(basis, state, s, shift, A));
        TRY(take_eigenvectors(state, s, A));
        for (int i = 0; i < basis->n_occupied[s]; i++)
            state->orbital_energies[s][i] += shift;
    }
    return STATUS_OK;
}

enum status scf_state_turn(struct scf_state *state, int spin, int occupied, int virtual,
                           double cosine, double sine)
{
    struct dense *U = state->U[spin], *U_i, *U_a, *old;
    const struct dense_member members[] = {
        {&U_i, U->n_rows, 1}, {&U_a, U->n_rows, 1}, {&old, U->n_rows, 1}};
    TRY(dense_create_members(U->grid, 3, members));
    dense_copy_columns(U, occupied, U_i);
    dense_copy_columns(U, virtual, U_a);
    dense_copy(U_i, old);
    dense_add(sine, U_a, cosine, U_i);
    dense_add(-sine, old, cosine, U_a);
    dense_set_columns(U_i, occupied, U);
    dense_set_columns(U_a, virtual, U);
    dense_copy_columns(U, 0, state->U_o[spin]);
    for (int i = 0; i < 3; i++)
        dense_destroy(*members[i].matrix);
    return STATUS_OK;
}
