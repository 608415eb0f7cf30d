/* SPDX-License-Identifier: BSD-3-Clause */
/* Prefix sums of the predicted costs of a block of consecutive tasks, in which boundaries are
 * searched for. A block too large for a sum per task has one every `stride` tasks; between two sums
 * costs are predicted again. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"
#include "taskpool/taskpool.h"

struct cost_sums {
    const struct taskpool_problem *problem; /* borrowed */
    struct taskpool_range block;            /* of step 1 */
    int64_t stride;                         /* tasks from one sum to the next */
    int64_t n;
    double *sums; /* n + 1: cost of the first i x stride tasks, the last one of all */
    double largest;
};

/* A boundary between tasks. */
struct cost_position {
    int64_t task; /* the first one after it, in [block.first, block.last] */
    double sum;   /* cost of the block's tasks before it */
};

/* A stretch of tasks may begin in an earlier block or end in a later one: its cost is that of its
 * tasks in this block in addition to `carry`. */
struct cost_limit {
    double carry;
    double bound; /* the largest cost of a stretch */
};

/* Predicts the cost of every task of the block once; problem->cost is not NULL.
 * Errors: STATUS_USAGE (a cost that is not above 0 and finite), STATUS_NO_MEMORY. */
enum status cost_sums_init(struct cost_sums *costs, const struct taskpool_problem *problem,
                           struct taskpool_range block);
void cost_sums_fini(struct cost_sums *costs);

struct cost_position cost_sums_begin(const struct cost_sums *costs);
struct cost_position cost_sums_end(const struct cost_sums *costs);

/* The position before a task of [block.first, block.last]. */
struct cost_position cost_sums_at(const struct cost_sums *costs, int64_t task);

/* The position before the first task whose middle lies at or beyond this sum, which is at least
 * 0; the end of the block if there is none. */
struct cost_position cost_sums_nearest(const struct cost_sums *costs, double sum);

/* The last position at which a stretch from here may end within its limit, carry <= bound.
 * beyond  out, cost of the stretch with one more task; unchanged at the end of the block */
struct cost_position cost_sums_reach(const struct cost_sums *costs, struct cost_position from,
                                     struct cost_limit limit, double *beyond);

/* The first position at which a stretch that ends here may begin. */
struct cost_position cost_sums_reach_back(const struct cost_sums *costs, struct cost_position end,
                                          struct cost_limit limit);
