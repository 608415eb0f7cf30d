/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_stability.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf_free_rotation.h"
#include "hf/tiles/screening.h"
#include "support/arrays/dense.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_VECTORS = 12, KEPT_VECTORS = 4, MAX_PRODUCTS = 60, MIN_PRODUCTS = 5 };

/* A residual below this fraction of the eigenvalue, or below this, is small enough unless the sign
 * of a smaller eigenvalue is in doubt. */
#define RESIDUAL_FRACTION 0.05
#define SMALL_RESIDUAL    3e-4

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy.
 */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* The search for the lowest eigenvalue of a block of the Hessian: vectors, products and the three
 * after them are N_ROTATIONS. */
enum { N_ROTATIONS = 2 * MAX_VECTORS + 3 };
struct davidson {
    struct scf_hessian *hessian;
    struct scf_curvature *curvature; /* the outcome; borrowed */
    int n_vectors;
    struct scf_rotation vectors[MAX_VECTORS];       /* orthonormal */
    struct scf_rotation products[MAX_VECTORS];      /* H times each */
    double matrix[MAX_VECTORS * MAX_VECTORS];       /* of H between them */
    double combinations[MAX_VECTORS * MAX_VECTORS]; /* its eigenvectors, n_vectors each */
    double eigenvalues[MAX_VECTORS];
    double work[SYMMETRIC_EIGEN_WORK * MAX_VECTORS];
    struct scf_rotation residual; /* H x - eigenvalue x, then the next vector */
    struct scf_rotation x, Hx;    /* of the lowest */
    double residual_norm;
    bool is_own; /* in the state's own space, where it has a gradient and free rotations */
    bool done;
};

static void davidson_fini(struct davidson *davidson)
{
    for (int i = 0; i < MAX_VECTORS; i++) {
        scf_rotation_fini(&davidson->vectors[i]);
        scf_rotation_fini(&davidson->products[i]);
    }
    scf_rotation_fini(&davidson->residual);
    scf_rotation_fini(&davidson->x);
    scf_rotation_fini(&davidson->Hx);
}

/* The gap that an eigenvalue has to reach for a vector to matter; keeps the
 * preconditioner positive. */
static void precondition(struct davidson *davidson, const struct scf_rotation *x,
                         struct scf_rotation *y)
{
    struct scf_energy_gap gap = {
        .orbital_energies = {davidson->hessian->orbital_energies[0],
                             davidson->hessian->orbital_energies[1]},
        .shift = -davidson->curvature->eigenvalue,
        .floor = 0.1,
    };
    scf_rotation_divide(&gap, x, y);
}

/* Starts from all rotations, whatever their symmetry. Errors: on failure davidson_fini still has
 * to be called. */
static enum status davidson_init(struct scf_hessian *hessian, bool is_own,
                                 struct scf_curvature *curvature, struct davidson *davidson)
{
    *curvature = (struct scf_curvature){.error = INFINITY};
    *davidson = (struct davidson){.hessian = hessian, .curvature = curvature, .is_own = is_own};
    struct scf_rotation *all[N_ROTATIONS] = {&davidson->residual, &davidson->x, &davidson->Hx};
    for (int i = 0; i < MAX_VECTORS; i++) {
        all[3 + 2 * i] = &davidson->vectors[i];
        all[4 + 2 * i] = &davidson->products[i];
    }
    TRY(scf_rotations_init(hessian->basis, N_ROTATIONS, all));
    scf_rotation_set_noise(&davidson->Hx);
    precondition(davidson, &davidson->Hx, &davidson->residual);
    return STATUS_OK;
}

/* Makes the residual a unit vector orthogonal to those kept; false if nothing is left. */
static bool orthonormalise(struct davidson *davidson)
{
    int n = davidson->n_vectors;
    double dots[MAX_VECTORS + 1], before = 0, left = 0;
    /* Twice: the first pass leaves rounding errors of what it removes. */
    for (int pass = 0; pass < 2; pass++) {
        scf_rotation_dots(n, davidson->vectors, &davidson->residual, dots);
        before = pass == 0 ? dots[n] : before;
        left = dots[n];
        for (int i = 0; i < n; i++) {
            scf_rotation_add(-dots[i], &davidson->vectors[i], 1, &davidson->residual);
            left -= dots[i] * dots[i];
        }
    }
    double norm = sqrt(fmax(0, left));
    if (!(norm > 1e-8 * sqrt(before)))
        return false;
    scf_rotation_add(0, &davidson->residual, 1 / norm, &davidson->residual);
    return true;
}

/* Takes the residual as the next vector, whose product is to come; the search is done if there is
 * none. */
