/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_subspace.h"

#include <math.h>
#include <string.h>

/* A vector whose norm falls below this fraction by orthogonalisation is rounding errors. */
#define LEAST_NEW 1e-8

enum status scf_subspace_init(const struct scf_basis *basis, int capacity,
                              const struct scf_energy_gap *metric, struct scf_subspace *subspace)
{
    *subspace = (struct scf_subspace){.metric = metric, .capacity = capacity};
    TRY(scf_rotations_init(basis, 1, &subspace->scratch));
    TRY(scf_rotations_init(basis, capacity, subspace->x));
    return scf_rotations_init(basis, capacity, subspace->Hx);
}

void scf_subspace_fini(struct scf_subspace *subspace)
{
    scf_rotations_fini(1, &subspace->scratch);
    scf_rotations_fini(subspace->capacity, subspace->x);
    scf_rotations_fini(subspace->capacity, subspace->Hx);
}

int64_t scf_subspace_bytes(const struct scf_basis *plan, int capacity)
{
    return (2 * (int64_t)capacity + 1) * scf_rotation_bytes(plan);
}

/* Removes what vector has of n rotations, orthonormal in the metric M; *before, *left: the square of its
 * norm before and after it. */
static void remove_overlaps(struct scf_subspace *subspace, int n, const struct scf_rotation y[],
                            struct scf_rotation *vector, double *before, double *left)
{
    double dots[SCF_SUBSPACE_VECTORS];
    const struct scf_rotation *Mv = subspace->metric ? &subspace->scratch : vector;
    if (subspace->metric)
        scf_rotation_scale(subspace->metric, SCF_TIMES_GAP, vector, 0, &subspace->scratch);
    scf_rotation_dot_products(n, y, 1, Mv, dots);
    *before = *left = scf_rotation_dot(vector, Mv);
    for (int i = 0; i < n; i++) {
        scf_rotation_add(-dots[i], &y[i], 1, vector);
        *left -= dots[i] * dots[i];
    }
}

/* Makes vector number n orthonormal to those before and to those left out; false if nothing is left. */
static bool orthonormalise(struct scf_subspace *subspace, int n)
{
    struct scf_rotation *vector = &subspace->x[n];
    double first = 0, before, left;
    /* A second pass removes the rounding errors of the first. */
    for (int pass = 0; pass < 2; pass++) {
        if (subspace->n_left_out > 0) {
            remove_overlaps(subspace, subspace->n_left_out, subspace->left_out, vector, &before,
                            &left);
            first = pass == 0 ? before : first;
        }
        remove_overlaps(subspace, n, subspace->x, vector, &before, &left);
        first = first > 0 ? first : before;
    }
    if (!(left > LEAST_NEW * LEAST_NEW * first))
        return false;
    scf_rotation_add(0, vector, 1 / sqrt(left), vector);
    return true;
}

void scf_subspace_add(struct scf_subspace *subspace, const struct scf_rotation *vector)
{
    int place = subspace->n + subspace->n_new;
    if (place == subspace->capacity)
        return;
    scf_rotation_add(1, vector, 0, &subspace->x[place]);
    subspace->n_new += orthonormalise(subspace, place);
}

struct scf_rotation *scf_subspace_vectors(struct scf_subspace *subspace)
{
    return &subspace->x[subspace->n];
}

struct scf_rotation *scf_subspace_products(struct scf_subspace *subspace)
{
    return &subspace->Hx[subspace->n];
}

enum status scf_subspace_extend(struct scf_subspace *subspace)
{
    int first = subspace->n, n = first + subspace->n_new;
    double *C = subspace->combinations;
    double dots[SCF_SUBSPACE_VECTORS * FOCK_MAX_MATRICES];
    scf_rotation_dot_products(n, subspace->x, n - first, &subspace->Hx[first], dots);
    for (int j = first; j < n; j++)
        for (int i = 0; i <= j; i++)
            subspace->matrix[i * SCF_SUBSPACE_VECTORS + j] =
                subspace->matrix[j * SCF_SUBSPACE_VECTORS + i] = dots[(j - first) * n + i];
    subspace->n = n;
    subspace->n_new = 0;
    for (int64_t i = 0; i < n; i++)
        memcpy(C + i * n, subspace->matrix + i * SCF_SUBSPACE_VECTORS, (size_t)n * sizeof *C);
    return symmetric_eigen_in(n, C, subspace->eigenvalues, subspace->work);
}

void scf_subspace_combine(const struct scf_subspace *subspace, const double *C,
                          struct scf_rotation *x, struct scf_rotation *Hx)
{
    for (int i = 0; i < subspace->n; i++) {
        scf_rotation_add(C[i], &subspace->x[i], i > 0, x);
        scf_rotation_add(C[i], &subspace->Hx[i], 1, Hx);
    }
}

/* x[k] = sum_i C[k * n + i] x[i] for k < m, in place. */
static void combine_rotations(int n, int m, const double *C, struct scf_rotation x[])
{
    for (int s = 0; s < 2; s++) {
        size_t size = n > 0 && x[0].kappa[s] ? dense_local_size(x[0].kappa[s]) : 0;
        for (size_t at = 0; at < size; at++) {
            double combined[SCF_SUBSPACE_VECTORS] = {0};
            for (int k = 0; k < m; k++)
                for (int i = 0; i < n; i++)
                    combined[k] += C[k * n + i] * x[i].kappa[s]->local[at];
            for (int k = 0; k < m; k++)
                x[k].kappa[s]->local[at] = combined[k];
        }
    }
}

void scf_subspace_collapse(struct scf_subspace *subspace, int first, int n)
{
    const double *C = subspace->combinations + (int64_t)first * subspace->n;
    combine_rotations(subspace->n, n, C, subspace->x);
    combine_rotations(subspace->n, n, C, subspace->Hx);
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++) {
            double *element = &subspace->matrix[k * SCF_SUBSPACE_VECTORS + l];
            *element = k == l ? subspace->eigenvalues[first + k] : 0;
            subspace->combinations[k * n + l] = k == l;
        }
    memmove(subspace->eigenvalues, subspace->eigenvalues + first, (size_t)n * sizeof(double));
    subspace->n = n;
}
