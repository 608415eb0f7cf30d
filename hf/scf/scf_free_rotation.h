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

#include <stdbool.h>

/* Whether x, of norm 1, is a free rotation, but for a part of its square below 1 %. Overwrites the
 * hessian's scratch. Collective. Errors: STATUS_NO_MEMORY. */
enum status scf_is_free_rotation(struct scf_hessian *hessian, const struct scf_rotation *x,
                                 bool *is_free);

/* Bytes that it takes of a process while it runs, at most (scf_basis_plan). Not collective. */
int64_t scf_is_free_rotation_bytes(const struct scf_basis *plan);
