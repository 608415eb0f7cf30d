/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a profile, a file of task durations (--write-profile). */
#pragma once

#include "sched/pool/core/history.h"
#include "support/base/status.h"

#include <mpi.h>

/* Collects the processes' histories on rank 0, in the order of task IDs. Collective.
 * entries  out: on rank 0 *n of them, the caller frees them; NULL on other ranks
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (2^31 entries or more); the same on every process. */
enum status profile_gather(MPI_Comm comm, const struct taskpool_history *history,
                           struct taskpool_history_entry **entries, int64_t *n);

/* Writes the seconds of every task in the processes' histories, in the order
 * of task IDs. Collective; rank 0 collects and writes.
 * path     ending in .npy: a one-dimensional NumPy array of doubles, the
 *          seconds; otherwise CSV with the header `task,seconds`
 * Errors: STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT (2^31 entries or more);
 * the same on every process. */
enum status profile_write(MPI_Comm comm, const struct taskpool_history *history, const char *path);

/* Whether the value of --write-profile ends in .csv or .npy, or is a device or pipe under /dev.
 * path    NULL: no profile, accepted
 * Errors: STATUS_USAGE. */
enum status profile_check_name(const char *path);
