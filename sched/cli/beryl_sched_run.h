/* A run of beryl-sched: pool, iterations, result. */
#ifndef BERYL_SCHED_BERYL_SCHED_RUN_H
#define BERYL_SCHED_BERYL_SCHED_RUN_H

#include "sched/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>

/* Does what the options ask for, prints a table and writes the result. Nothing is
 * printed or written after a failure of the input. Collective.
 * Errors: STATUS_USAGE, STATUS_INPUT, STATUS_IO, STATUS_LIMIT, STATUS_NO_MEMORY,
 * STATUS_PROTOCOL; the same on every process. */
enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm);

/* That the workload of a simulated run can be made, before it is worth while; a profile is
 * not read yet. Not collective. Errors: as above. */
enum status beryl_sched_try(const struct beryl_sched_options *options);

/* One simulated run, which prints and writes nothing. Not collective.
 * result  out, what --json would write; the caller's
 * Errors: as above. */
enum status beryl_sched_simulate(const struct beryl_sched_options *options, json_t **result);

#endif
