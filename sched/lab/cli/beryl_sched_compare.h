/* A workload under several modes, in rounds. */
#ifndef BERYL_SCHED_BERYL_SCHED_COMPARE_H
#define BERYL_SCHED_BERYL_SCHED_COMPARE_H

#include "sched/lab/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Runs the workload under each of options->modes, options->n_rounds times, with a pool of its own
 * each time; real rounds in random orders, simulated ones with --seed in the first and the next
 * number in each other. Prints a line for each run and the tables, and writes the outputs: the
 * result of one run with `compare` and `comparison` in place of `sched` and `iterations`.
 * Collective.
 * accepted  out: set before the first task
 * Errors: as beryl_sched_run, those of starting any of the modes before anything runs; also
 * STATUS_PROTOCOL if the workload's results differ from mode to mode. */
enum status beryl_sched_compare(const struct beryl_sched_options *options, MPI_Comm comm,
                                bool *accepted);

#endif
