/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a loop over tiles as contractions, and how they read stored factors. */
#pragma once

#include "support/base/status.h"
#include "tce/run/operands.h"
#include "tce/run/step_indices.h"
#include "tce/run/tile_loop.h"

/* A step as a contraction over the loop's spaces. */
struct loop_step {
    struct contraction_problem problem; /* its labels are those of the loop's step */
    struct contraction_indices indices;
    struct factor_view view[2]; /* of A and B, where they are stored; their blocks are owned */
    int scalar;                 /* which of the loop's scalars C is; -1: it is local */
};

/* All but the scalar, of step s. problem is borrowed. Errors: STATUS_NO_MEMORY, STATUS_LIMIT;
 * loop_step_fini follows then, too. */
enum status loop_step_init(const struct tile_loop_problem *problem, int s, struct loop_step *step);
void loop_step_fini(struct loop_step *step);
