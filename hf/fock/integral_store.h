/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals that a process keeps from one Fock build to the next, of the tile quartets that it runs.
 *
 *     fock_worker      tile quartet (IJ|KL)
 *        |  integral_store_find
 *        v
 *     hit    kept_quartets of it: batches read them
 *     miss   integral_store_reserve: memory for all its shell quartets above the threshold; the caller
 *            computes them, then integral_store_commit. NULL without room: computed as without a store
 *
 * A tile quartet is kept as a whole or not at all, and stays until all are forgotten, also where its task
 * has moved to another process, which then keeps its own. Integrals depend on no density, so that all builds
 * share them. */
#pragma once

#include "basis/quartets/kept_quartets.h"
#include "hf/fock/fock_tasks.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct integral_store;

/* bound_bytes: of the kept integrals; the address space is taken with the first of them. unit: of
 * integrals (kept_quartets.h). Errors: STATUS_NO_MEMORY. Nothing here is collective. */
enum status integral_store_create(int64_t bound_bytes, double unit, struct integral_store **store);
void integral_store_destroy(struct integral_store *store);

/* Upper bound for a store with any threshold: bytes of all unique integrals, or of all ordered
 * ones, and of their containers. With full symmetry and n_operations of a molecule (NULL: none),
 * only one quartet of each orbit counts. */
double integral_store_most_bytes(const struct tiling *tiling, enum fock_symmetry symmetry,
                                 const struct tile_symmetry *of_molecule, int n_operations);

/* Forgets all integrals and returns their memory to the system. */
void integral_store_clear(struct integral_store *store);

/* The kept integrals of a tile quartet; NULL: none. Valid until the next call. n_operations of the
 * molecule's symmetry say which of its shell quartets there are; quartets kept under another number
 * are not found. */
struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet, int n_operations);

/* Full: there was no room for a tile quartet, and nothing more is kept. */
bool integral_store_is_full(const struct integral_store *store);

/* Memory for a tile quartet that integral_store_find does not find, which finds it from the next
 * integral_store_commit on. NULL: there is no room. */
struct kept_quartets *integral_store_reserve(struct integral_store *store,
                                             const struct tile_quartet *quartet, int n_operations,
                                             const struct kept_size *size);
void integral_store_commit(struct integral_store *store);

/* Bytes in use. */
int64_t integral_store_bytes(const struct integral_store *store);
