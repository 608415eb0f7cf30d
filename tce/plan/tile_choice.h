/* SPDX-License-Identifier: BSD-3-Clause */
/* How long the tiles of a program's spaces are where it says nothing: those for which a simple model of the
 * time of all its contractions is least (tile_cost.h). The search begins with whole spaces and makes that tile smaller
 * which saves most, until none saves anything; then tiles of one space become larger and those of another that
 * meets it in a contraction smaller, while that saves anything.
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
