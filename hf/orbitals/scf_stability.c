/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_stability.h"

#include "hf/orbitals/scf_curvature_search.h"
#include "hf/orbitals/scf_representation.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* All searches, the own space first, in each one search of each representation. */
struct curvature_searches {
    struct scf_hessian *hessian;
    const struct scf_directions *soft; /* NULL: none are known */
    struct scf_representations representations;
    int n_spaces;
    struct curvature_search *of; /* n_spaces x representations */
    /* Vectors of a pass, each the sum of one of each representation, and their products. */
    struct scf_rotation sums[FOCK_MAX_MATRICES], products[FOCK_MAX_MATRICES];
};

static struct curvature_search *searches_of_space(const struct curvature_searches *searches,
                                                  int space)
{
    return &searches->of[(int64_t)space * searches->representations.n];
}

/* Vectors that the searches in a space have for the coming pass: the most of any. */
static int count_new_vectors(const struct curvature_searches *searches, int space)
{
    const struct curvature_search *of = searches_of_space(searches, space);
    int most = 0;
    for (int r = 0; r < searches->representations.n; r++)
        most = of[r].davidson.n_new > most ? of[r].davidson.n_new : most;
    return most;
}

/* A vector of a pass: the sum of new vectors number i of the searches in a space. */
struct summed_vector {
    int space, i;
    int n, representations[POINT_GROUP_MAX_ORDER];        /* of the summands */
    struct scf_rotation *products[POINT_GROUP_MAX_ORDER]; /* of each */
};

/* Sets sum to a unit vector along it. */
static void sum_vectors(const struct curvature_searches *searches, struct summed_vector *summed,
                        struct scf_rotation *sum)
{
    struct curvature_search *of = searches_of_space(searches, summed->space);
    summed->n = 0;
    for (int r = 0; r < searches->representations.n; r++) {
        struct davidson *davidson = &of[r].davidson;
        int place = davidson->n_vectors + summed->i;
        if (summed->i >= davidson->n_new)
            continue;
        scf_rotation_add(1, &davidson->vectors[place], summed->n > 0, sum);
        summed->representations[summed->n] = r;
        summed->products[summed->n++] = &davidson->products[place];
    }
    scf_rotation_add(0, sum, 1 / sqrt(summed->n), sum);
}

/* Gives each search its part of the product of a sum. */
static void split_product(struct curvature_searches *searches, const struct summed_vector *summed,
                          struct scf_rotation *product)
{
    scf_rotation_add(0, product, sqrt(summed->n), product);
    scf_representations_split(&searches->representations, product, summed->n,
                              summed->representations, summed->products);
}