static void choose_vector(struct davidson *davidson)
{
    if (davidson->done)
        return;
    if (davidson->curvature->n_products == MAX_PRODUCTS || !orthonormalise(davidson))
        davidson->done = true;
    else
        scf_rotation_add(1, &davidson->residual, 0, &davidson->vectors[davidson->n_vectors]);
}

/* Takes the new vector and its product into the subspace. */
static void extend_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors++;
    double dots[MAX_VECTORS + 1];
    davidson->curvature->n_products++;
    scf_rotation_dots(n + 1, davidson->vectors, &davidson->products[n], dots);
    for (int i = 0; i <= n; i++)
        davidson->matrix[i * MAX_VECTORS + n] = davidson->matrix[n * MAX_VECTORS + i] = dots[i];
}

/* x, Hx, the eigenvalue and the residual of the lowest combination. */
static enum status solve_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors;
    double *C = davidson->combinations;
    for (int64_t i = 0; i < n; i++)
        memcpy(C + i * n, davidson->matrix + i * MAX_VECTORS, (size_t)n * sizeof(double));
    TRY(symmetric_eigen_in(n, C, davidson->eigenvalues, davidson->work));
    for (int i = 0; i < n; i++) {
        scf_rotation_add(C[i], &davidson->vectors[i], i > 0, &davidson->x);
        scf_rotation_add(C[i], &davidson->products[i], i > 0, &davidson->Hx);
    }
    scf_rotation_add(1, &davidson->Hx, 0, &davidson->residual);
    scf_rotation_add(-davidson->eigenvalues[0], &davidson->x, 1, &davidson->residual);
    davidson->residual_norm = sqrt(scf_rotation_dot(&davidson->residual, &davidson->residual));
    davidson->curvature->eigenvalue = davidson->eigenvalues[0];
    return STATUS_OK;
}

/* The first rotations become the lowest combinations of all, in place. */
static void combine_rotations(const struct davidson *davidson, struct scf_rotation *rotations)
{
    int n = davidson->n_vectors;
    for (int s = 0; s < 2; s++) {
        size_t size = rotations[0].kappa[s] ? dense_local_size(rotations[0].kappa[s]) : 0;
        for (size_t at = 0; at < size; at++) {
            double kept[KEPT_VECTORS] = {0};
            for (int k = 0; k < KEPT_VECTORS; k++)
                for (int i = 0; i < n; i++)
                    kept[k] += davidson->combinations[k * n + i] * rotations[i].kappa[s]->local[at];
            for (int k = 0; k < KEPT_VECTORS; k++)
                rotations[k].kappa[s]->local[at] = kept[k];
        }
    }
}

/* Keeps only the lowest combinations when there is no room. One alone would forget the way that
 * led to it: eigenvalues near zero, which transition metals have, then never settle. */
static void collapse_subspace(struct davidson *davidson)
{
    if (davidson->n_vectors < MAX_VECTORS)
        return;
    combine_rotations(davidson, davidson->vectors);
    combine_rotations(davidson, davidson->products);
    for (int k = 0; k < KEPT_VECTORS; k++)
        for (int l = 0; l < KEPT_VECTORS; l++)
            davidson->matrix[k * MAX_VECTORS + l] = k == l ? davidson->eigenvalues[k] : 0;
    davidson->n_vectors = KEPT_VECTORS;
}

/* An estimate of how far below the Ritz value e_1 = eigenvalues[0] its eigenvalue lies, after
 * Temple's inequality: the square of the residual over the distance from e_1 to the next
 * eigenvalue. The inequality needs a lower bound of that; the next Ritz value, which is an upper
 * one, stands for it. A cluster of eigenvalues counts as one, but for its width, min_k [ e_k - e_1
 * + residual^2 / (e_k+1 - e_1) ]. In any case an eigenvalue lies within the residual. Source:
 * Temple, Proc. R. Soc. Lond. A 119, 276 (1928). */
static double estimate_eigenvalue_error(const struct davidson *davidson)
{
    const double *e = davidson->eigenvalues;
    double residual = davidson->residual_norm, error = residual;
    for (int k = 0; k + 1 < davidson->n_vectors; k++)
        error = fmin(error, e[k] - e[0] + residual * residual / (e[k + 1] - e[0]));
    return error;
}

/* Error of the lowest eigenvalue that more products do not make smaller: of screening, and because
 * the state is off the stationary point by the gradient over the curvature, along x and across. */
static double estimate_eigenvalue_noise(const struct davidson *davidson)
{
    const struct scf_hessian *hessian = davidson->hessian;
    double all = sqrt(scf_rotation_dot(&hessian->gradient, &hessian->gradient));
    double along = davidson->is_own ? fabs(scf_rotation_dot(&hessian->gradient, &davidson->x)) : 0;
    double distance = all / TYPICAL_CURVATURE;
    if (along > 0)
        distance += along / fmax(fabs(davidson->eigenvalues[0]), along);
    return SCREENING_ERROR * fock_threshold(hessian->basis->problem->fock) +
           THIRD_DERIVATIVE * distance;
}

