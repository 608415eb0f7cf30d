/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals (ss|ss) row by row, and their contribution to A (fock_digest.h): the quartets of one
 * bra with many kets, 8 kets at once.
 *
 * For a bra (ab) the integrals v with kets (cd) in the order of these make, with vectors over the
 * kets, the Coulomb terms A_ab += 2 j C_cd v and A_cd += 2 j C_ab v. They are also put into a matrix V of rows c and
 * columns d, the functions that occur in the order in which they do, so that pairs of large bounds
 * lie together; and
 *   A_ac += k V_cd D_bd   A_bc += k V_cd D_ad   A_ad += k D_bc V_cd   A_bd += k D_ac V_cd
 * are products of matrix and vector. Elements of D and A that all rows share are kept in such order
 * for all of them. */
#pragma once

#include "basis/quartets/quartet_batches.h"
#include "hf/digestion/fock_tiles.h"
#include "hf/tiles/screening.h"

#include <stdint.h>

/* Elements of D and A in the order in which the rows of one tile quartet meet them, and scratch. */
struct row_matrices;

/* For tiles of this tiling, borrowed, of up to n_matrices. On failure row_matrices_destroy still has to be
 * called. Errors: STATUS_NO_MEMORY. */
enum status row_matrices_create(const struct tiling *tiling, int n_matrices,
                                struct row_matrices **matrices);
void row_matrices_destroy(struct row_matrices *matrices);

/* Bytes that the object takes. */
int64_t row_matrices_bytes(const struct tiling *tiling, int n_matrices);

/* A request: the quartets of the views' tiles I and J, K and L, with all permutations. */
struct fock_rows_task {
    const struct rows_of_classes *rows;
    double threshold, cutoff; /* quartet_is_significant */
    enum screening_rule rule;
};

/* Computes and uses all quartets whose product of bounds reaches the threshold; under
 * SCREENING_DENSITY only blocks of kets with a quartet that quartet_is_significant. Returns the
 * number of integrals. after_rows: called after some of the rows. */
int64_t fock_rows_compute(struct row_matrices *matrices, const struct quartet_views *views,
                          const struct fock_rows_task *task, void (*after_rows)(void *context),
                          void *context);
