/* A run of beryl-sched: pool, iterations, result. */
#ifndef BERYL_SCHED_BERYL_SCHED_RUN_H
#define BERYL_SCHED_BERYL_SCHED_RUN_H

#include "sched/beryl_sched_options.h"
#include "support/status.h"

#include <mpi.h>

/* Does what the options ask for, prints a table and writes the result. Nothing is
 * printed or written after a failure of the input. Collective.
 * Errors: STATUS_USAGE, STATUS_INPUT, STATUS_IO, STATUS_LIMIT, STATUS_NO_MEMORY,
 * STATUS_PROTOCOL; the same on every process. */
enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm);

#endif
