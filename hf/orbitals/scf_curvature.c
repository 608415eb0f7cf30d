/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_curvature_search.h"

#include "hf/fock/fock_build.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"

#include <math.h>

const char *scf_space_name(enum scf_space space)
{
    return space == SCF_REAL_RHF ? "RHF" : "UHF";
}

const char *scf_point_name(enum scf_point point)
{
    static const char *const names[] = {"local minimum", "saddle", "not settled", "not tested"};
    return names[point];
}

enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature)
{
    if (curvature->n_products == 0)
        return SCF_VERDICT_NOT_TESTED;
    if (curvature->eigenvalue < -curvature->noise)
        return SCF_VERDICT_UNSTABLE;
    return curvature->eigenvalue > curvature->error ? SCF_VERDICT_STABLE : SCF_VERDICT_NOT_SETTLED;
}

/* --- the search --- */

enum { MAX_PRODUCTS = 60 };

/* A residual below this is small enough unless the sign of a smaller eigenvalue is in doubt. */
#define SMALL_RESIDUAL 2e-3
#define TINY_RESIDUAL  2e-5

/* A residual below this fraction of the distance to the next Ritz value shows an eigenvalue apart from
 * the others. */
#define SEPARATION 0.25

static const struct search_care restricted_care = {6, 4, 0.3}, unrestricted_care = {2, 6, 0.3};

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy.
 */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* Vectors of a search in a pass, at most. In a large group a vector is of several representations, each
 * a matrix of few quartets (fock_parts.h): then one vector fills a pass. */
static int most_vectors(const struct scf_basis *basis, bool is_own)
{
    const struct tile_symmetry *symmetry = basis->problem->symmetry;
    bool are_many = symmetry && symmetry->group->order >= FOCK_MAX_MATRICES;
    if (are_many)
        return 1;
    return basis->n_spins == 1 && is_own ? FOCK_MAX_COULOMB : FOCK_MAX_MATRICES / basis->n_spins;
}

enum status curvature_search_init(struct scf_hessian *hessian, bool is_own,
                                  const struct scf_directions *soft,
                                  struct curvature_search *search)
{
    const struct scf_basis *basis = hessian->basis;
    int n_spins = basis->n_spins;
    search->care = n_spins == 2 ? &unrestricted_care : &restricted_care;
    search->curvature.error = INFINITY;
    search->is_own = is_own;
    search->gradient_norm = sqrt(scf_rotation_dot(&hessian->gradient, &hessian->gradient));
    struct davidson_start start = {.n_divisions = search->care->start_divisions,
                                   .most_new = most_vectors(basis, is_own),
                                   .leave_out_free = is_own};
    if (n_spins == 2 && start.most_new > 1)
        start.soft = soft;
    return davidson_init(hessian, &start, &search->davidson);
}

/* Whether another search, in a space that contains this one's, shares the passes. */
static bool has_wider_space(const struct curvature_search *search)
{
    return search->is_own && search->davidson.hessian->basis->n_spins == 1;
}

/* An unrestricted state has one space, which gets all there is room for. Of the two of a restricted one, the
 * wider one gets all that the own one leaves; there one vector converges with the least work, and where
 * that is not enough, two save passes. */
int curvature_search_vectors(const struct curvature_search *search)
{
    bool is_long = search->curvature.n_products >= search->care->min_products;
    return is_long || !has_wider_space(search) ? search->davidson.most_new : 1;
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
        davidson->most_new > 2 && davidson->n_vectors > 1 && residual < SEPARATION * (e[1] - e[0]);
    if (!is_small && !is_apart)
        return residual;
    for (int k = 0; k + 1 < davidson->n_vectors; k++)
        error = fmin(error, e[k] - e[0] + residual * residual / (e[k + 1] - e[0]));
    return is_small ? error : fmin(residual, 2 * error);
}

/* Error of the lowest eigenvalue that more products do not make smaller: of screening, because
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
 * long, because the search in the wider one would find that, too; after a soft mode, which converges before
 * the noise beside it, a pass longer, however small the residual is. */
static bool is_error_small(const struct curvature_search *search, double eigenvalue_error)
{
    const struct scf_curvature *curvature = &search->curvature;
    int enough = search->care->min_products - has_wider_space(search);
    double fraction = !search->is_own && curvature->eigenvalue < 0 ? SADDLE_ERROR_FRACTION
                                                                   : search->care->error_fraction;
    if (search->davidson.has_soft && curvature->n_products < enough + search->davidson.most_new)
        return false;
    return search->davidson.residual_norm < SMALL_RESIDUAL ||
           (curvature->n_products >= enough &&
            eigenvalue_error < fraction * fabs(curvature->eigenvalue));
}

/* Whether the search may end. In the own space, where few vectors share a pass, x may be a mixture
 * of two states that lie closer together than the residual: that must not leave the sign open. */
static bool is_sign_found(const struct curvature_search *search, double eigenvalue_error)
{
    const struct scf_curvature *curvature = &search->curvature;
    double residual = search->davidson.residual_norm, size = fabs(curvature->eigenvalue);
    if (search->is_own && size <= residual)
        return residual < fmax(curvature->noise, TINY_RESIDUAL);
    return size > curvature->noise + eigenvalue_error || eigenvalue_error < curvature->noise;
}

/* Errors of the lowest eigenvalue. The search is done if its sign is known, or if the error
 * is mostly noise. */
static void check_lowest(struct curvature_search *search)
{
    struct scf_curvature *curvature = &search->curvature;
    double eigenvalue_error = estimate_eigenvalue_error(search);
    curvature->noise = estimate_eigenvalue_noise(search);
    search->done = is_error_small(search, eigenvalue_error);
    curvature->error = search->done ? curvature->noise + eigenvalue_error : INFINITY;
    search->done = search->done && is_sign_found(search, eigenvalue_error);
}

void curvature_search_choose(struct curvature_search *search, int n)
{
    search->davidson.n_new = 0;
    if (search->done || n == 0)
        return;
    davidson_choose(&search->davidson, n);
    bool is_exhausted = search->davidson.n_new == 0;
    if (is_exhausted && search->curvature.n_products > 0)
        search->curvature.error = search->curvature.noise + estimate_eigenvalue_error(search);
    search->done = is_exhausted || search->curvature.n_products >= MAX_PRODUCTS;
    if (search->done)
        search->davidson.n_new = 0;
}

enum status curvature_search_advance(struct curvature_search *search)
{
    search->curvature.n_products += search->davidson.n_new;
    TRY(davidson_solve(&search->davidson));
    search->curvature.eigenvalue = search->davidson.eigenvalues[0];
    check_lowest(search);
    if (!search->done)
        davidson_prepare(&search->davidson);
    return STATUS_OK;
}

bool curvature_search_is_saddle(const struct curvature_search *search)
{
    return scf_curvature_verdict(&search->curvature) == SCF_VERDICT_UNSTABLE;
}
