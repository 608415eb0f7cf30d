/* SPDX-License-Identifier: BSD-3-Clause */
/* The outcome of an iteration: what every process reports at its end, in one reduction instead of
 * one per concern, because over a network each of them is a round trip. */
#ifndef BERYL_SCHED_RUN_OUTCOME_H
#define BERYL_SCHED_RUN_OUTCOME_H

#include "sched/pool/core/statistics.h"
#include "sched/pool/core/task_census.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

/* Outcome of a run on one process, or on all. */
struct run_outcome {
    struct statistics_totals totals;
    struct task_census there, ran;
    /* Messages sent less messages received, while the iteration was prepared and while it ran. */
    int64_t undelivered_before, undelivered;
    int64_t n_failed; /* processes whose run failed */
};

/* Combines the outcomes of all processes. Collective over comm; the same everywhere, but for the
 * last bit of the totals. */
void run_outcome_reduce(MPI_Comm comm, struct run_outcome *outcome);

/* Whether an iteration without failed processes went as it must. Not collective.
 * mode  for the message
 * Errors: STATUS_PROTOCOL. */
enum status run_outcome_check(const struct run_outcome *all, const char *mode);

#endif
