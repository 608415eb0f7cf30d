/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_level.h"

#include "hf/tiles/tile_symmetry.h"

/* Orbitals closer in energy, hartree, are of one level: the errors of F are some 1e-8 in the first
 * builds. */
#define LEVEL_WIDTH 1e-6

/* Symmetry makes levels of up to 5 orbitals, on an atom 2 l + 1 of them; wider ones are of molecules far
 * apart, and left as they are. */
enum { MAX_LEVEL = 2 * BASIS_MAX_L + 1 };

/* Orbitals first to first + n - 1, and matrices for them. */
struct level {
    int first, n;
    struct dense *U, *turned;  /* m x n: the orbitals */
    struct dense *C;           /* n_functions x n: the orbitals over the functions */
    struct dense *images, *SC; /* n_functions x n */
    struct dense *numbers, *V; /* n x n */
};

enum { N_LEVEL_MEMBERS = 7 };
static void list_level_matrices(const struct scf_basis *basis, struct level *level,
                                struct dense_member members[N_LEVEL_MEMBERS])
{
    int64_t m = basis->n_orbitals, n_functions = basis->n_functions, n = level->n;
    int count = 0;
    members[count++] = (struct dense_member){&level->U, m, n};
    members[count++] = (struct dense_member){&level->turned, m, n};
    members[count++] = (struct dense_member){&level->C, n_functions, n};
    members[count++] = (struct dense_member){&level->images, n_functions, n};
    members[count++] = (struct dense_member){&level->SC, n_functions, n};
    members[count++] = (struct dense_member){&level->numbers, n, n};
    members[count] = (struct dense_member){&level->V, n, n};
}

/* The level of the highest occupied orbital; n = 0 if no virtual one belongs to it. */
static struct level find_cut_level(const struct scf_basis *basis, const double *energies)
{
    int n_occupied = basis->n_occupied[0], first = n_occupied, end = n_occupied;
    if (n_occupied == 0)
        return (struct level){0};
    double highest = energies[n_occupied - 1];
    while (first > 0 && highest - energies[first - 1] < LEVEL_WIDTH)
        first--;
    while (end < basis->n_orbitals && energies[end] - highest < LEVEL_WIDTH)
        end++;
    return (struct level){.first = first, .n = end == n_occupied ? 0 : end - first};
}

/* images = sum over the representations r of r times the part of C in r. */
static void number_parts(const struct scf_basis *basis, struct level *level)
{
    const struct tile_symmetry *operations = basis->problem->operations;
    const struct point_group *group = operations->group;
    for (int k = 0; k < group->order; k++) {
        int sum = 0;
        for (int r = 0; r < group->order; r++)
            sum += r * point_group_character(group, r, k);
        tile_symmetry_matrix(operations, k, basis->work_nn);
        dense_multiply('N', 'N', (double)sum / group->order, basis->work_nn, level->C, k > 0,
                       level->images);
    }
}

/* Turns the orbitals to eigenvectors of the number of their representation, lowest first. */
static enum status separate_representations(const struct scf_basis *basis, struct level *level)
{
    double numbers[MAX_LEVEL];
    scf_basis_expand(basis, level->U, level->C);
    number_parts(basis, level);
    TRY(scf_basis_load(basis, basis->S));
    dense_multiply('N', 'N', 1, basis->work_nn, level->C, 0, level->SC);
    dense_multiply('T', 'N', 0.5, level->images, level->SC, 0, level->numbers);
    dense_multiply('T', 'N', 0.5, level->SC, level->images, 1, level->numbers);
    TRY(dense_eigen(level->numbers, numbers, level->V));
    dense_multiply('N', 'N', 1, level->U, level->V, 0, level->turned);
    return STATUS_OK;
}

static void destroy_matrices(const struct dense_member members[N_LEVEL_MEMBERS])
{
    for (int i = 0; i < N_LEVEL_MEMBERS; i++)
        dense_destroy(*members[i].matrix);
}

enum status scf_level_turn(const struct scf_basis *basis, struct scf_state *state)
{
    struct dense_member members[N_LEVEL_MEMBERS];
    if (!basis->problem->operations || basis->n_spins > 1)
        return STATUS_OK;
    struct level level = find_cut_level(basis, state->orbital_energies[0]);
    if (level.n == 0 || level.n > MAX_LEVEL)
        return STATUS_OK;
    list_level_matrices(basis, &level, members);
    TRY(dense_create_members(basis->problem->grid, N_LEVEL_MEMBERS, members));
    dense_copy_columns(state->U[0], level.first, level.U);
    enum status status = separate_representations(basis, &level);
    if (status == STATUS_OK) {
        dense_set_columns(level.turned, level.first, state->U[0]);
        dense_copy_columns(state->U[0], 0, state->U_o[0]);
    }
    destroy_matrices(members);
    return status;
}
