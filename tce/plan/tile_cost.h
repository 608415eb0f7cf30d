/* SPDX-License-Identifier: BSD-3-Clause */
/* A simple model of the time of a contraction of blocks, in operations of DGEMM:
 *
 *     (operations + moves + products) (1 + (WORKERS - 1) / 2 tasks)
 *
 * - Every product of two blocks reads both, and adds to a block of the result: PLAN_MOVE_FLOPS for each element
 *   that is moved, more where the tensor's last index is short, where blocks do not lie as matrices and are
 *   packed, and where they are large; less where a cache holds the result. So blocks of the result are as large
 *   as a cache allows, and what is summed over comes in few, long pieces.
 * - A task is a block of the result, or a slice of its sum (contraction_slices.h), and some wait for the one that
 *   ends last: so there are many. */
#pragma once

#include "tce/plan/plan.h"

/* How spaces would be cut. */
struct tile_means {
    const struct plan *plan; /* over spaces whose tiles are as long as labels allow */
    const double
        *mean; /* values in a tile of each of the program's spaces, over all runs of labels */
};

/* The time of a step that contracts or copies. */
double tile_cost_of_step(const struct tile_means *means, const struct plan_step *step);

/* The space of an index of a step; of pairs that of their values. */
int tile_cost_space(const struct plan *plan, const struct plan_step *step, int index);
