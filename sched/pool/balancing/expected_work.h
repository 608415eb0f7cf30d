/* SPDX-License-Identifier: BSD-3-Clause */
/* The work that is to be expected of tasks whose costs are predicted, where durations are noisy.
 *
 * Let a be the logarithm of what a task took, times its worker's speed, to its predicted cost. Part of it is an
 * error of the prediction, and is to be expected again; the rest is noise, which is not:
 *     a = error + noise,    expected: power x a,    power = 1 - variance of noise / variance of a
 * (the shrinkage of a random effect; Robinson, Statist. Sci. 6 (1991) 15). Tasks that ran twice, with x and y, say
 * what the noise is: the mean of x (x - y). Errors that change from iteration to iteration leave that as it is and
 * make the variance of a larger, so that drift makes durations count for more, and noise for less.
 *
 * Workers of unknown speed: where a task stays, the mean of its worker's tasks is of that speed, and less noisy
 * than one task. So power is learned for tasks that move, for tasks that stay, and for means of workers. Sums and
 * powers are those of core/speed_sums.h. Without significant noise durations alone count, and nothing is done. */
#pragma once

#include "sched/pool/core/speed_sums.h"
#include "sched/pool/queues/duration_bins.h"
#include "taskpool/taskpool.h"

#include <stdbool.h>
#include <stdint.h>

struct expected_work {
    const struct taskpool_problem *problem; /* borrowed */
    struct deviation_powers
        powers;   /* with which work was computed in this phase, or the one before */
    double mean;  /* deviation of this worker's tasks */
    double extra; /* out: by how much tasks take more, if they stay, than the bins have of them */
};

void expected_work_init(struct expected_work *expected, const struct taskpool_problem *problem);

/* The predicted cost of a task; 0: unknown. */
double expected_work_cost(const struct expected_work *expected, int64_t task);

/* Whether bins have what is to be expected, by costs. */
static inline bool expected_work_minds_costs(const struct expected_work *expected)
{
    return expected->powers.moves < 1;
}

/* Replaces what tasks took, times speed, by what is to be expected of them. Errors: STATUS_NO_MEMORY. */
enum status expected_work_predict(struct expected_work *expected,
                                  const struct deviation_powers *powers,
                                  struct duration_bins *bins);

/* Bins keep what tasks took. */
void expected_work_keep(struct expected_work *expected);

/* The deviation from its cost that a task of this work had before. */
double expected_work_deviation(const struct expected_work *expected, double work, double cost);
