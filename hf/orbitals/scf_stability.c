/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_stability.h"

#include "hf/fock/fock_build.h"
#include "hf/orbitals/scf_davidson.h"
#include "hf/orbitals/scf_fock.h"
#include "hf/orbitals/scf_representation.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

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

/* Among the few rotations of one of many representations low eigenvalues are further apart. */
static const struct search_care restricted_block_care = {6, 4, 0.5},
                                unrestricted_block_care = {2, 4, 0.5};

/* Curvatures are of this order, hartree, but for the lowest, and third derivatives of the energy.
 */
#define TYPICAL_CURVATURE 0.1
#define THIRD_DERIVATIVE  1.0

/* The search for the lowest eigenvalue of the Hessian in a space, or of a representation there. */
struct curvature_search {
    struct davidson davidson;
    const struct search_care *care;
    struct scf_curvature curvature; /* the outcome */
    bool is_own; /* in the state's own space, where it has a gradient and free rotations */
    double gradient_norm;
    bool done;
};

/* All searches, the own space first, in each one search of each representation. */
struct curvature_searches {
    struct scf_hessian *hessian;
    int n_spaces, n_representations;
    struct curvature_search *of; /* n_spaces x n_representations */
};

static struct curvature_search *searches_of_space(const struct curvature_searches *searches,
                                                  int space)
{
    return &searches->of[(int64_t)space * searches->n_representations];
}

static enum status curvature_search_init(const struct curvature_searches *searches, int space,
                                         int representation, struct curvature_search *search)
{
    int n_spins = searches->hessian->basis->n_spins;
    bool is_own = space == 0, are_many = davidson_is_of_many(searches->n_representations);
    if (are_many)
        search->care = n_spins == 1 ? &restricted_block_care : &unrestricted_block_care;
    else
        search->care = n_spins == 1 ? &restricted_care : &unrestricted_care;
    search->curvature.error = INFINITY;
    search->is_own = is_own;
    struct davidson_start start = {
        .n_divisions = search->care->start_divisions,
        .most_new = are_many || (n_spins == 1 && is_own) ? 1 : FOCK_MAX_MATRICES / n_spins,
        .leave_out_free = is_own,
        .n_representations = searches->n_representations,
        .representation = representation};
    return davidson_init(searches->hessian, &start, &search->davidson);
}

