/* SPDX-License-Identifier: BSD-3-Clause */
/* Direct inversion in the iterative subspace: extrapolates a sequence of Fock matrices
 * to the combination whose error is least.
 *
 *   F = sum_i c_i F_i,   sum_i c_i = 1,   | sum_i c_i e_i | minimal
 *
 * Source: Pulay, J. Comput. Chem. 3, 556 (1982). */
#pragma once

#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdint.h>

struct diis;

/* Collective, like all that follows. Keeps the last size steps, each of n_matrices symmetric
 * Fock matrices and as many antisymmetric errors, n_rows x n_rows. A step takes one matrix for
 * both: F with its diagonal in the lower triangle, the error in the upper one.
 * Errors: STATUS_NO_MEMORY. */
enum status diis_create(const struct dense_grid *grid, int n_matrices, int64_t n_rows, int64_t size,
                        struct diis **diis);
void diis_destroy(struct diis *diis);

/* Bytes that it takes of a process. Not collective. */
int64_t diis_bytes(const struct dense_grid *grid, int n_matrices, int64_t n_rows, int64_t size);

/* Adds a step, in place of the oldest if size are kept; copies the lower triangle of F and the
 * upper one of error. */
void diis_push(struct diis *diis, struct dense *const F[], struct dense *const error[]);

/* F and error of a step as it is kept (diis_get_step): F, and the error above the diagonal. All of
 * one shape; scratch is overwritten. Collective. */
void diis_unpack_step(const struct dense *packed, struct dense *scratch, struct dense *F,
                      struct dense *error);

/* F = the extrapolation, over at least one step. Steps that make the equations
 * ill-conditioned are dropped for good, oldest first. scratch: n_rows x n_rows.
 * Errors: STATUS_NUMERIC; the same everywhere. */
enum status diis_extrapolate(struct diis *diis, struct dense *scratch, struct dense *const F[]);

/* Steps kept now; 0 of NULL. */
int diis_n_steps(const struct diis *diis);

/* Matrix number s of a step, from 0, the oldest, with its error in the upper triangle; borrowed. */
struct dense *diis_get_step(const struct diis *diis, int step, int s);

/* The coefficients of n steps whose errors have the scalar products B (n x n, row
 * i at B + i * stride), oldest first. Leaves out as few of the oldest as makes the
 * equations well-conditioned: their coefficients are 0 and *n_dropped counts them.
 * Not collective. Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. */
enum status diis_coefficients(int n, const double *B, int stride, double *coefficients,
                              int *n_dropped);
