/* SPDX-License-Identifier: BSD-3-Clause */
/* Free rotations. The orbitals of an atom, and of a linear molecule, can be turned together about
 * any axis through the atom, or about that of the molecule, at the same energy. Where they are not
 * symmetric about it, as with a hole in a pi shell, this is a rotation between occupied and virtual
 * orbitals,
 *   kappa = C_v^T S A C_o,   (u x r) . grad f = sum_g A_gf g,
 * along which the energy is constant: the Hessian has the eigenvalue zero, exactly, where
 * arithmetic finds a small number of either sign. */
#pragma once

#include "hf/scf/scf_hessian.h"
#include "support/base/status.h"

enum { SCF_MAX_FREE_ROTATIONS = 3 };

/* kappa[0] to kappa[*n - 1] become the free rotations, orthonormal; the others are overwritten.
 * kappa: SCF_MAX_FREE_ROTATIONS, initialised by the caller. Overwrites the hessian's scratch.
 * Collective. Errors: STATUS_NO_MEMORY. */
enum status scf_find_free_rotations(struct scf_hessian *hessian, struct scf_rotation kappa[],
                                    int *n);
