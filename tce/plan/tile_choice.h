/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the tiles of a program's spaces are where it says nothing: those for which a simple model of the
 * time of all its contractions is least. Of a contraction, in operations of DGEMM,
 *
 *     (operations + moves + products) (1 + WORKERS / tasks)
 *
 * - Every product of two blocks reads both, and adds to a block of the result: PLAN_MOVE_FLOPS for each element
 *   that is moved, more where the tensor's last index is short, less where a cache holds the block. So blocks
 *   of the result are as large as a cache allows, and what is summed over comes in few, long pieces.
 * - A task is a block of the result, and the longest one may begin last: so there are many.
 *
 * Only the program decides: results are the same on any number of processes. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/plan.h"

#include <stdint.h>

/* plan  over spaces whose tiles are as long as labels allow
 * tile  of each of the program's spaces: 0 is replaced by the values in a tile; PROGRAM_TILE if no contraction
 *       outside of loops over tiles has an index of the space; more if all spaces had more than
 *       INDEX_SPACE_MAX_TILES else
 * Errors: STATUS_NO_MEMORY. */
enum status tile_choice_make(const struct plan *plan, int64_t tile[]);
