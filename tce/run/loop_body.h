/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a loop over tiles, ready for any tuple: which pairs of blocks they multiply, how they read stored
 * factors, and which blocks local tensors have. */
#pragma once

#include "support/base/status.h"
#include "tce/run/block_pairs.h"
#include "tce/run/operands.h"
#include "tce/run/tile_loop.h"

#include <stdbool.h>
#include <stdint.h>

struct loop_body {
    const struct tile_loop *loop;         /* borrowed */
    struct contraction_problem *problems; /* of the steps, with the tensors that exist */
    struct block_pairs *pairs;            /* of the steps */
    struct factor_view (*views)[2];       /* of A and B, where they are stored */
    struct open_tiles *locals; /* tiles of local tensors' positions without the loop's indices */
    struct tile_fill *fills;   /* of local tensors; borrowed contexts */
};

/* Errors: STATUS_NO_MEMORY, STATUS_LIMIT; loop_body_fini follows then, too. */
enum status loop_body_init(const struct tile_loop *loop, struct loop_body *body);
void loop_body_fini(struct loop_body *body);

/* The work of a tuple. */
struct task_cost loop_body_cost(const struct loop_body *body, const int32_t tuple[]);

/* A walk over the blocks of a local tensor within a tuple. */
struct local_walk {
    const struct open_tiles *tiles;
    const struct block_index *blocks; /* by their open tiles; NULL: none */
    int64_t next;
    int32_t at[MAX_INDICES]; /* tiles by place */
};

void local_walk_begin(const struct loop_body *body, int local, const int32_t tuple[],
                      struct local_walk *walk);

/* Steps to the next block; false at the end. */
bool local_walk_next(struct local_walk *walk);

/* Elements of the block that the walk is at. */
int64_t local_walk_size(const struct local_walk *walk);

/* Begins the pairs that step s multiplies for the block of C with these tiles. */
void loop_pairs_begin(const struct loop_body *body, int s, const int32_t tuple[],
                      const int32_t at[], enum pair_wants wants, struct pair_walk *pairs);
