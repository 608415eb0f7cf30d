/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_stability.h"

#include "hf/fock/fock_build.h"
#include "hf/orbitals/scf_davidson.h"
#include "hf/tiles/screening.h"

#include <math.h>
#include <stdbool.h>

enum { MAX_PRODUCTS = 60 };

/* A residual below this is small enough unless the sign of a smaller eigenvalue is in doubt. */
#define SMALL_RESIDUAL 2e-3
#define TINY_RESIDUAL  2e-5

/* A residual below this fraction of the distance to the next Ritz value shows an eigenvalue apart from
 * the others. */
#define SEPARATION 0.25

/* How carefully a search goes. The first vectors are noise divided start_divisions times by the
 * differences of orbital energies: low excitations of every symmetry, the more divisions the fewer
 * of them. An eigenvalue with an error below error_fraction of itself is trusted after min_products.
 * The residual bounds the distance to some eigenvalue, not to the lowest: open shells, above all
 * of d electrons, have many low ones, some of which a hasty search does not see. */
struct search_care {
    int start_divisions, min_products;
    double error_fraction;
};
static const struct search_care restricted_care = {6, 4, 0.3}, unrestricted_care = {2, 6, 0.3};

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy.
 */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* The search for the lowest eigenvalue of a block of the Hessian. */
struct curvature_search {
    struct davidson davidson;
    const struct search_care *care;
    struct scf_curvature *curvature; /* the outcome; borrowed */
    bool is_own; /* in the state's own space, where it has a gradient and free rotations */
    double gradient_norm;
    bool done;
};

static enum status curvature_search_init(struct scf_hessian *hessian, bool is_own,
                                         struct scf_curvature *curvature,
                                         struct curvature_search *search)
{
    int n_spins = hessian->basis->n_spins;
    int most_new = n_spins == 1 && is_own ? 1 : FOCK_MAX_MATRICES / n_spins;
    *curvature = (struct scf_curvature){.error = INFINITY};
    search->care = n_spins == 1 ? &restricted_care : &unrestricted_care;
    search->curvature = curvature;
    search->is_own = is_own;
    return davidson_init(hessian, search->care->start_divisions, most_new, is_own,
                         &search->davidson);
}

/* Chooses n vectors for the coming pass; the search is done if there are none. */
static void choose_vectors(struct curvature_search *search, int n)
{
    search->davidson.n_new = 0;
    if (search->done || n == 0)
        return;
    davidson_choose(&search->davidson, n);
    search->done = search->davidson.n_new == 0 || search->curvature->n_products >= MAX_PRODUCTS;
    if (search->done)
        search->davidson.n_new = 0;
}

/* An estimate of how far below the Ritz value e_1 = eigenvalues[0] its eigenvalue lies, after
 * Temple's inequality: the square of the residual over the distance from e_1 to the next
 * eigenvalue. The inequality needs a lower bound of that; the next Ritz value, which is an upper
 * one, stands for it. A cluster of eigenvalues counts as one, but for its width, min_k [ e_k - e_1
 * + residual^2 / (e_k+1 - e_1) ]. In any case an eigenvalue lies within the residual,
 * and while that is large the vectors may lack the next one: then twice the estimate is taken, and
 * only where several vectors a pass show neighbours far enough away. Source: Temple, Proc. R. Soc.
 * Lond. A 119, 276 (1928). */
static double estimate_eigenvalue_error(const struct curvature_search *search)
{
    const struct davidson *davidson = &search->davidson;
    const double *e = davidson->eigenvalues;
    double residual = davidson->residual_norm, error = residual;
    bool is_small = residual < SMALL_RESIDUAL;
    bool is_apart =
        !search->is_own && davidson->n_vectors > 1 && residual < SEPARATION * (e[1] - e[0]);
    if (!is_small && !is_apart)
        return residual;
    for (int k = 0; k + 1 < davidson->n_vectors; k++)
        error = fmin(error, e[k] - e[0] + residual * residual / (e[k + 1] - e[0]));
    return is_small ? error : fmin(residual, 2 * error);
}

