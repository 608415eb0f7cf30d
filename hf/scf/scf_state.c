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

/* U_o of the columns of U of a spin; of ROHF, of all. */
static void take_columns(const struct scf_basis *basis, struct scf_state *state, int spin)
{
    dense_copy_columns(state->U[spin], 0, state->U_o[spin]);
    if (!scf_is_rohf(basis->problem))
        return;
    dense_copy(state->U[0], state->U[1]);
    dense_copy_columns(state->U[1], 0, state->U_o[1]);
    memcpy(state->orbital_energies[1], state->orbital_energies[0],
           (size_t)basis->n_orbitals * sizeof *state->orbital_energies[1]);
}

/* U, U_o and the orbital energies of a spin = eigenvectors and eigenvalues of A (destroyed). */
static enum status take_eigenvectors(const struct scf_basis *basis, struct scf_state *state,
                                     int spin, struct dense *A)
{
    TRY(dense_eigen(A, state->orbital_energies[spin], state->U[spin]));
    take_columns(basis, state, spin);
    return STATUS_OK;
}

/* Whether the densities of both spins, projectors in U, are of the same orbitals: P_a P_b = P_b. */
static bool share_orbitals(const struct scf_basis *basis, const struct scf_state *state)
{
    return !scf_is_rohf(basis->problem) ||
           fabs(dense_dot(state->U[0], state->U[1]) - basis->n_occupied[1]) <= IDEMPOTENT;
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
    state->idempotent = state->idempotent && share_orbitals(basis, state);
    return state->idempotent ? scf_state_take_natural(basis, state) : STATUS_OK;
}

enum status scf_state_take_natural(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        /* P in U: occupied orbitals have the lowest eigenvalues of -P, -1 if P is a projector; of
         * the sum of both spins, closed ones -2. */
        dense_add(-1, state->U[s], 0, basis->work_mm[0]);
        if (scf_is_rohf(basis->problem))
            dense_add(-1, state->U[1], 1, basis->work_mm[0]);
        TRY(take_eigenvectors(basis, state, s, basis->work_mm[0]));
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

/* Between closed and virtual orbitals of ROHF, which both spins rotate together, either matrix over
 * orbitals gets the mean of both. Closed ones are the first columns. */
static void average_spins(const struct scf_basis *basis, struct dense *alpha, struct dense *beta)
{
    for (int c = 0; c < beta->local_columns; c++)
        for (int r = 0; r < beta->local_rows; r++)
            if (dense_global_row(beta, r) >= basis->n_occupied[0]) {
                size_t at = (size_t)c * (size_t)beta->local_rows + (size_t)r;
                alpha->local[at] = beta->local[at] = (alpha->local[at] + beta->local[at]) / 2;
            }
}

/* work_o = U^T F U_o and FU_o of each spin. */
static void multiply_occupied(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_densities; s++) {
        dense_multiply('N', 'N', 1, state->F[s], state->U_o[s], 0, state->FU_o[s]);
        dense_multiply('T', 'N', 1, state->U[s], state->FU_o[s], 0, state->work_o[s]);
    }
    if (!scf_is_rohf(basis->problem))
        return;
    average_spins(basis, state->work_o[0], state->work_o[1]);
    for (int s = 0; s < 2; s++)
        dense_multiply('N', 'N', 1, state->U[s], state->work_o[s], 0, state->FU_o[s]);
}

