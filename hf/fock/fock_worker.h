/* SPDX-License-Identifier: BSD-3-Clause */
/* One worker of a Fock build: computes tile quartets. */
#pragma once

#include "basis/quartets/class_costs.h"
#include "hf/digestion/fock_tiles.h"
#include "hf/fock/fock_tasks.h"
#include "hf/fock/integral_store.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/status.h"

#include <stdint.h>

struct fock_worker;

/* Everything is borrowed. On failure fock_worker_destroy still has to be called. Not collective.
 * Errors: STATUS_NO_MEMORY. */
enum status fock_worker_create(const struct screening *screening, enum screening_rule rule,
                               enum fock_symmetry symmetry, int64_t cache_bytes,
                               struct fock_tiles *tiles, struct fock_worker **worker);
void fock_worker_destroy(struct fock_worker *worker);

/* Bytes of a worker, builds of matrices of this kind included, without the cache. */
int64_t fock_worker_bytes(const struct tiling *tiling, const struct density_kind *kind);

/* Calls function between batches of shell quartets, some 0.1 ms after the last
 * call, and up to 2 ms later where a batch takes as long: a tile quartet, which
 * may take far longer, then keeps no other process waiting. context is borrowed. */
void fock_worker_interrupt(struct fock_worker *worker, void (*function)(void *context),
                           void *context);

/* Adds what the quartets of each class cost from now on to costs, which is borrowed. NULL: nothing
 * is measured, as at first. */
void fock_worker_count_costs(struct fock_worker *worker, struct class_costs *costs);

/* Reads integrals from the store, which is borrowed, and keeps them there, from now on. The sums are
 * those without a store, to the last bit. NULL: none is kept, as at first. */
void fock_worker_keep(struct fock_worker *worker, struct integral_store *store);

/* From now on builds may compute the representatives of orbits alone, with their weights
 * (quartet_orbits.h): what they contribute must then be summed over the operations. Under full
 * eight-fold symmetry only; no rows are used. symmetry is borrowed; NULL: all quartets, as at first. */
void fock_worker_use_symmetry(struct fock_worker *worker, const struct tile_symmetry *symmetry);

/* Begins and ends a build, for which its tiles have begun. n_operations: as in tile_symmetry.h; 1: all quartets.
 * cutoff: of SCREENING_DENSITY (quartet_is_significant). Errors of begin: STATUS_NO_MEMORY. */
enum status fock_worker_begin(struct fock_worker *worker, const struct density_kind *kind,
                              int n_operations, double cutoff);
void fock_worker_end(struct fock_worker *worker);

/* Work since the last begin. */
struct fock_counts {
    int64_t integrals;      /* used; under full symmetry one of each orbit */
    int64_t integrals_read; /* of them, from the store */
    int64_t hits, misses; /* tile quartets with integrals to keep that the store had, or had not */
};
struct fock_counts fock_worker_counts(const struct fock_worker *worker);

/* Adds the contribution of a quartet of tiles to F. Under full
 * symmetry I >= J, K >= L and pair (I, J) not below (K, L). worker is a
 * struct fock_worker: fock_tasks_visit prescribes the signature.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. */
enum status fock_worker_compute(const struct tile_quartet *quartet, void *worker);
