/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles of a transformation of integrals: tiles of basis functions, and the pairs of
 * tiles of orbitals that its targets ask for. Identical on every process. */
#pragma once

#include "hf/tiles/tiling.h"
#include "support/base/status.h"
#include "tce/integrals/mo_integrals.h"
#include "tce/integrals/orbital_space.h"

#include <stdint.h>

enum mo_space { MO_OCCUPIED, MO_VIRTUAL, N_MO_SPACES };

/* A tile of one of the spaces. */
struct orbital_tile {
    enum mo_space space;
    int32_t tile;
    int spin;                   /* of orbital_spaces */
    struct orbital_range range; /* of all correlated orbitals of that spin */
};

/* Tiles R >= S of one spin, occupied ones coming before virtual ones. */
struct orbital_pair {
    struct orbital_tile R, S;
};

/* Orbital pairs that are transformed at a time. */
struct orbital_batch {
    int64_t first, end;
    struct orbital_range rows[2], columns[2]; /* of all their r and s, by spin */
};

struct mo_plan {
    struct mo_integrals_problem problem;
    struct tiling *tiling; /* of basis functions */
    int64_t n_orbital_pairs;
    struct orbital_pair *orbital_pairs; /* those with the same R one after another */
    int64_t n_batches;
    struct orbital_batch *batches;
    int64_t n_slots;    /* orbital pairs of a batch, at most */
    int64_t *slot_size; /* the most pairs (r, s) of those that are at this place of a batch */
    int64_t max_function_pairs; /* of a tile pair */
    int64_t max_orbital_pair;   /* pairs (r, s) of an orbital pair */
    int64_t max_block;          /* elements of a block of a target */
};

/* The targets may be without tensors, the orbitals without coefficients, if it is only to be
 * found out what memory it takes. Not collective. Errors: STATUS_NO_MEMORY; mo_plan_destroy follows
 * then, too. */
enum status mo_plan_create(const struct mo_integrals_problem *problem, struct mo_plan **plan);
void mo_plan_destroy(struct mo_plan *plan);

/* Index d of a target. */
enum mo_space mo_target_space(const struct mo_target *target, int d);

/* All orbitals of a space with that spin, and a tile of it. */
struct orbital_range mo_plan_range(const struct mo_plan *plan, enum mo_space space, int spin);
struct orbital_tile mo_plan_tile(const struct mo_plan *plan, enum mo_space space, int32_t tile);
int32_t mo_plan_n_tiles(const struct mo_plan *plan, enum mo_space space);

/* The smallest range that contains both; an empty one adds nothing. */
struct orbital_range orbital_range_union(struct orbital_range left, struct orbital_range right);

static inline int64_t orbital_pair_size(const struct orbital_pair *pair)
{
    return orbital_range_size(pair->R.range) * orbital_range_size(pair->S.range);
}

static inline int64_t orbital_batch_size(const struct orbital_batch *batch)
{
    return batch->end - batch->first;
}

/* Bytes of the (mu nu|rs) that exist at a time. */
double mo_plan_half_bytes(const struct mo_plan *plan);

/* Bytes that each process takes in addition. */
double mo_plan_process_bytes(const struct mo_plan *plan);

/* Doubles for matrices over functions or orbitals, of one spin, and for a block. */
int64_t mo_plan_matrices_size(const struct mo_plan *plan);
int64_t mo_plan_block_size(const struct mo_plan *plan);