/* Chooses n vectors for the coming pass; the search is done if there are none. */
static void choose_vectors(struct curvature_search *search, int n)
{
    search->davidson.n_new = 0;
    if (search->done || n == 0)
        return;
    davidson_choose(&search->davidson, n);
    search->done = search->davidson.n_new == 0 || search->curvature.n_products >= MAX_PRODUCTS;
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
        davidson->most_new > 2 && davidson->n_vectors > 1 && residual < SEPARATION * (e[1] - e[0]);
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
    const struct scf_curvature *curvature = &search->curvature;
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

static enum status advance_search(struct curvature_search *search)
{
    search->curvature.n_products += search->davidson.n_new;
    TRY(davidson_solve(&search->davidson));
    search->curvature.eigenvalue = search->davidson.eigenvalues[0];
    check_lowest(search);
    if (!search->done)
        davidson_prepare(&search->davidson);
    return STATUS_OK;
}

static bool is_saddle(const struct curvature_search *search)
{
    return scf_curvature_verdict(&search->curvature) == SCF_VERDICT_UNSTABLE;
}

/* New vectors of searches, and where their products go. */
struct vector_list {
    int n;
    const struct scf_rotation *vectors[DAVIDSON_MAX_NEW * POINT_GROUP_MAX_ORDER];
    struct scf_rotation *products[DAVIDSON_MAX_NEW * POINT_GROUP_MAX_ORDER];
};

/* Those of all searches in a space. */
static void list_vectors(const struct curvature_searches *searches, int space,
                         struct vector_list *list)
{
    struct curvature_search *of = searches_of_space(searches, space);
    list->n = 0;
    for (int r = 0; r < searches->n_representations; r++) {
        struct davidson *davidson = &of[r].davidson;
        for (int i = 0; i < davidson->n_new; i++, list->n++) {
            list->vectors[list->n] = &davidson->vectors[davidson->n_vectors + i];
            list->products[list->n] = &davidson->products[davidson->n_vectors + i];
        }
    }
}

/* Moves up to n vectors from the end of a list to that of another; returns their number. */
static int move_vectors(int n, struct vector_list *from, struct vector_list *to)
{
    int moved = 0;
    for (; moved < n && from->n > 0; moved++) {
        from->n--;
        to->vectors[to->n] = from->vectors[from->n];
        to->products[to->n++] = from->products[from->n];
    }
    return moved;
}

/* The products of the new vectors of all searches in one pass over the integrals. A build takes a few
 * matrices; with vectors of one representation each it computes a fraction of the quartets, and all
 * these builds together at most all quartets once. */
static enum status multiply_vectors(const struct curvature_searches *searches)
{
    struct scf_hessian *hessian = searches->hessian;
    int n_spins = hessian->basis->n_spins, most = FOCK_MAX_MATRICES / n_spins;
    int most_own = n_spins == 1 ? FOCK_MAX_COULOMB : most;
    struct vector_list own, wide = {0};
    list_vectors(searches, 0, &own);
    if (searches->n_spaces == 2)
        list_vectors(searches, 1, &wide);
    for (int builds = 0; own.n + wide.n > 0; builds++) {
        struct vector_list pass = {0};
        int with_own = move_vectors(most_own, &own, &pass);
        move_vectors(most - with_own, &wide, &pass);
        if (builds > 0)
            scf_fock_continue(hessian->fock);
        TRY(scf_hessian_multiply_several(hessian, with_own, pass.n, pass.vectors, pass.products));
    }
    return STATUS_OK;
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

/* The vectors of a pass in the searches of a representation; wide: NULL without one. A restricted state
 * has one in its own space and all others in the wider. Each of an unrestricted one takes a matrix for
 * either spin, and of so few one converges with the least work; where that is not enough, two save
 * passes. */
static void share_pass(bool are_many, struct curvature_search *own, struct curvature_search *wide)
{
    bool is_long = own->curvature.n_products >= own->care->min_products;
    choose_vectors(own, is_long ? own->davidson.most_new : 1);
    if (wide)
        choose_vectors(wide, are_many ? 1 : FOCK_MAX_MATRICES - own->davidson.n_new);
}

/* Those of all searches; returns their number. */
static int choose_all_vectors(struct curvature_searches *searches)
{
    int n_representations = searches->n_representations, n = 0;
    bool are_many = davidson_is_of_many(n_representations);
    for (int r = 0; r < n_representations; r++) {
        struct curvature_search *own = &searches->of[r];
        struct curvature_search *wide = searches->n_spaces == 2 ? own + n_representations : NULL;
        share_pass(are_many, own, wide);
        n += own->davidson.n_new + (wide ? wide->davidson.n_new : 0);
    }
    return n;
}

/* Whether the searches are of no further use: the state is a saddle point in its own space. */
static bool is_own_saddle(const struct curvature_searches *searches)
{
    for (int r = 0; r < searches->n_representations; r++)
        if (searches->of[r].done && is_saddle(&searches->of[r]))
            return true;
    return false;
}

/* Runs the searches until all are done or the state is a saddle point in its own space. */
static enum status find_lowest(struct curvature_searches *searches, int *n_builds)
{
    int n_representations = searches->n_representations;
    int n = searches->n_spaces * n_representations;
    for (;;) {
        if (choose_all_vectors(searches) == 0 || is_own_saddle(searches))
            return STATUS_OK;
        TRY(multiply_vectors(searches));
        ++*n_builds;
        for (int i = 0; i < n; i++)
            if (searches->of[i].davidson.n_new > 0)
                TRY(advance_search(&searches->of[i]));
        for (int r = 0; r < n_representations && searches->n_spaces == 2; r++)
            bound_own_space(&searches->of[r], &searches->of[n_representations + r]);
    }
}

/* The search with the lowest eigenvalue among those of a space that have rotations. */
static struct curvature_search *find_lowest_search(const struct curvature_searches *searches,
                                                   int space)
{
    struct curvature_search *of = searches_of_space(searches, space), *lowest = of;
    for (int r = 1; r < searches->n_representations; r++)
        if (of[r].curvature.n_products > 0 &&
            (lowest->curvature.n_products == 0 ||
             of[r].curvature.eigenvalue < lowest->curvature.eigenvalue))
            lowest = &of[r];
    return lowest;
}

/* The curvature of a space: the lowest eigenvalue, whose error reaches down to the lowest bound of all. */
static struct scf_curvature collect_curvature(const struct curvature_searches *searches, int space)
{
    const struct curvature_search *of = searches_of_space(searches, space);
    struct scf_curvature curvature = find_lowest_search(searches, space)->curvature;
    double bound = INFINITY;
    curvature.n_products = 0;
    for (int r = 0; r < searches->n_representations; r++) {
        curvature.n_products += of[r].curvature.n_products;
        if (of[r].curvature.n_products > 0)
            bound = fmin(bound, of[r].curvature.eigenvalue - of[r].curvature.error);
    }
    if (curvature.n_products > 0)
        curvature.error = curvature.eigenvalue - bound;
    return curvature;
}

/* An unrestricted state has one space, a restricted one both. */
static int count_stability_spaces(const struct scf_basis *basis)
{
    return SCF_SPACES - (basis->n_spins - 1);
}

int64_t scf_stability_bytes(const struct scf_basis *plan)
{
    const struct tile_symmetry *symmetry = plan->problem->symmetry;
    int n_representations = symmetry ? symmetry->group->order : 1;
    int64_t of_all = davidson_bytes(plan, 1);
    int64_t of_blocks = n_representations * davidson_bytes(plan, n_representations);
    int n_spaces = count_stability_spaces(plan);
    return n_spaces * ((of_blocks > of_all ? of_blocks : of_all) +
                       n_representations * (int64_t)sizeof(struct curvature_search));
}

/* Gives the direction; the Newton step where the own space was searched and has positive curvatures: it
 * is of the first representation, like the gradient. */
static void take_rotations(const struct curvature_searches *searches,
                           struct scf_stability *stability)
{
    struct davidson *davidson = &searches->of[0].davidson;
    struct davidson *lowest = &find_lowest_search(searches, 0)->davidson;
    if (davidson->n_vectors > 1 && davidson->eigenvalues[0] > 0 && lowest->eigenvalues[0] > 0) {
        davidson_newton_step(davidson, &searches->hessian->gradient, &davidson->scratch);
        stability->newton_step = davidson->scratch;
        davidson->scratch = (struct scf_rotation){0};
    }
    stability->direction = lowest->x;
    lowest->x = (struct scf_rotation){0};
}

static enum status search_spaces(struct curvature_searches *searches,
                                 struct scf_stability *stability)
{
    const struct scf_rotation *gradient = &searches->hessian->gradient;
    int own = searches->hessian->basis->n_spins - 1;
    double gradient_norm = sqrt(scf_rotation_dot(gradient, gradient));
    for (int i = 0; i < searches->n_spaces * searches->n_representations; i++) {
        TRY(curvature_search_init(searches, i / searches->n_representations,
                                  i % searches->n_representations, &searches->of[i]));
        searches->of[i].gradient_norm = gradient_norm;
    }
    TRY(find_lowest(searches, &stability->n_builds));
    for (int space = 0; space < searches->n_spaces; space++)
        stability->curvature[own + space] = collect_curvature(searches, space);
    take_rotations(searches, stability);
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, struct scf_stability *stability)
{
    struct curvature_searches searches = {.hessian = hessian,
                                          .n_spaces = count_stability_spaces(hessian->basis)};
    *stability = (struct scf_stability){0};
    TRY(scf_count_representations(hessian, &searches.n_representations));
    int n = searches.n_spaces * searches.n_representations;
    searches.of = agree_calloc(hessian->basis->problem->comm, (size_t)n * sizeof *searches.of,
                               "the test of stability");
    if (!searches.of)
        return STATUS_NO_MEMORY;
    enum status status = search_spaces(&searches, stability);
    for (int i = 0; i < n; i++)
        davidson_fini(&searches.of[i].davidson);
    free(searches.of);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
    scf_rotation_fini(&stability->newton_step);
}
