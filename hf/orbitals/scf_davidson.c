/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_davidson.h"

#include <math.h>
#include <string.h>

enum { KEPT_VECTORS = 4 };

_Static_assert((int)DAVIDSON_VECTORS <= (int)SCF_MAX_COMBINED,
               "combinations of that many rotations");

/* The diagonal of the Hessian lies below the differences of orbital energies by about this fraction of
 * what the lowest vector has of the two-electron part. */
#define TWO_ELECTRON_FRACTION 0.4

/* vectors, products, next, free_rotations, x and scratch. */
enum { N_ROTATIONS = 2 * DAVIDSON_VECTORS + DAVIDSON_MAX_NEW + SCF_MAX_FREE_ROTATIONS + 2 };

static void list_rotations(struct davidson *davidson, struct scf_rotation *all[N_ROTATIONS])
{
    int n = 0;
    all[n++] = &davidson->x;
    all[n++] = &davidson->scratch;
    for (int i = 0; i < DAVIDSON_MAX_NEW; i++)
        all[n++] = &davidson->next[i];
    for (int i = 0; i < SCF_MAX_FREE_ROTATIONS; i++)
        all[n++] = &davidson->free_rotations[i];
    for (int i = 0; i < DAVIDSON_VECTORS; i++) {
        all[n++] = &davidson->vectors[i];
        all[n++] = &davidson->products[i];
    }
}

void davidson_fini(struct davidson *davidson)
{
    struct scf_rotation *all[N_ROTATIONS];
    list_rotations(davidson, all);
    for (int i = 0; i < N_ROTATIONS; i++)
        scf_rotation_fini(all[i]);
}

int64_t davidson_bytes(const struct scf_basis *plan)
{
    return N_ROTATIONS * scf_rotation_bytes(plan);
}

/* y = x over the differences of orbital energies less shift; the floor keeps them positive. */
static void divide_by_gaps(const struct davidson *davidson, double shift,
                           const struct scf_rotation *x, struct scf_rotation *y)
{
    struct scf_energy_gap gap = {
        .orbital_energies = {davidson->hessian->orbital_energies[0],
                             davidson->hessian->orbital_energies[1]},
        .shift = -shift,
        .floor = 0.1,
    };
    scf_rotation_divide(&gap, x, y);
}

/* The dimension of the space. */
static int64_t count_rotations(const struct scf_basis *basis)
{
    int64_t n = 0;
    for (int s = 0; s < basis->n_spins; s++)
        n += (int64_t)basis->n_occupied[s] * (basis->n_orbitals - basis->n_occupied[s]);
    return n;
}

/* Removes what vector has of n orthonormal ones; the square of its norm after it. *before: before it,
 * unless it is known. */
static double remove_parts(int n, const struct scf_rotation orthonormal[],
                           struct scf_rotation *vector, double *before)
{
    double dots[DAVIDSON_VECTORS + 1], left;
    scf_rotation_dots(n, orthonormal, vector, dots);
    *before = *before > 0 ? *before : dots[n];
    left = dots[n];
    for (int i = 0; i < n; i++) {
        scf_rotation_add(-dots[i], &orthonormal[i], 1, vector);
        left -= dots[i] * dots[i];
    }
    return left;
}

/* A soft mode of which less is left without free rotations is one of them. */
#define LEAST_LEFT 0.5

/* Sets x to a unit vector along the first soft mode that is no free rotation; false if there is none. */
static bool set_soft(const struct davidson *davidson, const struct davidson_start *start,
                     struct scf_rotation *x)
{
    for (int i = 0; start->soft && i < start->soft->n; i++) {
        double before = 0;
        scf_rotation_add(1, &start->soft->x[i], 0, x);
        double square = remove_parts(davidson->n_free, davidson->free_rotations, x, &before);
        if (square > LEAST_LEFT * before) {
            scf_rotation_add(0, x, 1 / sqrt(square), x);
            return true;
        }
    }
    return false;
}

enum status davidson_init(struct scf_hessian *hessian, const struct davidson_start *start,
                          struct davidson *davidson)
{
    *davidson = (struct davidson){.hessian = hessian, .most_new = start->most_new};
    struct scf_rotation *all[N_ROTATIONS];
    list_rotations(davidson, all);
    TRY(scf_rotations_init(hessian->basis, N_ROTATIONS, all));
    if (start->leave_out_free)
        TRY(scf_find_free_rotations(hessian, davidson->free_rotations, &davidson->n_free));
    if (davidson->n_free == count_rotations(hessian->basis))
        davidson->n_free = 0;
    davidson->has_soft = set_soft(davidson, start, &davidson->next[0]);
    for (int i = davidson->has_soft; i < start->most_new; i++) {
        scf_rotation_set_noise(i, &davidson->next[i]);
        for (int k = 0; k < start->n_divisions; k++)
            divide_by_gaps(davidson, 0, &davidson->next[i], &davidson->next[i]);
    }
    return STATUS_OK;
}

