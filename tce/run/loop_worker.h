/* SPDX-License-Identifier: BSD-3-Clause */
/* One process's scratch for the tasks of a loop over tiles: local tensors, views, the parts of
 * scalars. */
#pragma once

#include "tce/run/loop_steps.h"
#include "tce/run/tile_loop.h"

#include <stdint.h>

/* The parts that a worker is made from, all borrowed. */
struct loop_body {
    const struct tile_loop_problem *problem;
    const struct loop_step *steps;
    struct tensor *const *tensors; /* stored ones; NULL for local ones */
    const struct tile_fill *fills; /* of local ones */
    int n_scalars;
    const int *scalars; /* numbers of their tensors */
};

struct loop_worker;

/* Bytes of its scratch besides local tensors and views. */
int64_t loop_worker_bytes(void);

/* settings  with buffers. polled: taskpool_poll between two products; NULL: none.
 * Errors: STATUS_NO_MEMORY; loop_worker_destroy follows then, too. */
enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker);
void loop_worker_destroy(struct loop_worker *worker);

/* Computes a tuple of tiles: sets scalars[n_scalars] to what it adds to them, without its weight.
 * Errors: STATUS_NO_MEMORY. */
enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[]);
