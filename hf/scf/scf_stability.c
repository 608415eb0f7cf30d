/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_stability.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf_subspace.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"

#include <math.h>
#include <stdbool.h>

enum {
    MAX_PRODUCTS = 60,
    KEPT_VECTORS = 4, /* where there is no room. One alone would forget the way that led to it:
                       * eigenvalues near zero, which transition metals have, then never settle */
};

/* A residual below this is small enough unless the sign of a smaller eigenvalue is in doubt. */
#define SMALL_RESIDUAL 2e-3

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy. */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* Least difference of orbital energies less the eigenvalue, hartree. */
#define LEAST_GAP 0.1

/* How carefully a search goes. The first vectors are noise divided start_divisions times by the
 * differences of orbital energies: low excitations of every symmetry, the more divisions the fewer
 * of them. An eigenvalue is trusted after min_products.
 * The residual bounds the distance to some eigenvalue, not to the lowest: open shells, above all
 * of d electrons, have many low ones, and a hasty search misses some. */
struct search_care {
    int start_divisions, min_products;
};
static const struct search_care closed_care = {6, 4}, open_care = {2, 6};

/* An eigenvalue with an error below this fraction of itself is known well enough. */
#define ERROR_FRACTION 0.3

/* A negative eigenvalue of the wider space is an upper bound, which shows a saddle point; how low it
 * is matters less. */
#define SADDLE_ERROR_FRACTION 2

/* The search for the lowest eigenvalue of the Hessian in a space of determinants, until its sign is known. */
struct curvature_search {
    struct scf_hessian *hessian;
    bool is_own;  /* in the state's own space, where it has a gradient and free rotations */
    int most_new; /* vectors of a pass */
    const struct search_care *care;
    struct scf_subspace subspace;
    struct scf_rotation next[FOCK_MAX_MATRICES];      /* for the coming pass, the best first */
    struct scf_rotation x, scratch;                   /* x: of the lowest eigenvalue */
    double residual_norm;                             /* of H x - eigenvalue x */
    struct scf_rotation free[SCF_MAX_FREE_ROTATIONS]; /* left out of the subspace, where there are
                                                       * others: their eigenvalue is 0 */
    bool has_soft;                  /* the first vector was a soft mode, not noise */
    double gradient_norm;           /* of the state */
    struct scf_curvature curvature; /* the outcome */
    bool done;
};

/* --- one search --- */

/* Vectors of a search in a pass, at most. In a large group a vector is of several representations, each
 * a matrix of few quartets (fock_parts.h): then one vector fills a pass. */
static int most_vectors(const struct scf_basis *basis, bool is_own)
{
    const struct tile_symmetry *symmetry = basis->problem->symmetry;
    if (symmetry && symmetry->group->order >= FOCK_MAX_MATRICES)
        return 1;
    return basis->problem->n_densities == 1 && is_own
               ? FOCK_MAX_COULOMB
               : FOCK_MAX_MATRICES / basis->problem->n_densities;
}

/* Those besides the subspace's. */
enum { N_SEARCH_ROTATIONS = FOCK_MAX_MATRICES + 2 + SCF_MAX_FREE_ROTATIONS };

static void curvature_search_fini(struct curvature_search *search)
{
    scf_rotations_fini(FOCK_MAX_MATRICES, search->next);
    scf_rotations_fini(SCF_MAX_FREE_ROTATIONS, search->free);
    scf_rotations_fini(1, &search->x);
    scf_rotations_fini(1, &search->scratch);
    scf_subspace_fini(&search->subspace);
}

/* x over the differences of orbital energies less shift; the floor keeps them positive. */
static void divide_by_gaps(const struct curvature_search *search, double shift,
                           struct scf_rotation *x)
{
    struct scf_energy_gap gap = search->hessian->gap;
    gap.shift = -shift;
    gap.floor = LEAST_GAP;
    scf_rotation_scale(&gap, SCF_OVER_GAP, x, 0, x);
}

