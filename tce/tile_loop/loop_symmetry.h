/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what an ordered loop adds to scalars is the same for all permutations of a tuple of tiles, as it
 * must be where one stands for all: tried with a few tuples, neighbouring tiles exchanged. */
#pragma once

#include "tce/tile_loop/loop_worker.h"

#include <stdint.h>

/* found  out, from {-1, 0}: the number of a tensor, a scalar whose sum differs, and the place of the loop's
 *        index that was exchanged with the next; as it was if there is none
 * Errors: those of loop_worker_run, STATUS_NO_MEMORY. */
enum status loop_symmetry_try(struct loop_worker *worker, const struct loop_body *body,
                              int64_t n_tasks, int found[2]);
