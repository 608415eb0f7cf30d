/* SPDX-License-Identifier: BSD-3-Clause */
/* Irreducible representations of rotations. Where the density has the symmetry of the molecule, the
 * Hessian couples no rotations of different ones: its lowest eigenvalue is that of one of its blocks,
 * and the Fock builds of products within a block are cheaper by the order of the group
 * (hf/fock/fock_parts.h). */
#pragma once

#include "hf/orbitals/scf_hessian.h"
#include "support/base/status.h"

/* *n = the number of blocks that are searched apart: the order of the group of problem->symmetry, or 1
 * without one and where the density of the last build has less symmetry. Collective, like what follows.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_count_representations(const struct scf_hessian *hessian, int *n);

/* kappa becomes its part of a representation. Overwrites the hessian's scratch. Errors:
 * STATUS_NO_MEMORY. */
enum status scf_rotation_take_part(struct scf_hessian *hessian, int representation,
                                   struct scf_rotation *kappa);
