/* SPDX-License-Identifier: BSD-3-Clause */
/* One process's scratch for the tuples of a loop over tiles: local tensors and views. */
#pragma once

#include "taskpool/taskpool.h"
#include "tce/run/loop_body.h"

#include <stdint.h>

struct loop_worker;

/* body      borrowed, its tensors exist
 * settings  with buffers. polled: taskpool_poll between two products; NULL: none.
 * Errors: STATUS_NO_MEMORY; loop_worker_destroy follows then, too. */
enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker);
void loop_worker_destroy(struct loop_worker *worker);

/* Computes a tuple of tiles: sets scalars[n_scalars] to its summands, without its weight.
 * Errors: STATUS_NO_MEMORY. */
enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[]);
