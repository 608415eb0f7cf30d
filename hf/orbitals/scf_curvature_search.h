/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for the lowest eigenvalue of the Hessian in a space of determinants, until its sign is
 * known. A pass is
 *
 *   curvature_search_choose, the products of the new vectors of its Davidson space,
 *   curvature_search_advance. */
#pragma once

#include "hf/orbitals/scf_curvature.h"
#include "hf/orbitals/scf_davidson.h"
#include "support/base/status.h"

#include <stdbool.h>

/* How carefully a search goes. The first vectors are noise divided start_divisions times by the
 * differences of orbital energies: low excitations of every symmetry, the more divisions the fewer
 * of them. An eigenvalue with an error below error_fraction of itself is trusted after min_products.
 * The residual bounds the distance to some eigenvalue, not to the lowest: open shells, above all
 * of d electrons, have many low ones, some of which a hasty search does not see. */
struct search_care {
    int start_divisions, min_products;
    double error_fraction;
};

struct curvature_search {
    struct davidson davidson;
    const struct search_care *care;
    struct scf_curvature curvature; /* the outcome */
    bool is_own;          /* in the state's own space, where it has a gradient and free rotations */
    double gradient_norm; /* of the state */
    bool done;
};

/* Zeroed by the caller. soft: as in davidson_start, used where noise begins beside it. Collective, like
 * all that follows. Errors: those of davidson_init; on failure davidson_fini still has to be called. */
enum status curvature_search_init(struct scf_hessian *hessian, bool is_own,
                                  const struct scf_directions *soft,
                                  struct curvature_search *search);

/* Vectors that the search wants in the coming pass. Not collective. */
int curvature_search_vectors(const struct curvature_search *search);

/* Chooses n vectors for the coming pass; the search is done if there are none. */
void curvature_search_choose(struct curvature_search *search, int n);

/* Takes their products; the search is done if the sign of the lowest eigenvalue is known, or if its error
 * is mostly noise. Errors: those of davidson_solve. */
enum status curvature_search_advance(struct curvature_search *search);

/* Whether the lowest eigenvalue found shows that the state is a saddle point. Not collective. */
bool curvature_search_is_saddle(const struct curvature_search *search);
