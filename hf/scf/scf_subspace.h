/* SPDX-License-Identifier: BSD-3-Clause */
/* A subspace of rotations that grows by products with the Hessian, and the model of the energy there:
 * for Newton steps (scf_second_order.h) and the lowest curvatures (scf_stability.h). A pass over the
 * integrals is
 *
 *   scf_subspace_add for each new vector, the products of those into scf_subspace_products,
 *   scf_subspace_extend.
 *
 * Source: Davidson, J. Comput. Phys. 17, 87 (1975). */
#pragma once

#include "hf/scf/scf_hessian.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

enum { SCF_SUBSPACE_VECTORS = 24 };

struct scf_subspace {
    const struct scf_energy_gap *metric; /* borrowed; NULL: the unit matrix */
    int n_left_out;
    const struct scf_rotation *left_out;         /* orthonormal: no vector has of them; borrowed */
    int capacity;                                /* vectors */
    int n, n_new;                                /* with products; after them, in the coming pass */
    struct scf_rotation x[SCF_SUBSPACE_VECTORS]; /* orthonormal in the metric */
    struct scf_rotation Hx[SCF_SUBSPACE_VECTORS]; /* H times each */
    struct scf_rotation scratch;
    double eigenvalues[SCF_SUBSPACE_VECTORS]; /* of H between them, ascending */
    double combinations[SCF_SUBSPACE_VECTORS * SCF_SUBSPACE_VECTORS]; /* eigenvectors, n each */
    double matrix[SCF_SUBSPACE_VECTORS * SCF_SUBSPACE_VECTORS];       /* x[i] . H x[j] */
    double work[SYMMETRIC_EIGEN_WORK * SCF_SUBSPACE_VECTORS];
};

/* Without vectors; the owner sets what is left out. Collective, like all that follows. On failure
 * scf_subspace_fini still has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_subspace_init(const struct scf_basis *basis, int capacity,
                              const struct scf_energy_gap *metric, struct scf_subspace *subspace);
void scf_subspace_fini(struct scf_subspace *subspace);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_subspace_bytes(const struct scf_basis *plan, int capacity);

/* Adds a vector to the coming pass, unless there is no room or nothing of it is new. */
void scf_subspace_add(struct scf_subspace *subspace, const struct scf_rotation *vector);

/* The new vectors and the places of their products, n_new of each. */
struct scf_rotation *scf_subspace_vectors(struct scf_subspace *subspace);
struct scf_rotation *scf_subspace_products(struct scf_subspace *subspace);

/* Takes the new vectors, whose products are set: eigenvalues and combinations. Errors: as
 * symmetric_eigen. */
enum status scf_subspace_extend(struct scf_subspace *subspace);

/* x = sum_i C[i] x[i], Hx += the same sum of H x. C: n numbers. */
void scf_subspace_combine(const struct scf_subspace *subspace, const double *C,
                          struct scf_rotation *x, struct scf_rotation *Hx);

/* Replaces the vectors by n combinations, from number `first` on. */
void scf_subspace_collapse(struct scf_subspace *subspace, int first, int n);
