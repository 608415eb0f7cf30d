/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals that the processes of a node keep from one Fock build to the next: each those of the tile
 * quartets that it computed.
 *
 *     fock_worker      tile quartet (IJ|KL)
 *        |  integral_store_find
 *        v
 *     hit    kept_quartets of it: batches read what is there, whichever process of the node computed it
 *     miss   integral_store_add: memory for all its shell quartets above the threshold, which the caller
 *            computes; NULL where the bound leaves no room: computed as without a store
 *
 * A tile quartet is kept as a whole or not at all, whichever comes first; its memory is taken when it is
 * added, beyond some 128 MB of a process in huge pages where the system has them (Linux:
 * /sys/kernel/mm/transparent_hugepage/enabled is madvise or always; of memory that others see,
 * shmem_enabled is advise or always). The integrals depend on no density, so that all builds share them. If
 * a build found no room, the next one begins without the tile quartets that no process asked for.
 *
 * Processes do not wait for each other: in a build each tile quartet is asked for by one of them, and what
 * builds before it kept is read. */
#pragma once

#include "basis/quartets/kept_quartets.h"
#include "hf/fock/fock_tasks.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct integral_store;

/* bound_bytes: of all that this process keeps, and of the address space that it takes; unit: of integrals
 * (kept_quartets.h). Collective; destroy is not. Errors: STATUS_NO_MEMORY, on all processes. */
enum status integral_store_create(MPI_Comm comm, int64_t bound_bytes, double unit,
                                  struct integral_store **store);
void integral_store_destroy(struct integral_store *store);

/* Bytes of all unique integrals, or of all ordered ones, and of what keeps them, whatever the
 * threshold: more than a store ever takes. With full symmetry and that of a molecule (NULL: none), of
 * one quartet of each orbit. Not collective. */
double integral_store_most_bytes(const struct tiling *tiling, enum fock_symmetry symmetry,
                                 const struct tile_symmetry *of_molecule);

/* Forgets all integrals of this process and returns their memory to the system. To be called by all
 * processes, between builds: a process that does not no longer finds what others keep. */
void integral_store_clear(struct integral_store *store);

/* Starts a build. To be called by all processes, once no other one is in the build before; what those keep
 * that have not called it yet is not found. */
void integral_store_begin(struct integral_store *store);

/* The kept integrals of a tile quartet; NULL: none. Valid until the next call. group: a number for the
 * symmetry that says which of its shell quartets there are; those of each are kept apart. */
struct kept_quartets *integral_store_find(struct integral_store *store,
                                          const struct tile_quartet *quartet, int group);

/* Whether there was no room for a tile quartet in this build, and is hardly any for others. As all that
 * follows, of this process alone. */
bool integral_store_is_full(const struct integral_store *store);

/* Memory for a tile quartet that integral_store_find does not find, valid until the next call. NULL if there
 * is no room. */
struct kept_quartets *integral_store_add(struct integral_store *store,
                                         const struct tile_quartet *quartet, int group,
                                         const struct kept_size *size);

/* Bytes in use. */
int64_t integral_store_bytes(const struct integral_store *store);
