/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of the contributions of tasks to F, which do not depend on their order.
 *
 * Fixed: a contribution is rounded to multiples of a quantum, a power of two, and
 * summed as 64-bit integers, first in a worker's cache, then in a distributed
 * array. The quantum follows from a bound on every partial sum of |terms|,
 *   |J_mn| <= max Q  sum_ls Q_ls |D_ls|
 *   |K_mn| <= (max_m sum_l Q_ml)^2 max |D|
 * taken from the tables of tile maxima that every process holds in the same
 * form, so that it is the same for any number of processes and the sums cannot
 * overflow. Float: plain sums of doubles, for comparison.
 *
 * The sums are those of A, F = A + A^T, and tiles I >= J of it are kept. */
#pragma once

#include "hf/digestion/density_tiles.h"
#include "hf/tiles/screening.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct fock_accumulator;

/* On failure fock_accumulator_destroy still has to be called. Collective. Errors: STATUS_NO_MEMORY;
 * the same everywhere. */
enum status fock_accumulator_create(const struct screening *screening, int n_matrices, bool fixed,
                                    int64_t cache_bytes, struct fock_accumulator **accumulator);
void fock_accumulator_destroy(struct fock_accumulator *accumulator);

/* Memory on each of n_processes, at most, without the cache. Not collective. */
struct memory_need fock_accumulator_bytes(const struct tiling *tiling, int n_matrices,
                                          int n_processes);

/* Starts a build: every sum zero, the quantum chosen for the density. Every process; all
 * must have come this far before any adds, as taskpool_run sees to. */
void fock_accumulator_start(struct fock_accumulator *accumulator,
                            const struct density_tiles *density);

/* Adds a contribution to tile `pair` (its size, row-major) of the sum of F[matrix]:
 * block, plus block_common unless NULL. Errors: STATUS_NO_MEMORY,
 * STATUS_NUMERIC if an element is beyond the bound. */
enum status fock_accumulator_add(struct fock_accumulator *accumulator, int matrix, int64_t pair,
                                 const double *block, const double *block_common);

/* Adds what this process has collected to the sums, after its last contribution. */
void fock_accumulator_complete(struct fock_accumulator *accumulator);

/* Ends a build when all processes have completed their sums: writes F[i] = A + A^T. Collective;
 * complete on return. */
enum status fock_accumulator_finish(struct fock_accumulator *accumulator, struct darray *const F[]);