/* The dimension of the space. */
static int64_t count_rotations(const struct scf_basis *basis)
{
    int64_t n = 0;
    for (int s = 0; s < basis->problem->n_densities; s++)
        n += (int64_t)basis->n_occupied[s] * scf_rotation_rows(basis, s);
    return n;
}

/* The first vectors: a soft mode beside noise, or noise. */
static void set_first_vectors(struct curvature_search *search, const struct scf_rotation *soft)
{
    search->has_soft =
        soft && search->hessian->basis->problem->n_densities == 2 && search->most_new > 1;
    if (search->has_soft)
        scf_rotation_add(1, soft, 0, &search->next[0]);
    for (int i = search->has_soft; i < search->most_new; i++) {
        scf_rotation_set_noise(i, &search->next[i]);
        for (int k = 0; k < search->care->start_divisions; k++)
            divide_by_gaps(search, 0, &search->next[i]);
    }
}

/* search: zeroed. On failure curvature_search_fini still has to be called. */
static enum status curvature_search_init(struct scf_hessian *hessian, bool is_own,
                                         const struct scf_rotation *soft,
                                         struct curvature_search *search)
{
    const struct scf_basis *basis = hessian->basis;
    search->hessian = hessian;
    search->is_own = is_own;
    search->most_new = most_vectors(basis, is_own);
    search->care = basis->problem->n_densities == 1 ? &closed_care : &open_care;
    search->curvature.error = INFINITY;
    search->gradient_norm = sqrt(scf_rotation_dot(&hessian->gradient, &hessian->gradient));
    TRY(scf_subspace_init(basis, SCF_SUBSPACE_VECTORS, NULL, &search->subspace));
    search->subspace.left_out = search->free;
    TRY(scf_rotations_init(basis, FOCK_MAX_MATRICES, search->next));
    TRY(scf_rotations_init(basis, SCF_MAX_FREE_ROTATIONS, search->free));
    TRY(scf_rotations_init(basis, 1, &search->x));
    TRY(scf_rotations_init(basis, 1, &search->scratch));
    if (is_own)
        TRY(scf_find_free_rotations(hessian, search->free, &search->subspace.n_left_out));
    if (search->subspace.n_left_out == count_rotations(basis))
        search->subspace.n_left_out = 0;
    set_first_vectors(search, soft);
    return STATUS_OK;
}

/* An estimate of how far below the Ritz value e_1 = eigenvalues[0] its eigenvalue lies, after
 * Temple's inequality: the square of the residual over the distance from e_1 to the next
 * eigenvalue. The inequality needs a lower bound of that; the next Ritz value, which is an upper
 * one, stands for it. In any case an eigenvalue lies within the residual; while that is large the
 * vectors may lack the next one. Source: Temple, Proc. R. Soc. Lond. A 119, 276 (1928). */
static double estimate_eigenvalue_error(const struct curvature_search *search)
{
    const double *e = search->subspace.eigenvalues;
    double residual = search->residual_norm;
    if (residual >= SMALL_RESIDUAL || search->subspace.n < 2)
        return residual;
    return fmin(residual, residual * residual / (e[1] - e[0]));
}

/* Error of the lowest eigenvalue that more products do not make smaller: of screening, because
 * the state is off the stationary point by the gradient over the curvature, along x and across. */
static double estimate_eigenvalue_noise(const struct curvature_search *search)
{
    const struct scf_hessian *hessian = search->hessian;
    double along = search->is_own ? fabs(scf_rotation_dot(&hessian->gradient, &search->x)) : 0;
    double distance = search->gradient_norm / TYPICAL_CURVATURE;
    if (along > 0)
        distance += along / fmax(fabs(search->subspace.eigenvalues[0]), along);
    return SCREENING_ERROR * fock_threshold(hessian->basis->problem->fock) +
           THIRD_DERIVATIVE * distance;
}

