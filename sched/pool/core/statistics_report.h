/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of a run as a table, as JSON and as CSV. */
#pragma once

#include "sched/pool/core/statistics.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>

/* Prints a table, a row for each of n iterations, with seconds as means over
 * the workers; of many iterations only the first and the last, and the distribution of the
 * makespans. Not collective; for the process that prints. */
void statistics_print(const struct taskpool_iteration *iterations, int64_t n);

/* The keys of an entry of "iterations" in a result (RESULTS.md), all but
 * fock_seconds, which beryl-hf adds. NULL when out of memory. */
json_t *statistics_to_json(const struct taskpool_iteration *iteration);

/* Writes a row for each worker and iteration. Collective; rank 0 writes.
 * workers  [iteration][worker of this process]: n_iterations x n_workers,
 *          both the same on every process
 * Errors: STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT (2^31 rows or more); the same on
 * every process. */
enum status statistics_write_csv(MPI_Comm comm, const struct statistics_worker *workers,
                                 int64_t n_iterations, int n_workers, const char *path);
