/* SPDX-License-Identifier: BSD-3-Clause */
/* A Newton step within a trust region, in a subspace of rotations that grows by products with the
 * Hessian. The change of the energy by a rotation, over the weight of scf_hessian.h,
 *
 *   m(kappa) = g . kappa + 1/2 kappa . H kappa,   kappa . M kappa <= radius^2
 *
 * with the differences M of orbital energies for a metric, is minimised within the subspace, whatever
 * the signs of the eigenvalues there. Two vectors share each pass over the integrals: the
 * preconditioned residuals
 *
 *   of the step          g + (H + mu M) kappa,   mu >= 0 from the radius, and
 *   of the lowest mode   (H - e M) x,            e: lowest eigenvalue in the subspace.
 *
 * The second one finds the soft modes on which steps with the first alone spend most of their products.
 * No vector is noise, so that a step from symmetric orbitals leads to symmetric ones.
 * Source: More & Sorensen, SIAM J. Sci. Stat. Comput. 4, 553 (1983), for the radius; Davidson, J. Comput.
 * Phys. 17, 87 (1975). */
#pragma once

#include "hf/scf/scf_hessian.h"
#include "hf/scf/scf_preconditioner.h"
#include "hf/scf/scf_subspace.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* In all; in a pass. */
enum { NEWTON_VECTORS = 16, NEWTON_MAX_NEW = FOCK_MAX_COULOMB };

struct newton_space {
    struct scf_hessian *hessian;               /* borrowed */
    struct scf_preconditioner *preconditioner; /* borrowed; has the metric */
    int most_new;                              /* vectors of a pass, at most */
    struct scf_subspace subspace;
    double g[NEWTON_VECTORS];            /* x[i] . g */
    double coefficients[NEWTON_VECTORS]; /* of kappa */
    struct scf_rotation residual, next[NEWTON_MAX_NEW], scratch;
    double residual_z; /* of the step: residual . B^-1 residual */
    /* The step. */
    struct scf_rotation kappa;
    double slope;     /* g . kappa, < 0 unless g is zero */
    double curvature; /* kappa . H kappa */
    double length;    /* in the metric */
    double shift;     /* mu */
    bool on_boundary; /* of the trust region */
};

/* hessian and preconditioner are those of a state, begun. most_new <= NEWTON_MAX_NEW. Collective, like
 * all that follows. On failure newton_space_fini still has to be called. Errors: STATUS_NO_MEMORY. */
enum status newton_space_init(struct scf_hessian *hessian,
                              struct scf_preconditioner *preconditioner, int most_new,
                              struct newton_space *space);
void newton_space_fini(struct newton_space *space);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t newton_space_bytes(const struct scf_basis *plan);

/* Grows the subspace until further vectors would add little to what the step gains, and sets the step.
 * Errors: those of scf_hessian_multiply_several and symmetric_eigen. */
enum status newton_space_minimise(struct newton_space *space, double radius);

/* Sets the step of another radius, without further products. */
void newton_space_step(struct newton_space *space, double radius);

/* Gives the preconditioner the eigenvectors of lowest positive eigenvalue, for the next step; only
 * newton_space_fini may follow. */
void newton_space_keep(struct newton_space *space);
