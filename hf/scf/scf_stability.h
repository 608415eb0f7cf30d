/* SPDX-License-Identifier: BSD-3-Clause */
/* Stability of a stationary point, whether it is a local minimum: the lowest eigenvalue of the Hessian
 * of orbital rotations (scf_subspace.h), in the space of its own kind of determinants (internal
 * stability) and, if it is restricted, in the space of UHF (external stability). Several
 * vectors share a pass over the integrals. A restricted solution that is stable in the wider
 * space is so in its own, whose curvature is then bounded, not sought.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977). */
#pragma once

#include "hf/scf/scf.h"
#include "hf/scf/scf_hessian.h"
#include "support/base/status.h"

struct scf_stability {
    struct scf_curvature curvature[SCF_SPACES]; /* of H or H_t of scf_hessian.h by enum scf_space;
                                                 * the search towards UHF ends early where the
                                                 * state is a saddle in its own space */
    struct scf_rotation direction;              /* in the own space: its vector, of norm 1 */
    int n_builds; /* passes over the integrals: each of all quartets once, or less */
};

/* soft: a direction of low curvature, with which the search about an unrestricted state begins;
 * NULL: none is known. Collective. Errors: as scf_hessian_multiply_several; STATUS_NO_MEMORY;
 * nothing is left then. */
enum status scf_stability_init(struct scf_hessian *hessian, const struct scf_rotation *soft,
                               struct scf_stability *stability);
void scf_stability_fini(struct scf_stability *stability);

/* Bytes that scf_stability_init takes of a process, at most, in addition to the Hessian's
 * (scf_basis_plan). Not collective. */
int64_t scf_stability_bytes(const struct scf_basis *plan);