/* Makes vector number n a unit vector orthogonal to those before and to free rotations; false if
 * nothing is left. */
static bool orthonormalise(struct davidson *davidson, int n)
{
    struct scf_rotation *vector = &davidson->vectors[n];
    double before = 0, left = 0;
    /* Twice: the first pass leaves rounding errors of what it removes. */
    for (int pass = 0; pass < 2; pass++) {
        if (davidson->n_free > 0)
            remove_parts(davidson->n_free, davidson->free_rotations, vector, &before);
        left = remove_parts(n, davidson->vectors, vector, &before);
    }
    double norm = sqrt(fmax(0, left));
    if (!(norm > 1e-8 * sqrt(before)))
        return false;
    scf_rotation_add(0, vector, 1 / norm, vector);
    return true;
}

void davidson_choose(struct davidson *davidson, int n)
{
    davidson->n_new = 0;
    for (int i = 0; i < n; i++) {
        int place = davidson->n_vectors + davidson->n_new;
        scf_rotation_add(1, &davidson->next[i], 0, &davidson->vectors[place]);
        davidson->n_new += orthonormalise(davidson, place);
    }
}

/* Takes the new vectors and their products into the subspace. */
static void extend_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors + davidson->n_new;
    scf_rotations_extend_matrix(davidson->n_vectors, n, davidson->vectors, davidson->products,
                                DAVIDSON_VECTORS, davidson->matrix);
    davidson->n_vectors = n;
    davidson->n_new = 0;
}

/* x of the eigenvector number k of the subspace, and residual = H x - eigenvalue x. */
static void form_residual(const struct davidson *davidson, int k, struct scf_rotation *x,
                          struct scf_rotation *residual)
{
    int n = davidson->n_vectors;
    const double *C = davidson->combinations + (int64_t)k * n;
    for (int i = 0; i < n; i++) {
        scf_rotation_add(C[i], &davidson->vectors[i], i > 0, x);
        scf_rotation_add(C[i], &davidson->products[i], i > 0, residual);
    }
    scf_rotation_add(-davidson->eigenvalues[k], x, 1, residual);
}

enum status davidson_solve(struct davidson *davidson)
{
    extend_subspace(davidson);
    int n = davidson->n_vectors;
    double *C = davidson->combinations;
    struct scf_rotation *residual = &davidson->next[0];
    for (int64_t i = 0; i < n; i++)
        memcpy(C + i * n, davidson->matrix + i * DAVIDSON_VECTORS, (size_t)n * sizeof(double));
    TRY(symmetric_eigen_in(n, C, davidson->eigenvalues, davidson->work));
    form_residual(davidson, 0, &davidson->x, residual);
    davidson->residual_norm = sqrt(scf_rotation_dot(residual, residual));
    return STATUS_OK;
}

/* next[k] = the correction of x number k whose residual it is: divided by the diagonal of the Hessian
 * less the eigenvalue, as far as differences of orbital energies and x know the diagonal. */
static void precondition(struct davidson *davidson, int k, const struct scf_rotation *x)
{
    struct scf_rotation *next = &davidson->next[k];
    double eigenvalue = davidson->eigenvalues[k];
    double gap = scf_rotation_mean_gap(davidson->hessian->orbital_energies, x);
    double shift = eigenvalue + TWO_ELECTRON_FRACTION * (gap - eigenvalue);
    divide_by_gaps(davidson, shift, next, next);
}

/* Keeps only the lowest combinations when there is no room. One alone would forget the way that
 * led to it: eigenvalues near zero, which transition metals have, then never settle. */
static void collapse_subspace(struct davidson *davidson)
{
    if (davidson->n_vectors + davidson->most_new <= DAVIDSON_VECTORS)
        return;
    const double *C = davidson->combinations;
    scf_rotations_combine(davidson->n_vectors, KEPT_VECTORS, C, davidson->vectors);
    scf_rotations_combine(davidson->n_vectors, KEPT_VECTORS, C, davidson->products);
    for (int k = 0; k < KEPT_VECTORS; k++)
        for (int l = 0; l < KEPT_VECTORS; l++)
            davidson->matrix[k * DAVIDSON_VECTORS + l] = k == l ? davidson->eigenvalues[k] : 0;
    davidson->n_vectors = KEPT_VECTORS;
    for (int i = 0; i < KEPT_VECTORS * KEPT_VECTORS; i++)
        davidson->combinations[i] = i % (KEPT_VECTORS + 1) == 0;
}

void davidson_prepare(struct davidson *davidson)
{
    precondition(davidson, 0, &davidson->x);
    /* Fewer vectors leave noise in the other places. */
    for (int k = 1; k < davidson->most_new && k < davidson->n_vectors; k++) {
        form_residual(davidson, k, &davidson->scratch, &davidson->next[k]);
        precondition(davidson, k, &davidson->scratch);
    }
    collapse_subspace(davidson);
}
