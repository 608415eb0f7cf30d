/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals that a process keeps from one Fock build to the next: those of the tile quartets that it
 * runs.
 *
 *     fock_worker      tile quartet (IJ|KL)
 *        |  integral_store_find
 *        v
 *     hit    kept_quartets of it: batches read what is there
 *     miss   integral_store_add: memory for all its shell quartets above the threshold, which the caller
 *            computes; NULL where the bound leaves no room: computed as without a store
 *
 * A tile quartet is kept as a whole or not at all, whichever comes first, and by every process that
 * computes it; its memory is taken when it is added, beyond some 128 MB in huge pages
 * where the system has them (Linux: /sys/kernel/mm/transparent_hugepage/enabled is madvise or always). The
 * integrals depend on no density, so that all builds share them. If a build found no room, the next one
 * begins without the tile quartets that it did not ask for: other processes compute those. */
#pragma once

#include "basis/quartets/kept_quartets.h"
#include "hf/fock/fock_tasks.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct integral_store;

/* bound_bytes: of all that it keeps, and of the address space that it takes; unit: of integrals
 * (kept_quartets.h). Not collective. Errors: STATUS_NO_MEMORY. */
enum status integral_store_create(int64_t bound_bytes, double unit, struct integral_store **store);
void integral_store_destroy(struct integral_store *store);

/* Bytes of all unique integrals, or of all ordered ones, and of what keeps them, whatever the
 * threshold: more than a store ever takes. With full symmetry and that of a molecule (NULL: none), of
 * one quartet of each orbit. Not collective. */
double integral_store_most_bytes(const struct tiling *tiling, enum fock_symmetry symmetry,
                                 const struct tile_symmetry *of_molecule);

/* Forgets all integrals and returns their memory to the system. */
void integral_store_clear(struct integral_store *store);

/* Starts a build. */
void integral_store_begin(struct integral_store *store);

/* The kept integrals of a tile quartet; NULL: none. Valid until the next begin or clear. group: a
 * number for the symmetry that says which of its shell quartets there are; those of each are kept apart. */
struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet, int group);

/* Whether there was no room for a tile quartet in this build, and is hardly any for others. */
bool integral_store_is_full(const struct integral_store *store);

/* Memory for a tile quartet that integral_store_find does not find. NULL if there is no room. */
struct kept_quartets *integral_store_add(struct integral_store *store,
                                         const struct tile_quartet *quartet, int group,
                                         const struct kept_size *size);

/* Bytes in use. */
int64_t integral_store_bytes(const struct integral_store *store);
