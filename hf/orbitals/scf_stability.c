/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_stability.h"

#include "hf/orbitals/scf_curvature_search.h"

#include <stdbool.h>

/* A search in each space, the own one first; they share passes over the integrals. */
struct curvature_searches {
    struct scf_hessian *hessian;
    int n;
    struct curvature_search of[SCF_SPACES];
};

/* An unrestricted state has one space, a restricted one both. */
static int count_stability_spaces(const struct scf_basis *basis)
{
    return SCF_SPACES - (basis->n_spins - 1);
}

int64_t scf_stability_bytes(const struct scf_basis *plan)
{
    return count_stability_spaces(plan) * davidson_bytes(plan);
}

/* The products of the new vectors of both searches in one pass over the integrals. */
static enum status multiply_vectors(struct curvature_searches *searches)
{
    const struct scf_rotation *vectors[FOCK_MAX_MATRICES];
    struct scf_rotation *products[FOCK_MAX_MATRICES];
    int n = 0;
    for (int space = 0; space < searches->n; space++) {
        struct davidson *davidson = &searches->of[space].davidson;
        for (int i = 0; i < davidson->n_new; i++, n++) {
            vectors[n] = &davidson->vectors[davidson->n_vectors + i];
            products[n] = &davidson->products[davidson->n_vectors + i];
        }
    }
    return scf_hessian_multiply_several(searches->hessian, searches->of[0].davidson.n_new, n,
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

/* Chooses the vectors of the coming pass; whether there are any. */
static bool choose_vectors(struct curvature_searches *searches)
{
    int left = FOCK_MAX_MATRICES;
    bool any = false;
    for (int space = 0; space < searches->n; space++) {
        struct curvature_search *search = &searches->of[space];
        int n = curvature_search_vectors(search);
        curvature_search_choose(search, n < left ? n : left);
        left -= search->davidson.n_new;
        any |= search->davidson.n_new > 0;
    }
    return any;
}

/* Runs the searches until all are done or the state is a saddle point in its own space. */
static enum status find_lowest(struct curvature_searches *searches, int *n_builds)
{
    struct curvature_search *own = &searches->of[0];
    while (choose_vectors(searches) && !(own->done && curvature_search_is_saddle(own))) {
        TRY(multiply_vectors(searches));
        ++*n_builds;
        for (int space = 0; space < searches->n; space++)
            if (searches->of[space].davidson.n_new > 0)
                TRY(curvature_search_advance(&searches->of[space]));
        if (searches->n == 2)
            bound_own_space(own, &searches->of[1]);
    }
    return STATUS_OK;
}

static enum status search_spaces(struct curvature_searches *searches,
                                 const struct scf_directions *soft, struct scf_stability *stability)
{
    struct scf_hessian *hessian = searches->hessian;
    int own = hessian->basis->n_spins - 1;
    for (int space = 0; space < searches->n; space++)
        TRY(curvature_search_init(hessian, space == 0, soft, &searches->of[space]));
    TRY(find_lowest(searches, &stability->n_builds));
    for (int space = 0; space < searches->n; space++)
        stability->curvature[own + space] = searches->of[space].curvature;
    stability->direction = searches->of[0].davidson.x;
    searches->of[0].davidson.x = (struct scf_rotation){0};
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, const struct scf_directions *soft,
                               struct scf_stability *stability)
{
    struct curvature_searches searches = {.hessian = hessian,
                                          .n = count_stability_spaces(hessian->basis)};
    *stability = (struct scf_stability){0};
    enum status status = search_spaces(&searches, soft, stability);
    for (int space = 0; space < searches.n; space++)
        davidson_fini(&searches.of[space].davidson);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
}