/* The products of the new vectors of all searches in one pass over the integrals. */
static enum status multiply_vectors(struct curvature_searches *searches)
{
    struct summed_vector summed[FOCK_MAX_MATRICES];
    const struct scf_rotation *sums[FOCK_MAX_MATRICES];
    struct scf_rotation *products[FOCK_MAX_MATRICES];
    int n = 0, with_own = count_new_vectors(searches, 0);
    for (int space = 0; space < searches->n_spaces; space++)
        for (int i = 0; i < count_new_vectors(searches, space); i++, n++) {
            summed[n] = (struct summed_vector){.space = space, .i = i};
            sum_vectors(searches, &summed[n], &searches->sums[n]);
            sums[n] = &searches->sums[n];
            products[n] = &searches->products[n];
        }
    TRY(scf_hessian_multiply_several(searches->hessian, with_own, n, sums, products));
    for (int i = 0; i < n; i++)
        split_product(searches, &summed[i], products[i]);
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

/* Chooses those of all searches in a space, up to `most` of each; whether there are any. */
static bool choose_of_space(struct curvature_searches *searches, int space, int most)
{
    struct curvature_search *of = searches_of_space(searches, space);
    bool any = false;
    for (int r = 0; r < searches->representations.n; r++) {
        int n = curvature_search_vectors(&of[r]);
        curvature_search_choose(&of[r], n < most ? n : most);
        any |= of[r].davidson.n_new > 0;
    }
    return any;
}

/* Chooses the vectors of the coming pass; whether there are any. */
static bool choose_all_vectors(struct curvature_searches *searches)
{
    bool any = choose_of_space(searches, 0, FOCK_MAX_MATRICES);
    int left = FOCK_MAX_MATRICES - count_new_vectors(searches, 0);
    if (searches->n_spaces == 2)
        any |= choose_of_space(searches, 1, left);
    return any;
}

/* Whether the searches are of no further use: the state is a saddle point in its own space. */
static bool is_own_saddle(const struct curvature_searches *searches)
{
    for (int r = 0; r < searches->representations.n; r++)
        if (searches->of[r].done && curvature_search_is_saddle(&searches->of[r]))
            return true;
    return false;
}

/* Runs the searches until all are done or the state is a saddle point in its own space. */
static enum status find_lowest(struct curvature_searches *searches, int *n_builds)
{
    int n_representations = searches->representations.n;
    int n = searches->n_spaces * n_representations;
    for (;;) {
        if (!choose_all_vectors(searches) || is_own_saddle(searches))
            return STATUS_OK;
        TRY(multiply_vectors(searches));
        ++*n_builds;
        for (int i = 0; i < n; i++)
            if (searches->of[i].davidson.n_new > 0)
                TRY(curvature_search_advance(&searches->of[i]));
        for (int r = 0; r < n_representations && searches->n_spaces == 2; r++)
            bound_own_space(&searches->of[r], &searches->of[n_representations + r]);
    }
}

/* The search with the lowest eigenvalue among those of a space that have rotations. */
static struct curvature_search *find_lowest_search(const struct curvature_searches *searches,
                                                   int space)
{
    struct curvature_search *of = searches_of_space(searches, space), *lowest = of;
    for (int r = 1; r < searches->representations.n; r++)
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
    for (int r = 0; r < searches->representations.n; r++) {
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
    const struct tile_symmetry *operations = plan->problem->operations;
    int n_representations = operations ? operations->group->order : 1;
    int64_t of_all = davidson_bytes(plan, 1);
    int64_t of_blocks = n_representations * davidson_bytes(plan, n_representations);
    int n_spaces = count_stability_spaces(plan);
    return scf_representations_bytes(plan) +
           INT64_C(2) * (FOCK_MAX_MATRICES / plan->n_spins) * scf_rotation_bytes(plan) +
           n_spaces * ((of_blocks > of_all ? of_blocks : of_all) +
                       n_representations * (int64_t)sizeof(struct curvature_search));
}

/* Eigenvalues whose ratio is nearer to 1 are those of partners of one degenerate mode. */
#define DEGENERATE 0.02

/* Whether a representation has a mode that leads down and is no partner of one before it. */
static bool leads_down(const struct curvature_searches *searches, int r)
{
    const struct curvature_search *of = searches->of;
    bool down = of[r].curvature.n_products > 0 && curvature_search_is_saddle(&of[r]);
    for (int q = 0; q < r && down; q++)
        down = of[q].curvature.n_products == 0 ||
               fabs(of[q].curvature.eigenvalue / of[r].curvature.eigenvalue - 1) > DEGENERATE;
    return down;
}

/* Adds to the lowest mode those of other representations that lead down, in proportion to their
 * eigenvalues. Along the lowest alone, the symmetry that is left would lead to the next saddle point. */
static void add_descents(const struct curvature_searches *searches, struct davidson *lowest)
{
    double square = 1, lowest_eigenvalue = lowest->eigenvalues[0];
    for (int r = 0; r < searches->representations.n; r++) {
        double weight = searches->of[r].curvature.eigenvalue / lowest_eigenvalue;
        if (!leads_down(searches, r) || weight > 1 - DEGENERATE)
            continue;
        scf_rotation_add(weight, &searches->of[r].davidson.x, 1, &lowest->x);
        square += weight * weight;
    }
    scf_rotation_add(0, &lowest->x, 1 / sqrt(square), &lowest->x);
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
    add_descents(searches, lowest);
    stability->direction = lowest->x;
    lowest->x = (struct scf_rotation){0};
}

/* Creates the vectors of a pass and the searches. */
static enum status init_searches(struct curvature_searches *searches)
{
    const struct scf_rotation *gradient = &searches->hessian->gradient;
    const struct scf_basis *basis = searches->hessian->basis;
    int most = FOCK_MAX_MATRICES / basis->n_spins, n = searches->representations.n;
    struct scf_rotation *all[2 * FOCK_MAX_MATRICES];
    double gradient_norm = sqrt(scf_rotation_dot(gradient, gradient));
    for (int i = 0; i < most; i++) {
        all[i] = &searches->sums[i];
        all[most + i] = &searches->products[i];
    }
    TRY(scf_rotations_init(basis, 2 * most, all));
    for (int i = 0; i < searches->n_spaces * n; i++) {
        TRY(curvature_search_init(searches->hessian, &searches->representations, i % n, i < n,
                                  searches->soft, &searches->of[i]));
        searches->of[i].gradient_norm = gradient_norm;
    }
    return STATUS_OK;
}

static enum status search_spaces(struct curvature_searches *searches,
                                 struct scf_stability *stability)
{
    int own = searches->hessian->basis->n_spins - 1;
    TRY(init_searches(searches));
    TRY(find_lowest(searches, &stability->n_builds));
    for (int space = 0; space < searches->n_spaces; space++)
        stability->curvature[own + space] = collect_curvature(searches, space);
    take_rotations(searches, stability);
    return STATUS_OK;
}

static void searches_fini(struct curvature_searches *searches)
{
    for (int i = 0; searches->of && i < searches->n_spaces * searches->representations.n; i++)
        davidson_fini(&searches->of[i].davidson);
    free(searches->of);
    for (int i = 0; i < FOCK_MAX_MATRICES; i++) {
        scf_rotation_fini(&searches->sums[i]);
        scf_rotation_fini(&searches->products[i]);
    }
    scf_representations_fini(&searches->representations);
}

/* Splits the space of rotations into those of representations, and makes room for their searches. */
static enum status create_searches(struct curvature_searches *searches)
{
    TRY(scf_representations_init(searches->hessian, &searches->representations));
    int n = searches->n_spaces * searches->representations.n;
    searches->of = agree_calloc(searches->hessian->basis->problem->comm,
                                (size_t)n * sizeof *searches->of, "the test of stability");
    return searches->of ? STATUS_OK : STATUS_NO_MEMORY;
}

enum status scf_stability_init(struct scf_hessian *hessian, const struct scf_directions *soft,
                               struct scf_stability *stability)
{
    struct curvature_searches searches = {
        .hessian = hessian, .soft = soft, .n_spaces = count_stability_spaces(hessian->basis)};
    *stability = (struct scf_stability){0};
    enum status status = create_searches(&searches);
    if (status == STATUS_OK)
        status = search_spaces(&searches, stability);
    searches_fini(&searches);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
    scf_rotation_fini(&stability->newton_step);
}