/* Whether the residual is small enough but for doubts about the sign. A positive eigenvalue has to
 * last, because the first vectors may lack what leads lower. */
static bool is_residual_small(const struct davidson *davidson)
{
    const struct scf_curvature *curvature = davidson->curvature;
    bool lasted =
        curvature->n_products >= MIN_PRODUCTS || curvature->eigenvalue < -curvature->noise;
    return davidson->residual_norm < SMALL_RESIDUAL ||
           (lasted && davidson->residual_norm < RESIDUAL_FRACTION * fabs(curvature->eigenvalue));
}

/* Errors of the lowest eigenvalue. The search is done if its sign is known, or if the error
 * is mostly noise. */
static enum status check_lowest(struct davidson *davidson)
{
    struct scf_curvature *curvature = davidson->curvature;
    double eigenvalue_error = estimate_eigenvalue_error(davidson);
    curvature->noise = estimate_eigenvalue_noise(davidson);
    davidson->done = is_residual_small(davidson);
    curvature->error = davidson->done ? curvature->noise + eigenvalue_error : INFINITY;
    if (!davidson->done || fabs(curvature->eigenvalue) > curvature->error)
        return STATUS_OK;
    if (davidson->is_own)
        TRY(scf_is_free_rotation(davidson->hessian, &davidson->x, &curvature->is_free));
    davidson->done = curvature->is_free || eigenvalue_error < curvature->noise;
    return STATUS_OK;
}

static enum status advance_search(struct davidson *davidson)
{
    extend_subspace(davidson);
    TRY(solve_subspace(davidson));
    TRY(check_lowest(davidson));
    if (davidson->done)
        return STATUS_OK;
    collapse_subspace(davidson);
    precondition(davidson, &davidson->residual, &davidson->residual);
    return STATUS_OK;
}

/* The products of the new vectors of all searches that are not done. */
static enum status multiply_vectors(struct scf_hessian *hessian, int n, struct davidson searches[])
{
    const struct scf_rotation *vectors[2] = {NULL, NULL};
    struct scf_rotation *products[2] = {NULL, NULL};
    for (int i = 0; i < n; i++) {
        if (searches[i].done)
            continue;
        vectors[i] = &searches[i].vectors[searches[i].n_vectors];
        products[i] = &searches[i].products[searches[i].n_vectors];
    }
    return scf_hessian_multiply_blocks(hessian, vectors, products);
}

/* Runs n searches, one product of each at a time, until all are done or the first has found a
 * saddle point: the others are of no use then. */
static enum status find_lowest(struct scf_hessian *hessian, int n, struct davidson searches[],
                               int *n_builds)
{
    for (;;) {
        bool done = true;
        for (int i = 0; i < n; i++) {
            choose_vector(&searches[i]);
            done = done && searches[i].done;
        }
        if (done || (searches[0].done &&
                     scf_curvature_verdict(searches[0].curvature) == SCF_VERDICT_UNSTABLE))
            return STATUS_OK;
        TRY(multiply_vectors(hessian, n, searches));
        ++*n_builds;
        for (int i = 0; i < n; i++)
            if (!searches[i].done)
                TRY(advance_search(&searches[i]));
    }
}

/* An unrestricted state has one space, a restricted one both. */
static int count_stability_searches(const struct scf_basis *basis)
{
    return SCF_SPACES - (basis->n_spins - 1);
}

int64_t scf_stability_bytes(const struct scf_basis *plan)
{
    return (int64_t)count_stability_searches(plan) * N_ROTATIONS * scf_rotation_bytes(plan) +
           scf_is_free_rotation_bytes(plan);
}

static enum status search_spaces(struct scf_hessian *hessian, struct davidson searches[SCF_SPACES],
                                 struct scf_stability *stability)
{
    int own = hessian->basis->n_spins - 1, n = count_stability_searches(hessian->basis);
    for (int i = 0; i < n; i++)
        TRY(davidson_init(hessian, i == 0, &stability->curvature[own + i], &searches[i]));
    TRY(find_lowest(hessian, n, searches, &stability->n_builds));
    stability->direction = searches[0].x;
    searches[0].x = (struct scf_rotation){0};
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, struct scf_stability *stability)
{
    struct davidson searches[SCF_SPACES] = {0};
    *stability = (struct scf_stability){0};
    enum status status = search_spaces(hessian, searches, stability);
    for (int i = 0; i < SCF_SPACES; i++)
        davidson_fini(&searches[i]);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
}