void scf_state_gradient(const struct scf_basis *basis, struct scf_state *state)
{
    double own = 0, commutator = 0, square = 0;
    if (state->idempotent)
        multiply_occupied(basis, state);
    for (int s = 0; s < basis->problem->n_densities; s++) {
        if (state->idempotent)
            own = fmax(own, max_virtual(state->work_o[s], basis->n_occupied[s], &square));
        else
            commutator = fmax(commutator, max_commutator(basis, state, s));
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

void scf_state_constrain(const struct scf_basis *basis, struct scf_state *state)
{
    struct dense *Y = state->work_o[1], *T = basis->work_mm[0];
    if (!scf_is_rohf(basis->problem))
        return;
    dense_copy(state->FU_o[1], Y);
    dense_multiply('N', 'N', -1, state->F[1], state->U_o[1], 1, Y);
    dense_multiply('N', 'T', 1, Y, state->U_o[1], 0, T);
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? -1 : 1;
        dense_add(sign, T, 1, state->F[s]);
        dense_add_transposed(sign, T, 1, state->F[s]);
    }
}

enum status scf_state_split(const struct scf_basis *basis, struct scf_state *state)
{
    const struct dense *U_o = state->U_o[0];
    struct dense *A = NULL, *W = NULL, *work = state->work_o[0];
    int64_t o = basis->n_occupied[0];
    const struct dense_member members[] = {{&A, o, o}, {&W, o, o}};
    TRY(dense_create_members(U_o->grid, 2, members));
    dense_multiply('N', 'N', 1, state->F[1], U_o, 0, work);
    dense_multiply('T', 'N', 1, U_o, work, 0, A);
    enum status status = dense_eigen(A, state->orbital_energies[0], W);
    if (status == STATUS_OK) {
        dense_multiply('N', 'N', 1, U_o, W, 0, work);
        dense_set_columns(work, 0, state->U[0]);
        take_columns(basis, state, 0);
    }
    dense_destroy(A);
    dense_destroy(W);
    return status;
}

enum status scf_state_diagonalise(const struct scf_basis *basis, struct scf_state *state)
{
    for (int s = 0; s < basis->problem->n_orbital_sets; s++)
        TRY(take_eigenvectors(basis, state, s, state->F[s]));
    state->idempotent = true;
    return scf_is_rohf(basis->problem) ? scf_state_split(basis, state) : STATUS_OK;
}

/* A becomes A_oo + A_vv - shift P, with A_oo = PAP and A_vv = (1-P) A (1-P): the shift, beyond
 * the spread of A, sets the occupied orbitals of the spin apart. By P = U_o U_o^T,
 *   A - T - T^T,   T = (A U_o - U_o (U_o^T A U_o - shift / 2)) U_o^T. */
static enum status block_diagonal(const struct scf_basis *basis, const struct scf_state *state,
                                  int spin, double shift, struct dense *A)
{
    const struct dense *U_o = state->U_o[spin];
    struct dense *AU_o = state->FU_o[spin], *T = basis->work_mm[0], *A_oo;
    int n_occupied = basis->n_occupied[spin];
    TRY(dense_create(A->grid, n_occupied, n_occupied, &A_oo));
    dense_multiply('N', 'N', 1, A, U_o, 0, AU_o);
    dense_multiply('T', 'N', 1, U_o, AU_o, 0, A_oo);
    dense_multiply('N', 'N', -1, U_o, A_oo, 1, AU_o);
    dense_add(shift / 2, U_o, 1, AU_o);
    dense_multiply('N', 'T', 1, AU_o, U_o, 0, T);
    dense_add(-1, T, 1, A);
    dense_add_transposed(-1, T, 1, A);
    dense_destroy(A_oo);
    return STATUS_OK;
}

/* Orbitals of ROHF diagonalise the mean of both Fock matrices among the closed, the open and the virtual
 * ones. An open one of eigenvalue e has e + d and e - d, with d the mean over all open ones of
 * (F_a - F_b) / 2. */
static enum status canonicalise_open(const struct scf_basis *basis, struct scf_state *state)
{
    struct dense *A = basis->work_mm[1];
    int n_alpha = basis->n_occupied[0], n_beta = basis->n_occupied[1];
    double *energies[2] = {state->orbital_energies[0], state->orbital_energies[1]}, split = 0;
    for (int s = 0; s < 2; s++) { /* trace((F_a - F_b) / 2 (P_a - P_b)) */
        double sign = s == 0 ? 0.5 : -0.5;
        dense_multiply('N', 'N', sign, state->F[0], state->U_o[s], 0, state->FU_o[s]);
        dense_multiply('N', 'N', -sign, state->F[1], state->U_o[s], 1, state->FU_o[s]);
        split += dense_dot(state->FU_o[s], state->U_o[s]) / (n_alpha - n_beta);
    }
    dense_add(0.5, state->F[0], 0, A);
    dense_add(0.5, state->F[1], 1, A);
    double shift = 2 * sqrt(dense_dot(A, A)) + 1;
    for (int s = 0; s < 2; s++)
        TRY(block_diagonal(basis, state, s, shift, A));
    TRY(take_eigenvectors(basis, state, 0, A));
    for (int i = 0; i < n_alpha; i++)
        energies[0][i] += i < n_beta ? 2 * shift : shift;
    for (int i = 0; i < basis->n_orbitals; i++) {
        bool is_open = i >= n_beta && i < n_alpha;
        energies[1][i] = is_open ? energies[0][i] - split : energies[0][i];
        energies[0][i] += is_open ? split : 0;
    }
    return STATUS_OK;
}

enum status scf_state_semicanonicalise(const struct scf_basis *basis, struct scf_state *state,
                                       int spin, double *energies, struct dense *U)
{
    struct dense *A = basis->work_mm[1];
    double shift = 2 * sqrt(dense_dot(state->F[spin], state->F[spin])) + 1;
    dense_copy(state->F[spin], A);
    TRY(block_diagonal(basis, state, spin, shift, A));
    TRY(dense_eigen(A, energies, U));
    for (int i = 0; i < basis->n_occupied[spin]; i++)
        energies[i] += shift;
    return STATUS_OK;
}

enum status scf_state_canonicalise(const struct scf_basis *basis, struct scf_state *state)
{
    if (scf_is_rohf(basis->problem))
        return canonicalise_open(basis, state);
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        TRY(scf_state_semicanonicalise(basis, state, s, state->orbital_energies[s], state->U[s]));
        take_columns(basis, state, s);
    }
    return STATUS_OK;
}

double scf_state_orbital_energy(const struct scf_basis *basis, const struct scf_state *state,
                                int spin, int orbital)
{
    double *const *energies = state->orbital_energies;
    return scf_is_rohf(basis->problem) ? (energies[0][orbital] + energies[1][orbital]) / 2
                                       : energies[spin][orbital];
}

enum status scf_state_turn(const struct scf_basis *basis, struct scf_state *state, int spin,
                           int occupied, int virtual, double cosine, double sine)
{
    int set = scf_is_rohf(basis->problem) ? 0 : spin;
    struct dense *U = state->U[set], *U_i, *U_a, *old;
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
    take_columns(basis, state, set);
    for (int i = 0; i < 3; i++)
        dense_destroy(*members[i].matrix);
    return STATUS_OK;
}
