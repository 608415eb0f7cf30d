/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tasks of a static pool, whose data are known, are to begin in the first iteration: with the
 * owners of their data, or in blocks of even predicted cost. */
#pragma once

#include "support/base/status.h"
#include "taskpool/data.h"
#include "taskpool/taskpool.h"

/* Predicted seconds of the first iteration without stealing, by where tasks are placed. */
struct first_placement {
    /* The largest load by predicted costs: tasks find their data. */
    double owners_s;
    /* The most that tasks in a block of even cost, of which the average load or the longest task stays with
     * their worker, and their data take; at least as long as the busiest network card sends and receives. */
    double blocks_s;
};

/* problem  has data_costs with cost_unit_s, cost, and owner
 * Errors: STATUS_NO_MEMORY; STATUS_USAGE: an owner is no worker. */
enum status first_placement_estimate(const struct taskpool_problem *problem, int n_workers,
                                     struct first_placement *placement);