/* Error of the lowest eigenvalue that more products do not make smaller: of screening, and because
 * the state is off the stationary point by the gradient over the curvature, along x and across. */
static double estimate_eigenvalue_noise(const struct curvature_search *search)
{
    const struct davidson *davidson = &search->davidson;
    const struct scf_hessian *hessian = davidson->hessian;
    double along = search->is_own ? fabs(scf_rotation_dot(&hessian->gradient, &davidson->x)) : 0;
    double distance = search->gradient_norm / TYPICAL_CURVATURE;
    if (along > 0)
        distance += along / fmax(fabs(davidson->eigenvalues[0]), along);
    return SCREENING_ERROR * fock_threshold(hessian->basis->problem->fock) +
           THIRD_DERIVATIVE * distance;
}

/* A negative eigenvalue of the wider space is an upper bound, which shows a saddle point; how low it
 * is matters less. */
#define SADDLE_ERROR_FRACTION 2

/* Whether the error or the residual is small enough but for doubts about the sign. An eigenvalue has to
 * last, because the first vectors may lack what leads lower; in the space of a restricted state less
 * long, because the search in the wider one would find that, too. */
static bool is_error_small(const struct curvature_search *search, double eigenvalue_error)
{
    const struct scf_curvature *curvature = search->curvature;
    bool shared = search->is_own && search->davidson.hessian->basis->n_spins == 1;
    int enough = search->care->min_products - shared;
    double fraction = !search->is_own && curvature->eigenvalue < 0 ? SADDLE_ERROR_FRACTION
                                                                   : search->care->error_fraction;
    return search->davidson.residual_norm < SMALL_RESIDUAL ||
           (curvature->n_products >= enough &&
            eigenvalue_error < fraction * fabs(curvature->eigenvalue));
}

/* Whether the search may end. In the own space, where few vectors share a pass, x may be a mixture
 * of two states that lie closer together than the residual: that must not leave the sign open. */
static bool is_sign_found(const struct curvature_search *search, double eigenvalue_error)
{
    const struct scf_curvature *curvature = search->curvature;
    double residual = search->davidson.residual_norm, size = fabs(curvature->eigenvalue);
    if (search->is_own && size <= residual)
        return residual < fmax(curvature->noise, TINY_RESIDUAL);
    return size > curvature->noise + eigenvalue_error || eigenvalue_error < curvature->noise;
}

/* Errors of the lowest eigenvalue. The search is done if its sign is known, or if the error
 * is mostly noise. */
static void check_lowest(struct curvature_search *search)
{
    struct scf_curvature *curvature = search->curvature;
    double eigenvalue_error = estimate_eigenvalue_error(search);
    curvature->noise = estimate_eigenvalue_noise(search);
    search->done = is_error_small(search, eigenvalue_error);
    curvature->error = search->done ? curvature->noise + eigenvalue_error : INFINITY;
    search->done = search->done && is_sign_found(search, eigenvalue_error);
}

static enum status advance_search(struct curvature_search *search)
{
    search->curvature->n_products += search->davidson.n_new;
    TRY(davidson_solve(&search->davidson));
    search->curvature->eigenvalue = search->davidson.eigenvalues[0];
    check_lowest(search);
    if (!search->done)
        davidson_prepare(&search->davidson);
    return STATUS_OK;
}

static bool is_saddle(const struct curvature_search *search)
{
    return scf_curvature_verdict(search->curvature) == SCF_VERDICT_UNSTABLE;
}

/* Adds the new vectors of a search to those of a pass; returns their number. */
static int list_vectors(struct davidson *davidson, int n, const struct scf_rotation *vectors[],
                        struct scf_rotation *products[])
{
    for (int i = 0; i < davidson->n_new; i++, n++) {
        vectors[n] = &davidson->vectors[davidson->n_vectors + i];
        products[n] = &davidson->products[davidson->n_vectors + i];
    }
    return n;
}

