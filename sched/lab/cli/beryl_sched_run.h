/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of beryl-sched: one, or several in a comparison of modes. Their options are complete. */
#pragma once

#include "sched/lab/cli/beryl_sched_options.h"
#include "sched/lab/comparison/mode_records.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>

/* Runs the workload, prints a table and writes the outputs. Nothing is printed or written after
 * bad input; after another failure the --json is, with what was completed. Collective.
 * accepted  out: set before the first task, when no input can be refused any more
 * Errors: STATUS_USAGE, STATUS_INPUT, STATUS_IO, STATUS_LIMIT, STATUS_NO_MEMORY,
 * STATUS_PROTOCOL; the same on every process. */
enum status beryl_sched_run(const struct beryl_sched_options *options, MPI_Comm comm,
                            bool *accepted);

/* Runs the workload under each of options->modes, options->n_rounds times, with a pool of its own
 * each time; real rounds in random orders, simulated ones with --seed in the first and the next
 * number in each other. Prints a line for each run and the tables, and writes the outputs: the
 * result of one run with `compare` and `comparison` in place of `sched` and `iterations`.
 * Collective.
 * accepted  out: set before the first task
 * Errors: as beryl_sched_run. A mode that cannot start is an error before anything runs. Also
 * STATUS_PROTOCOL if the workload's results differ from mode to mode. */
enum status beryl_sched_compare(const struct beryl_sched_options *options, MPI_Comm comm,
                                bool *accepted);

/* --- single runs, for comparisons --- */

/* Starts a run and ends it before its first task, to find what is wrong with it. Collective.
 * scheduling  printed with workload and workers; NULL: nothing is
 * Errors: as above. */
enum status beryl_sched_check(const struct beryl_sched_options *options, MPI_Comm comm,
                              const char *scheduling);

/* One run, without output, as the next round of a comparison. Collective.
 * position  of its mode in the records, which after a failure too have the completed iterations
 * result    out, the JSON result without what depends on the mode; the caller's
 * Errors: as above. */
enum status beryl_sched_record(const struct beryl_sched_options *options, MPI_Comm comm,
                               int position, struct mode_records *records, json_t **result);

/* The JSON result of a run that failed before anything was found: workload and workers. NULL when
 * out of memory. Collective. */
json_t *beryl_sched_result_without_run(const struct beryl_sched_options *options, MPI_Comm comm);
