/* SPDX-License-Identifier: BSD-3-Clause */
/* The density matrix of orbitals. */
#pragma once

#include "hf/tiles/tiling.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

/* D[m][n] = occupation sum_k C[m][k] C[n][k], k = 0, 1, ..., n_occupied - 1, added up in that order
 * without fused operations: D is the same, bit for bit, for any number of processes and tiles.
 * occupation  electrons in an orbital, 1 or 2
 * C           n_functions x n_occupied or more: the occupied orbitals come first
 * D           tile matrix; overwritten, complete on return
 * Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status orbital_density(const struct tiling *tiling, double occupation, const struct dense *C,
                            int64_t n_occupied, struct darray *D);