/* The products of the new vectors of all searches in one pass. */
static enum status multiply_vectors(struct scf_hessian *hessian, int n,
                                    struct curvature_search searches[])
{
    const struct scf_rotation *vectors[FOCK_MAX_MATRICES];
    struct scf_rotation *products[FOCK_MAX_MATRICES];
    int n_new = 0;
    for (int i = 0; i < n; i++)
        n_new = list_vectors(&searches[i].davidson, n_new, vectors, products);
    return scf_hessian_multiply_several(hessian, searches[0].davidson.n_new, n_new, vectors,
                                        products);
}

/* Ends the search in the own space where the wider one gives its eigenvalue a positive lower bound. */
static void bound_own_space(struct curvature_search *own, const struct curvature_search *wide)
{
    double bound = wide->curvature->eigenvalue - wide->curvature->error;
    if (own->done || !wide->done || !(bound > 0))
        return;
    own->curvature->error = own->curvature->eigenvalue - bound;
    own->done = true;
}

/* The vectors of a pass. A restricted state has one in its own space and all others in the wider. Each
 * of an unrestricted one takes a matrix for either spin, and of so few one converges with the least
 * work; where that is not enough, two save passes. */
static void share_pass(int n, struct curvature_search searches[])
{
    struct curvature_search *own = &searches[0], *wide = &searches[1];
    bool is_long = own->curvature->n_products >= own->care->min_products;
    choose_vectors(own, is_long ? own->davidson.most_new : 1);
    if (n == 2)
        choose_vectors(wide, FOCK_MAX_MATRICES - own->davidson.n_new);
}

/* Runs n searches until all are done or the first has found a saddle point: the others are of no use
 * then. */
static enum status find_lowest(struct scf_hessian *hessian, int n,
                               struct curvature_search searches[], int *n_builds)
{
    for (;;) {
        share_pass(n, searches);
        int n_new = 0;
        for (int i = 0; i < n; i++)
            n_new += searches[i].davidson.n_new;
        if (n_new == 0 || (searches[0].done && is_saddle(&searches[0])))
            return STATUS_OK;
        TRY(multiply_vectors(hessian, n, searches));
        ++*n_builds;
        for (int i = 0; i < n; i++)
            if (searches[i].davidson.n_new > 0)
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
    return count_stability_searches(plan) * davidson_bytes(plan);
}

/* Gives the direction; the Newton step where the own space was searched and has positive curvatures. */
static void take_rotations(struct scf_hessian *hessian, struct davidson *davidson,
                           struct scf_stability *stability)
{
    if (davidson->n_vectors > 1 && davidson->eigenvalues[0] > 0) {
        davidson_newton_step(davidson, &hessian->gradient, &davidson->scratch);
        stability->newton_step = davidson->scratch;
        davidson->scratch = (struct scf_rotation){0};
    }
    stability->direction = davidson->x;
    davidson->x = (struct scf_rotation){0};
}

static enum status search_spaces(struct scf_hessian *hessian,
                                 struct curvature_search searches[SCF_SPACES],
                                 struct scf_stability *stability)
{
    int own = hessian->basis->n_spins - 1, n = count_stability_searches(hessian->basis);
    double gradient_norm = sqrt(scf_rotation_dot(&hessian->gradient, &hessian->gradient));
    for (int i = 0; i < n; i++) {
        TRY(curvature_search_init(hessian, i == 0, &stability->curvature[own + i], &searches[i]));
        searches[i].gradient_norm = gradient_norm;
    }
    TRY(find_lowest(hessian, n, searches, &stability->n_builds));
    take_rotations(hessian, &searches[0].davidson, stability);
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, struct scf_stability *stability)
{
    struct curvature_search searches[SCF_SPACES] = {0};
    *stability = (struct scf_stability){0};
    enum status status = search_spaces(hessian, searches, stability);
    for (int i = 0; i < SCF_SPACES; i++)
        davidson_fini(&searches[i].davidson);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
    scf_rotation_fini(&stability->newton_step);
}
