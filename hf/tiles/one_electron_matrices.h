/* SPDX-License-Identifier: BSD-3-Clause */
/* One-electron matrices over the whole basis, distributed. */
#pragma once

#include "basis/input/molecule.h"
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

/* Overlap; kinetic energy plus nuclear attraction plus core potentials, hartree; the components x, y, z of
 * the dipole operator r about the origin, Bohr. Tile matrices that exist,
 * overwritten; every process computes the tiles it holds, but those of core potentials are dealt out
 * by pairs of shells and accumulated. Collective.
 * Errors: STATUS_NO_MEMORY, STATUS_LIBRARY (libecpint fails); the same on every process. */
enum status overlap_matrix(const struct tiling *tiling, struct darray *S);
enum status core_hamiltonian_matrix(const struct tiling *tiling, const struct molecule *molecule,
                                    struct darray *H);
enum status dipole_matrices(const struct tiling *tiling, struct darray *const r[3]);
