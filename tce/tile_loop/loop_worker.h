/* SPDX-License-Identifier: BSD-3-Clause */
/* One process's scratch for the tasks of a loop over tiles: local tensors, views, the parts of
 * scalars. */
#pragma once

#include "tce/contraction/contraction_indices.h"
#include "tce/tensor/block_index.h"
#include "tce/tile_loop/tile_loop.h"

#include <stdint.h>

/* A step with what its labels say of the whole loop: views and layouts. Its problem's labels are the
 * step's. */
struct loop_step_tasks {
    struct contraction_problem problem;
    struct contraction_indices indices;
    struct index_list order[N_LOOP_OPERANDS];    /* of a factor's blocks: its own, or a view's */
    struct block_index *blocks[N_LOOP_OPERANDS]; /* of stored factors; else NULL */
    int scalar; /* which of the loop's scalars C is; -1: it is local */
};

/* What the worker is made from, all borrowed. */
struct loop_body {
    const struct tile_loop_problem *problem;
    const struct loop_step_tasks *steps;
    struct tensor *const *tensors; /* stored ones; NULL for local ones */
    const struct tile_fill *fills; /* of local ones */
    int n_scalars;
    const int *scalars; /* numbers of their tensors */
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
