/* SPDX-License-Identifier: BSD-3-Clause */
/* How the steps of a loop over tiles read their factors: what labels and indices say of the whole loop. */
#pragma once

#include "support/base/status.h"
#include "tce/contraction/contraction_indices.h"
#include "tce/dense/dense_product.h"
#include "tce/tensor/block_index.h"
#include "tce/tile_loop/tile_loop.h"

/* A step with what its labels say of the whole loop: views and layouts. Its problem's labels are the
 * step's. */
struct loop_step_tasks {
    struct contraction_problem problem;
    struct contraction_indices indices;
    struct index_list order[N_LOOP_OPERANDS];    /* of a factor's blocks: its own, or a view's */
    enum factor_form form[N_LOOP_OPERANDS];      /* of a view's blocks that are not too small */
    struct block_index *blocks[N_LOOP_OPERANDS]; /* of stored factors; else NULL */
    int scalar; /* which of the loop's scalars C is; -1: it is local */
};

/* All but the scalar, of step s. problem is borrowed. Errors: STATUS_NO_MEMORY, STATUS_LIMIT;
 * loop_step_tasks_fini follows then, too. */
enum status loop_step_tasks_init(const struct tile_loop_problem *problem, int s,
                                 struct loop_step_tasks *step);
void loop_step_tasks_fini(struct loop_step_tasks *step);
