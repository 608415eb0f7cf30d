/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_stability.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf_free_rotation.h"
#include "hf/tiles/screening.h"
#include "support/arrays/dense.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_VECTORS = 12, KEPT_VECTORS = 4, MAX_PRODUCTS = 60 };

/* Vectors that a search can have in one pass over the integrals. */
enum { MAX_NEW = 2 };

/* A residual below this is small enough unless the sign of a smaller eigenvalue is in doubt. */
#define SMALL_RESIDUAL 1e-3

/* How carefully a search goes. The first vectors are noise divided start_divisions times by the
 * differences of orbital energies: low excitations of every symmetry, the more divisions the fewer
 * of them. An eigenvalue with an error below error_fraction of itself is trusted after min_products.
 * The residual bounds the distance to some eigenvalue, not to the lowest: open shells, above all
 * of d electrons, have many low ones, some of which a hasty search does not see. */
struct search_care {
    int start_divisions, min_products;
    double error_fraction;
};
static const struct search_care restricted_care = {6, 4, 0.3}, unrestricted_care = {2, 6, 0.1};

/* The diagonal of the Hessian lies below the differences of orbital energies by about this fraction of
 * what the lowest vector has of the two-electron part. */
#define TWO_ELECTRON_FRACTION 0.4

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy.
 */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* The search for the lowest eigenvalue of a block of the Hessian: vectors, products, next,
 * free_rotations, x and scratch are N_ROTATIONS. */
enum { N_ROTATIONS = 2 * MAX_VECTORS + MAX_NEW + SCF_MAX_FREE_ROTATIONS + 2 };
struct davidson {
    struct scf_hessian *hessian;
    const struct search_care *care;
    struct scf_curvature *curvature;           /* the outcome; borrowed */
    int n_vectors, n_new;                      /* with products; after them, in the coming pass */
    struct scf_rotation vectors[MAX_VECTORS];  /* orthonormal */
    struct scf_rotation products[MAX_VECTORS]; /* H times each */
    double matrix[MAX_VECTORS * MAX_VECTORS];  /* of H between them */
    double combinations[MAX_VECTORS * MAX_VECTORS]; /* its eigenvectors, n_vectors each */
    double eigenvalues[MAX_VECTORS];
    double work[SYMMETRIC_EIGEN_WORK * MAX_VECTORS];
    struct scf_rotation next[MAX_NEW]; /* the best first; before the first pass, noise */
    struct scf_rotation free_rotations[SCF_MAX_FREE_ROTATIONS];
    int n_free; /* of them, which the search leaves out: their eigenvalue is zero */
    struct scf_rotation x, scratch; /* x: of the lowest */
    double residual_norm;           /* of H x - eigenvalue x */
    bool is_own; /* in the state's own space, where it has a gradient and free rotations */
    bool done;
};

