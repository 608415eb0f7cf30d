/* SPDX-License-Identifier: BSD-3-Clause */
/* The lowest eigenvectors of the Hessian of orbital rotations in a subspace that grows by products
 * with it, after Davidson, J. Comput. Phys. 17, 87 (1975). Several searches can share a pass over the
 * integrals: a pass is
 *
 *   davidson_choose, products[n_vectors + i] = H vectors[n_vectors + i] for i < n_new,
 *   davidson_solve, and if the search goes on davidson_prepare. */
#pragma once

#include "hf/orbitals/scf_free_rotation.h"
#include "hf/orbitals/scf_hessian.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

enum { DAVIDSON_VECTORS = 24, DAVIDSON_MAX_NEW = FOCK_MAX_MATRICES };

struct davidson {
    struct scf_hessian *hessian;
    int n_vectors, n_new; /* with products; after them, in the coming pass */
    int most_new;         /* in any pass */
    bool has_soft;        /* the first vector was a soft mode, not noise */
    struct scf_rotation vectors[DAVIDSON_VECTORS];            /* orthonormal */
    struct scf_rotation products[DAVIDSON_VECTORS];           /* H times each */
    double matrix[DAVIDSON_VECTORS * DAVIDSON_VECTORS];       /* of H between them */
    double combinations[DAVIDSON_VECTORS * DAVIDSON_VECTORS]; /* its eigenvectors, n_vectors each */
    double eigenvalues[DAVIDSON_VECTORS];
    double work[SYMMETRIC_EIGEN_WORK * DAVIDSON_VECTORS];
    struct scf_rotation next[DAVIDSON_MAX_NEW]; /* the best first; before the first pass, noise */
    struct scf_rotation free_rotations[SCF_MAX_FREE_ROTATIONS];
    int n_free; /* of them, which the search leaves out: their eigenvalue is zero */
    struct scf_rotation x, scratch; /* x: of the lowest eigenvalue */
    double residual_norm;           /* of H x - eigenvalue x */
};

/* The space that is searched, and the first vectors. */
struct davidson_start {
    /* Noise divided this many times by the differences of orbital energies is low excitations, the more
     * divisions the fewer of them. */
    int n_divisions;
    int most_new;        /* vectors of a pass, at most DAVIDSON_MAX_NEW */
    bool leave_out_free; /* free rotations, where there are others */
    /* Directions of low curvature, the lowest first. The first one that is no free rotation replaces the
     * noise of a first vector; NULL: none are known. */
    const struct scf_directions *soft;
};

/* Collective, like all that follows. Errors: STATUS_NO_MEMORY; on failure davidson_fini still has to be
 * called. */
enum status davidson_init(struct scf_hessian *hessian, const struct davidson_start *start,
                          struct davidson *davidson);
void davidson_fini(struct davidson *davidson);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t davidson_bytes(const struct scf_basis *plan);

/* Makes the best n <= most_new of next vectors of the coming pass, n_new of them: 0 if the space is exhausted. */
void davidson_choose(struct davidson *davidson, int n);

/* Takes the new vectors and their products into the subspace: sets the eigenvalues, x and the
 * residual's norm. Errors: those of symmetric_eigen. */
enum status davidson_solve(struct davidson *davidson);

/* Finds the next vectors, and makes room for them. */
void davidson_prepare(struct davidson *davidson);
