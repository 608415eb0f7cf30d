/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop of a plan as tile_loop.h has it: its spaces cut for it, its local tensors numbered. */
#pragma once

#include "tce/plan/plan.h"
#include "tce/run/tile_loop.h"

struct plan_loop_problem {
    struct tile_loop loop;
    int *tensor; /* of the plan, for each local tensor */
    /* Each of the program's spaces, with its irreps and without, cut into the loop's tiles and into
     * runs of labels; NULL if unused. */
    struct index_space *(*spaces)[2][2];
    int n_spaces;
    int64_t tile;       /* values of the loop's indices */
    double local_bytes; /* of the local tensors of a tuple, at most */
};

/* plan is borrowed. Errors: STATUS_NO_MEMORY, STATUS_INPUT (too many tuples, tiles or elements);
 * plan_loop_problem_fini follows then, too. */
enum status plan_loop_problem_init(const struct plan *plan, int loop,
                                   struct plan_loop_problem *made);
void plan_loop_problem_fini(struct plan_loop_problem *made);
