/* Many simulated runs, distributed over the processes. */
#ifndef BERYL_SCHED_BERYL_SCHED_SWEEP_H
#define BERYL_SCHED_BERYL_SCHED_SWEEP_H

#include "sched/lab/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Runs each line of options->sweep, prints a line when it is done, and writes the results in the
 * order of the lines as {"runs": [...]}: each entry is the result of the run alone, with its line
 * as "options_text". The output is the same for any number of processes. The runs are the tasks of
 * a pool under --sched counter, so that a long one delays no other. Collective over comm.
 * accepted  out: set before the first run
 * Errors: bad options of any line, before anything runs, and those of the runs; each names the
 * file and the line. Nothing is written after the former, and after the latter the --json with the
 * runs that were completed. */
enum status beryl_sched_sweep(const struct beryl_sched_options *options, MPI_Comm comm,
                              bool *accepted);

#endif