static void davidson_fini(struct davidson *davidson)
{
    for (int i = 0; i < MAX_VECTORS; i++) {
        scf_rotation_fini(&davidson->vectors[i]);
        scf_rotation_fini(&davidson->products[i]);
    }
    for (int i = 0; i < MAX_NEW; i++)
        scf_rotation_fini(&davidson->next[i]);
    for (int i = 0; i < SCF_MAX_FREE_ROTATIONS; i++)
        scf_rotation_fini(&davidson->free_rotations[i]);
    scf_rotation_fini(&davidson->x);
    scf_rotation_fini(&davidson->scratch);
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

/* The pointers to all N_ROTATIONS. */
static void list_rotations(struct davidson *davidson, struct scf_rotation *all[N_ROTATIONS])
{
    int n = 0;
    all[n++] = &davidson->x;
    all[n++] = &davidson->scratch;
    for (int i = 0; i < MAX_NEW; i++)
        all[n++] = &davidson->next[i];
    for (int i = 0; i < SCF_MAX_FREE_ROTATIONS; i++)
        all[n++] = &davidson->free_rotations[i];
    for (int i = 0; i < MAX_VECTORS; i++) {
        all[n++] = &davidson->vectors[i];
        all[n++] = &davidson->products[i];
    }
}

/* The dimension of the space. */
static int64_t count_rotations(const struct scf_basis *basis)
{
    int64_t n = 0;
    for (int s = 0; s < basis->n_spins; s++)
        n += (int64_t)basis->n_occupied[s] * (basis->n_orbitals - basis->n_occupied[s]);
    return n;
}

/* Starts from all rotations, whatever their symmetry, but for the free ones where there are others. Errors: on failure
 * davidson_fini still has to be called. */
static enum status davidson_init(struct scf_hessian *hessian, bool is_own,
                                 struct scf_curvature *curvature, struct davidson *davidson)
{
    *curvature = (struct scf_curvature){.error = INFINITY};
    *davidson = (struct davidson){
        .hessian = hessian,
        .care = hessian->basis->n_spins == 1 ? &restricted_care : &unrestricted_care,
        .curvature = curvature,
        .is_own = is_own,
    };
    struct scf_rotation *all[N_ROTATIONS];
    list_rotations(davidson, all);
    TRY(scf_rotations_init(hessian->basis, N_ROTATIONS, all));
    if (is_own)
        TRY(scf_find_free_rotations(hessian, davidson->free_rotations, &davidson->n_free));
    if (davidson->n_free == count_rotations(hessian->basis))
        davidson->n_free = 0;
    for (int i = 0; i < MAX_NEW; i++) {
        scf_rotation_set_noise(i, &davidson->next[i]);
        for (int k = 0; k < davidson->care->start_divisions; k++)
            divide_by_gaps(davidson, 0, &davidson->next[i], &davidson->next[i]);
    }
    return STATUS_OK;
}

/* Removes what vector has of n orthonormal ones; the square of its norm after it. *before: before it,
 * unless it is known. */
static double remove_parts(int n, const struct scf_rotation orthonormal[],
                           struct scf_rotation *vector, double *before)
{
    double dots[MAX_VECTORS + 1], left;
    scf_rotation_dots(n, orthonormal, vector, dots);
    *before = *before > 0 ? *before : dots[n];
    left = dots[n];
    for (int i = 0; i < n; i++) {
        scf_rotation_add(-dots[i], &orthonormal[i], 1, vector);
        left -= dots[i] * dots[i];
    }
    return left;
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

/* Takes the best n as vectors of the coming pass; the search is done if there are none. */
static void choose_vectors(struct davidson *davidson, int n)
{
    davidson->n_new = 0;
    if (davidson->done || n == 0)
        return;
    for (int i = 0; i < n; i++) {
        int place = davidson->n_vectors + davidson->n_new;
        scf_rotation_add(1, &davidson->next[i], 0, &davidson->vectors[place]);
        if (orthonormalise(davidson, place))
            davidson->n_new++;
    }
    davidson->done = davidson->n_new == 0 || davidson->curvature->n_products >= MAX_PRODUCTS;
    if (davidson->done)
        davidson->n_new = 0;
}

/* Takes the new vectors and their products into the subspace. */
static void extend_subspace(struct davidson *davidson)
{
    davidson->curvature->n_products += davidson->n_new;
    for (; davidson->n_new > 0; davidson->n_new--) {
        int n = davidson->n_vectors++;
        double dots[MAX_VECTORS + 1];
        scf_rotation_dots(n + 1, davidson->vectors, &davidson->products[n], dots);
        for (int i = 0; i <= n; i++)
            davidson->matrix[i * MAX_VECTORS + n] = davidson->matrix[n * MAX_VECTORS + i] = dots[i];
    }
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

/* The lowest eigenvalue, its x and its residual, which is next[0]. */
static enum status solve_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors;
    double *C = davidson->combinations;
    struct scf_rotation *residual = &davidson->next[0];
    for (int64_t i = 0; i < n; i++)
        memcpy(C + i * n, davidson->matrix + i * MAX_VECTORS, (size_t)n * sizeof(double));
    TRY(symmetric_eigen_in(n, C, davidson->eigenvalues, davidson->work));
    form_residual(davidson, 0, &davidson->x, residual);
    davidson->residual_norm = sqrt(scf_rotation_dot(residual, residual));
    davidson->curvature->eigenvalue = davidson->eigenvalues[0];
    return STATUS_OK;
}

/* next[k] = the correction of x number k whose residual it is: divided by the diagonal of the Hessian
 * less the eigenvalue, as far as differences of orbital energies and x know the diagonal. */
static void precondition(struct davidson *davidson, int k, const struct scf_rotation *x)
{
    double eigenvalue = davidson->eigenvalues[k];
    double gap = scf_rotation_mean_gap(davidson->hessian->orbital_energies, x);
    double shift = eigenvalue + TWO_ELECTRON_FRACTION * (gap - eigenvalue);
    divide_by_gaps(davidson, shift, &davidson->next[k], &davidson->next[k]);
}

/* The next vectors, of the lowest combinations. A single one leaves the second noise in its place. */
static void find_next_vectors(struct davidson *davidson)
{
    precondition(davidson, 0, &davidson->x);
    for (int k = 1; k < MAX_NEW && k < davidson->n_vectors; k++) {
        form_residual(davidson, k, &davidson->scratch, &davidson->next[k]);
        precondition(davidson, k, &davidson->scratch);
    }
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
    if (davidson->n_vectors + MAX_NEW <= MAX_VECTORS)
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
 * + residual^2 / (e_k+1 - e_1) ]. In any case an eigenvalue lies within the residual,
 * and while that is large the vectors may lack the next one. Source: Temple, Proc. R. Soc. Lond. A
 * 119, 276 (1928). */
static double estimate_eigenvalue_error(const struct davidson *davidson)
{
    const double *e = davidson->eigenvalues;
    double residual = davidson->residual_norm, error = residual;
    if (residual >= SMALL_RESIDUAL)
        return residual;
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

/* Whether the error or the residual is small enough but for doubts about the sign. An eigenvalue has to
 * last, because the first vectors may lack what leads lower; in the space of a restricted state less
 * long, because the search in the wider one would find that, too. */
static bool is_error_small(const struct davidson *davidson, double eigenvalue_error)
{
    const struct scf_curvature *curvature = davidson->curvature;
    bool shared = davidson->is_own && davidson->hessian->basis->n_spins == 1;
    int enough = davidson->care->min_products - shared;
    return davidson->residual_norm < SMALL_RESIDUAL ||
           (curvature->n_products >= enough &&
            eigenvalue_error < davidson->care->error_fraction * fabs(curvature->eigenvalue));
}

/* Errors of the lowest eigenvalue. The search is done if its sign is known, or if the error
 * is mostly noise. */
static void check_lowest(struct davidson *davidson)
{
    struct scf_curvature *curvature = davidson->curvature;
    double eigenvalue_error = estimate_eigenvalue_error(davidson);
    curvature->noise = estimate_eigenvalue_noise(davidson);
    davidson->done = is_error_small(davidson, eigenvalue_error);
    curvature->error = davidson->done ? curvature->noise + eigenvalue_error : INFINITY;
    if (davidson->done && fabs(curvature->eigenvalue) <= curvature->error)
        davidson->done = eigenvalue_error < curvature->noise;
}

static enum status advance_search(struct davidson *davidson)
{
    extend_subspace(davidson);
    TRY(solve_subspace(davidson));
    check_lowest(davidson);
    if (davidson->done)
        return STATUS_OK;
    find_next_vectors(davidson);
    collapse_subspace(davidson);
    return STATUS_OK;
}

static bool is_saddle(const struct davidson *davidson)
{
    return scf_curvature_verdict(davidson->curvature) == SCF_VERDICT_UNSTABLE;
}

/* The products of the new vectors of all searches, one of each or those of the last alone. */
static enum status multiply_vectors(struct scf_hessian *hessian, int n, struct davidson searches[])
{
    const struct scf_rotation *vectors[2] = {NULL, NULL};
    struct scf_rotation *products[2] = {NULL, NULL};
    struct davidson *last = &searches[n - 1];
    if (last->n_new == MAX_NEW) {
        for (int i = 0; i < MAX_NEW; i++) {
            vectors[i] = &last->vectors[last->n_vectors + i];
            products[i] = &last->products[last->n_vectors + i];
        }
        return scf_hessian_multiply_opposite(hessian, vectors, products);
    }
    for (int i = 0; i < n; i++) {
        if (searches[i].n_new == 0)
            continue;
        vectors[i] = &searches[i].vectors[searches[i].n_vectors];
        products[i] = &searches[i].products[searches[i].n_vectors];
    }
    return scf_hessian_multiply_blocks(hessian, vectors, products);
}

/* The vectors of a pass. A restricted state that is stable in the wider space is so in its own (H -
 * H_t has no negative eigenvalue), and two vectors of the wider one share a pass: its own has one
 * in the first, and more if need be. */
static void share_pass(int n, struct davidson searches[])
{
    struct davidson *own = &searches[0], *wide = &searches[1];
    bool alone = n == 2 && !wide->done && own->n_vectors > 0 && !is_saddle(own) && !is_saddle(wide);
    choose_vectors(own, alone ? 0 : 1);
    if (n == 2)
        choose_vectors(wide, alone ? MAX_NEW : 1);
}

/* Ends the search in the own space where the wider one gives its eigenvalue a positive lower bound. */
static void bound_own_space(struct davidson *own, const struct davidson *wide)
{
    double bound = wide->curvature->eigenvalue - wide->curvature->error;
    if (own->done || !wide->done || !(bound > 0))
        return;
    own->curvature->error = own->curvature->eigenvalue - bound;
    own->done = true;
}

/* Runs n searches until all are done or the first has found a saddle point: the others are of no use
 * then. */
static enum status find_lowest(struct scf_hessian *hessian, int n, struct davidson searches[],
                               int *n_builds)
{
    for (;;) {
        share_pass(n, searches);
        int n_new = 0;
        for (int i = 0; i < n; i++)
            n_new += searches[i].n_new;
        if (n_new == 0 || (searches[0].done && is_saddle(&searches[0])))
            return STATUS_OK;
        TRY(multiply_vectors(hessian, n, searches));
        ++*n_builds;
        for (int i = 0; i < n; i++)
            if (searches[i].n_new > 0)
                TRY(advance_search(&searches[i]));
        if (n == 2)
            bound_own_space(&searches[0], &searches[1]);
    }
}

/* An unrestricted state has one space, a restricted one both. */
static int count_stability_searches(const struct scf_basis *basis)
{
    return SCF_SPACES - (basis->n_spins - 1);
}

int64_t scf_stability_bytes(const struct scf_basis *plan)
{
    return (int64_t)count_stability_searches(plan) * N_ROTATIONS * scf_rotation_bytes(plan);
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