/* Whether the error or the residual is small enough but for doubts about the sign. An eigenvalue has to
 * last, because the first vectors may lack what leads lower; after a soft mode, which converges before the
 * noise beside it, a pass longer. */
static bool is_error_small(const struct curvature_search *search, double eigenvalue_error)
{
    const struct scf_curvature *curvature = &search->curvature;
    int enough = search->care->min_products + (search->has_soft ? search->most_new : 0);
    double fraction =
        !search->is_own && curvature->eigenvalue < 0 ? SADDLE_ERROR_FRACTION : ERROR_FRACTION;
    return curvature->n_products >= enough &&
           (search->residual_norm < SMALL_RESIDUAL ||
            eigenvalue_error < fraction * fabs(curvature->eigenvalue));
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
    search->done = search->done && (fabs(curvature->eigenvalue) > curvature->error ||
                                    eigenvalue_error < curvature->noise);
}

/* Chooses n vectors for the coming pass; without one the search is done. */
static void add_vectors(struct curvature_search *search, int n)
{
    struct scf_subspace *subspace = &search->subspace;
    if (search->done || n == 0)
        return;
    for (int i = 0; i < n; i++)
        scf_subspace_add(subspace, &search->next[i]);
    bool is_exhausted = subspace->n_new == 0;
    if (is_exhausted && search->curvature.n_products > 0)
        search->curvature.error = search->curvature.noise + estimate_eigenvalue_error(search);
    search->done = is_exhausted || search->curvature.n_products >= MAX_PRODUCTS;
    if (search->done)
        subspace->n_new = 0;
}

/* next[k] = the correction of Ritz vector k, set to x: its residual over the differences of orbital energies
 * less the eigenvalue. *norm: of the residual. */
static void correct_vector(struct curvature_search *search, int k, struct scf_rotation *x,
                           double *norm)
{
    const struct scf_subspace *subspace = &search->subspace;
    struct scf_rotation *next = &search->next[k];
    double eigenvalue = subspace->eigenvalues[k];
    scf_rotation_add(0, next, 0, next);
    scf_subspace_combine(subspace, subspace->combinations + (int64_t)k * subspace->n, x, next);
    scf_rotation_add(-eigenvalue, x, 1, next);
    *norm = sqrt(scf_rotation_dot(next, next));
    divide_by_gaps(search, eigenvalue, next);
}

/* Finds the vectors for the next pass, and makes room for them. */
static void prepare_pass(struct curvature_search *search)
{
    struct scf_subspace *subspace = &search->subspace;
    double norm;
    /* Fewer vectors leave noise in the other places. */
    for (int k = 1; k < search->most_new && k < subspace->n; k++)
        correct_vector(search, k, &search->scratch, &norm);
    if (subspace->n + search->most_new > SCF_SUBSPACE_VECTORS)
        scf_subspace_collapse(subspace, 0, KEPT_VECTORS);
}

/* Takes the products of a pass; the search is done if the sign of the lowest eigenvalue is known, or if
 * its error is mostly noise. */
static enum status advance_search(struct curvature_search *search)
{
    search->curvature.n_products += search->subspace.n_new;
    TRY(scf_subspace_extend(&search->subspace));
    search->curvature.eigenvalue = search->subspace.eigenvalues[0];
    correct_vector(search, 0, &search->x, &search->residual_norm);
    check_lowest(search);
    if (!search->done)
        prepare_pass(search);
    return STATUS_OK;
}

static bool is_saddle(const struct curvature_search *search)
{
    return scf_curvature_verdict(&search->curvature) == SCF_VERDICT_UNSTABLE;
}

/* --- both searches --- */

/* A search in each space, the own one first; they share passes over the integrals. */
struct curvature_searches {
    struct scf_hessian *hessian;
    int n;
    struct curvature_search of[SCF_SPACES];
};

static int count_stability_spaces(const struct scf_basis *basis)
{
    enum scf_space own = scf_own_space(basis->problem);
    return 1 + (int)scf_widest_space(own) - (int)own;
}

