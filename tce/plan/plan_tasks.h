/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a plan's stage as one pool of tasks (stage.h). */
#pragma once

#include "tce/plan/plan.h"
#include "tce/plan/plan_loops.h"
#include "tce/run/stage.h"

struct plan_tasks {
    struct stage *stage; /* NULL: the stage only packs and unpacks */
    bool is_loop;
    struct plan_loop_problem of_loop;
    int n_steps;                   /* of the pool */
    const struct plan_step *steps; /* borrowed */
};

/* Labels alone are needed: no tensors. The plan is borrowed.
 * Errors: as stage_create and plan_loop_problem_init; plan_tasks_fini follows then, too. */
enum status plan_tasks_init(const struct plan *plan, int stage,
                            const struct contraction_settings *settings, struct plan_tasks *tasks);
void plan_tasks_fini(struct plan_tasks *tasks);
