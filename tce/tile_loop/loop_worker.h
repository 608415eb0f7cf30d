/* SPDX-License-Identifier: BSD-3-Clause */
/* One process's scratch for the tasks of a loop over tiles: local tensors, views, the parts of
 * scalars. */
#pragma once

#include "tce/contraction/contraction_tasks.h"
#include "tce/tile_loop/tile_loop.h"

#include <stdint.h>

/* A step with what its labels say: blocks and layouts. Its problem's labels are the step's. */
struct loop_step_tasks {
    struct contraction_problem problem;
    struct contraction_tasks tasks;
    int scalar; /* which of the loop's scalars C is; -1: it is local */
};

/* What the worker is made from, all borrowed. */
struct loop_body {
    const struct tile_loop_problem *problem;
    const struct loop_step_tasks *steps;
    struct tensor *const *tensors;     /* stored ones; NULL for local ones */
    const struct tile_fill *fills;     /* of local ones */
    struct block_index *const *blocks; /* of local ones */
    int n_scalars;
};

struct loop_worker;

/* settings  with buffers. polled: taskpool_poll between two products; NULL: none.
 * Errors: STATUS_NO_MEMORY; loop_worker_destroy follows then, too. */
enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker);
void loop_worker_destroy(struct loop_worker *worker);

/* Computes a tuple of tiles: sets scalars[n_scalars] to what it adds to them, without its weight.
 * norms  out, n_tensors, or NULL: of local tensors and scalars, what rounding is relative to: the sum of
 *        the products of the norms of their factors
 * Errors: STATUS_NO_MEMORY. */
enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[],
                            double norms[]);

/* Steps through the tuples of tiles that an operand's blocks have within a tuple of the loop; false
 * after the last. begin: at the first. */
struct block_walk {
    const struct block_labels *labels;
    int32_t at[MAX_RANK];
    bool fixed[MAX_RANK]; /* to the loop's tile */
    bool begun;
};

/* loop_index: of each place, which of the loop's indices it has, or -1 */
void block_walk_begin(const struct block_labels *labels, const int loop_index[],
                      const int32_t tuple[], struct block_walk *walk);
bool block_walk_next(struct block_walk *walk);

/* The loop's indices at the places of the operand whose blocks a step walks through: C, or of a scalar
 * A. */
void loop_step_places(const struct tile_loop_step *step, bool scalar, int loop_index[MAX_RANK]);

/* Whether a product has the loop's tiles at all of its indices. */
bool loop_step_is_here(const struct tile_loop_step *step, const struct block_pair *pair,
                       const int32_t tuple[]);