int64_t scf_stability_bytes(const struct scf_basis *plan)
{
    return count_stability_spaces(plan) * (N_SEARCH_ROTATIONS * scf_rotation_bytes(plan) +
                                           scf_subspace_bytes(plan, SCF_SUBSPACE_VECTORS));
}

/* The products of the new vectors of both searches in one pass over the integrals. */
static enum status multiply_vectors(struct curvature_searches *searches)
{
    const struct scf_rotation *vectors[FOCK_MAX_MATRICES];
    struct scf_rotation *products[FOCK_MAX_MATRICES];
    int n = 0;
    for (int space = 0; space < searches->n; space++) {
        struct scf_subspace *subspace = &searches->of[space].subspace;
        for (int i = 0; i < subspace->n_new; i++, n++) {
            vectors[n] = &scf_subspace_vectors(subspace)[i];
            products[n] = &scf_subspace_products(subspace)[i];
        }
    }
    return scf_hessian_multiply_several(searches->hessian, searches->of[0].subspace.n_new, n,
                                        vectors, products);
}

/* Ends the search in the own space where the wider one gives its eigenvalue a positive lower bound. */
static void bound_own_space(struct curvature_search *own, const struct curvature_search *wide)
{
    double bound = wide->curvature.eigenvalue - wide->curvature.error;
    if (own->done || !wide->done || !(bound > 0))
        return;
    own->curvature.error = own->curvature.eigenvalue - bound;
    own->done = true;
}

/* Chooses the vectors of the coming pass; whether there are any. Of two searches the wider one gets all that
 * the own one leaves: there one vector converges with the least work. */
static bool choose_vectors_of_both(struct curvature_searches *searches)
{
    int left = FOCK_MAX_MATRICES;
    bool any = false;
    for (int space = 0; space < searches->n; space++) {
        struct curvature_search *search = &searches->of[space];
        int n = space == 0 && searches->n > 1 ? 1 : search->most_new;
        add_vectors(search, n < left ? n : left);
        left -= search->subspace.n_new;
        any |= search->subspace.n_new > 0;
    }
    return any;
}

/* Runs the searches until all are done or the state is a saddle point in its own space. */
static enum status find_lowest(struct curvature_searches *searches, int *n_builds)
{
    struct curvature_search *own = &searches->of[0];
    while (choose_vectors_of_both(searches) && !(own->done && is_saddle(own))) {
        TRY(multiply_vectors(searches));
        ++*n_builds;
        for (int space = 0; space < searches->n; space++)
            if (searches->of[space].subspace.n_new > 0)
                TRY(advance_search(&searches->of[space]));
        if (searches->n == 2)
            bound_own_space(own, &searches->of[1]);
    }
    return STATUS_OK;
}

static enum status search_spaces(struct curvature_searches *searches,
                                 const struct scf_rotation *soft, struct scf_stability *stability)
{
    struct scf_hessian *hessian = searches->hessian;
    enum scf_space own = scf_own_space(hessian->basis->problem);
    for (int space = 0; space < searches->n; space++)
        TRY(curvature_search_init(hessian, space == 0, soft, &searches->of[space]));
    TRY(find_lowest(searches, &stability->n_builds));
    for (int space = 0; space < searches->n; space++)
        stability->curvature[own + space] = searches->of[space].curvature;
    stability->direction = searches->of[0].x;
    searches->of[0].x = (struct scf_rotation){0};
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, const struct scf_rotation *soft,
                               struct scf_stability *stability)
{
    struct curvature_searches searches = {.hessian = hessian,
                                          .n = count_stability_spaces(hessian->basis)};
    *stability = (struct scf_stability){0};
    enum status status = search_spaces(&searches, soft, stability);
    for (int space = 0; space < searches.n; space++)
        curvature_search_fini(&searches.of[space]);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotations_fini(1, &stability->direction);
}
