/* Many simulated runs, shared out among the processes. */
#ifndef BERYL_SCHED_BERYL_SCHED_SWEEP_H
#define BERYL_SCHED_BERYL_SCHED_SWEEP_H

#include "sched/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <mpi.h>

/* Runs each line of options->sweep, tells of each when it is done, and writes the results in
 * the order of the lines as {"runs": [...]}, the entries being what the run alone would
 * write, and its line as "options_text": the same bytes for any number of processes. The
 * runs are the tasks of a pool under --sched counter, so that a long one holds up no other.
 * Collective over comm.
 * Errors: those of reading the options of any line, before anything runs, and of the
 * runs; each names the file and the line. Nothing is written then. */
enum status beryl_sched_sweep(const struct beryl_sched_options *options, MPI_Comm comm);

#endif
