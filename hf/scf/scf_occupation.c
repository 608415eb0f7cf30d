/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_occupation.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum status scf_occupation_create(const struct scf_basis *basis, struct scf_occupation **occupation)
{
    size_t m = (size_t)basis->n_orbitals;
    MPI_Comm comm = basis->problem->comm;
    *occupation = agree_calloc(comm, sizeof **occupation, "the occupation");
    if (!*occupation)
        return STATUS_NO_MEMORY;
    struct scf_occupation *self = *occupation;
    self->basis = basis;
    self->p = agree_calloc(comm, m * (2 * sizeof *self->p + sizeof *self->order), "the occupation");
    if (!self->p)
        return STATUS_NO_MEMORY;
    self->energies = self->p + m;
    self->order = (int *)(self->energies + m);
    for (int s = 0; s < basis->problem->n_densities; s++)
        TRY(dense_create(basis->problem->grid, basis->n_orbitals, basis->n_occupied[s],
                         &self->R[s]));
    return STATUS_OK;
}

void scf_occupation_destroy(struct scf_occupation *occupation)
{
    if (!occupation)
        return;
    for (int s = 0; s < 2; s++)
        dense_destroy(occupation->R[s]);
    free(occupation->p);
    free(occupation);
}

int64_t scf_occupation_bytes(const struct scf_basis *plan)
{
    int64_t bytes = (int64_t)(sizeof(struct scf_occupation) +
                              (size_t)plan->n_orbitals * (2 * sizeof(double) + sizeof(int)));
    for (int s = 0; s < plan->problem->n_densities; s++)
        bytes += dense_bytes(plan->problem->grid, plan->n_orbitals, plan->n_occupied[s]);
    return bytes;
}

void scf_occupation_set(struct scf_occupation *occupation, const struct scf_state *state)
{
    for (int s = 0; s < occupation->basis->problem->n_densities; s++)
        dense_copy(state->U_o[s], occupation->R[s]);
    occupation->is_set = true;
}

/* p of the columns of U, the same bits on every process. Overwrites work_o. */
static void find_projections(const struct scf_occupation *occupation, struct scf_state *state,
                             int spin)
{
    const struct scf_basis *basis = occupation->basis;
    struct dense *UR = state->work_o[spin];
    memset(occupation->p, 0, (size_t)basis->n_orbitals * sizeof *occupation->p);
    dense_multiply('T', 'N', 1, state->U[spin], occupation->R[spin], 0, UR);
    for (int c = 0; c < UR->local_columns; c++)
        for (int r = 0; r < UR->local_rows; r++) {
            double element = UR->local[(size_t)c * (size_t)UR->local_rows + (size_t)r];
            occupation->p[dense_global_row(UR, r)] += element * element;
        }
    dense_sum_parts(basis->problem->grid, basis->n_orbitals, occupation->p);
}

/* Whether p[j] is one of the n_occupied largest; of equal ones the first are. */
static bool is_occupied(const struct scf_occupation *occupation, int n_occupied, int j)
{
    const double *p = occupation->p;
    int n_before = 0;
    for (int k = 0; k < occupation->basis->n_orbitals; k++)
        n_before += p[k] > p[j] || (p[k] == p[j] && k < j);
    return n_before < n_occupied;
}

/* The order of the columns; whether it is not the one that they have. */
static bool find_order(const struct scf_occupation *occupation, int n_occupied)
{
    int occupied = 0, virtual = n_occupied;
    bool moved = false;
    for (int j = 0; j < occupation->basis->n_orbitals; j++) {
        bool keep = is_occupied(occupation, n_occupied, j);
        moved = moved || keep != (j < n_occupied);
        occupation->order[keep ? occupied++ : virtual ++] = j;
    }
    return moved;
}

/* Column k of U and its energy = those number order[k]. */
static void reorder_columns(const struct scf_occupation *occupation, struct scf_state *state,
                            int spin)
{
    const struct scf_basis *basis = occupation->basis;
    struct dense *permutation = basis->work_mm[0], *U = basis->work_mm[1];
    double *energies = state->orbital_energies[spin];
    for (int c = 0; c < permutation->local_columns; c++)
        for (int r = 0; r < permutation->local_rows; r++)
            permutation->local[(size_t)c * (size_t)permutation->local_rows + (size_t)r] =
                occupation->order[dense_global_column(permutation, c)] ==
                dense_global_row(permutation, r);
    dense_multiply('N', 'N', 1, state->U[spin], permutation, 0, U);
    dense_copy(U, state->U[spin]);
    for (int k = 0; k < basis->n_orbitals; k++)
        occupation->energies[k] = energies[occupation->order[k]];
    memcpy(energies, occupation->energies, (size_t)basis->n_orbitals * sizeof *energies);
}

/* After the orbitals of a spin of ROHF were reordered: the other spin's are the same. */
static enum status share_order(const struct scf_occupation *occupation, struct scf_state *state,
                               int spin)
{
    size_t size = (size_t)occupation->basis->n_orbitals * sizeof *state->orbital_energies[0];
    if (spin == 0)
        return scf_state_split(occupation->basis, state);
    dense_copy(state->U[1], state->U[0]);
    dense_copy_columns(state->U[0], 0, state->U_o[0]);
    memcpy(state->orbital_energies[0], state->orbital_energies[1], size);
    return STATUS_OK;
}

enum status scf_occupation_keep(const struct scf_occupation *occupation, struct scf_state *state)
{
    const struct scf_basis *basis = occupation->basis;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        int n_occupied = basis->n_occupied[s];
        if (n_occupied == 0)
            continue;
        find_projections(occupation, state, s);
        if (s == 1 && scf_is_rohf(basis->problem)) /* closed ones are among the alpha electrons' */
            memset(occupation->p + basis->n_occupied[0], 0,
                   (size_t)(basis->n_orbitals - basis->n_occupied[0]) * sizeof *occupation->p);
        if (!find_order(occupation, n_occupied))
            continue;
        reorder_columns(occupation, state, s);
        dense_copy_columns(state->U[s], 0, state->U_o[s]);
        if (scf_is_rohf(basis->problem))
            TRY(share_order(occupation, state, s));
    }
    return STATUS_OK;
}

/* eigenvalues of U_o^T R R^T U_o, ascending; n_occupied. A, V: n_occupied x n_occupied. */
static enum status find_cosines(const struct scf_occupation *occupation,
                                const struct scf_state *state, int spin, double *eigenvalues)
{
    struct dense *A = NULL, *B = NULL;
    int64_t o = occupation->basis->n_occupied[spin];
    const struct dense_member members[] = {{&A, o, o}, {&B, o, o}};
    TRY(dense_create_members(occupation->basis->problem->grid, 2, members));
    dense_multiply('T', 'N', 1, state->U_o[spin], occupation->R[spin], 0, B);
    dense_multiply('N', 'T', 1, B, B, 0, A);
    enum status status = dense_eigen(A, eigenvalues, B);
    dense_destroy(A);
    dense_destroy(B);
    return status;
}

enum status scf_occupation_overlap(const struct scf_occupation *occupation,
                                   const struct scf_state *state, double *least)
{
    *least = 1;
    for (int s = 0; s < occupation->basis->problem->n_densities; s++) {
        if (occupation->basis->n_occupied[s] == 0)
            continue;
        TRY(find_cosines(occupation, state, s, occupation->energies));
        *least = fmin(*least, fmax(0, occupation->energies[0]));
    }
    return STATUS_OK;
}
