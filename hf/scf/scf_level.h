/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels that the occupation cuts. Where the highest occupied and the lowest virtual orbital of a Fock
 * matrix are degenerate, its eigenvectors are any that span the level, by rounding errors and the
 * library, and the determinant of the lowest ones has no symmetry at all. Turned to orbitals of one
 * irreducible representation each, up to D2h, it keeps the molecule's symmetry in that group. */
#pragma once

#include "hf/orbitals/scf_basis.h"
#include "hf/orbitals/scf_state.h"
#include "support/base/status.h"

/* Turns the level that the closed shells of a state cut, right after scf_state_diagonalise, and sets U_o;
 * those of the lowest representations are occupied. Does nothing where no level is cut, without symmetry,
 * or for open shells: their partly filled levels often relax to less symmetry (Jahn and Teller), and from
 * a symmetric start would end in a saddle point. Overwrites work_nn. Collective. Errors:
 * STATUS_NO_MEMORY, those of dense_eigen. */
enum status scf_level_turn(const struct scf_basis *basis, struct scf_state *state);
