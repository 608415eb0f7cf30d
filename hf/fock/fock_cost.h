/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted cost of a quartet of tiles, from the basis and the bounds alone: before any
 * density is known, and so an upper bound where the density is sparse.
 *
 * It counts the quartets of primitive functions that neither the Schwarz bounds of
 * their shells nor their own weights (basis/integrals/shell_pairs.h) rule out, each weighted by
 *     (l_a + l_b + 1) (l_c + l_d + 1)
 * which follows the work of a class closely enough. Not one by one: a product of
 * primitives ab with bound Q and weight w counts with another as long as v v' >= 1,
 *     v = min(Q / sqrt(threshold), w / sqrt(cutoff)),
 * and every tile pair has a histogram of log v. */
#pragma once

#include "hf/fock/fock_tasks.h"
#include "hf/tiles/screening.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

struct fock_cost;

/* screening is borrowed. On failure fock_cost_destroy still has to be called. Collective. Errors:
 * STATUS_NO_MEMORY; the same everywhere. */
enum status fock_cost_create(const struct screening *screening, enum fock_symmetry symmetry,
                             MPI_Comm comm, struct fock_cost **cost);
void fock_cost_destroy(struct fock_cost *cost);

/* > 0, in weighted quartets of primitives (2 to 9 ns each, by system), overhead included; the same
 * on every process. Not collective. */
double fock_cost_of_quartet(const struct fock_cost *cost, const struct tile_quartet *quartet);

/* Cost of finding that a task is null. */
#define FOCK_COST_OF_NULL_TASK 4.0

/* Bytes per process. Not collective. */
int64_t fock_cost_bytes(const struct tiling *tiling);
