/* A run of beryl-sched: pool, iterations, result. */
#ifndef BERYL_SCHED_BERYL_SCHED_RUN_H
#define BERYL_SCHED_BERYL_SCHED_RUN_H

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

/* Checks that a simulated run can be started; a profile is not read. Not collective. Errors: as
 * above. */
enum status beryl_sched_try(const struct beryl_sched_options *options);

/* Starts a run and ends it before its first task, to find what is wrong with it. Collective.
 * scheduling  printed with workload and workers; NULL: nothing is
 * Errors: as above. */
enum status beryl_sched_check(const struct beryl_sched_options *options, MPI_Comm comm,
                              const char *scheduling);

/* One run, without output, as the next round of a comparison. Collective.
 * position  of its mode in the records, which after a failure too have the completed iterations
 * result    out, the JSON result; the caller's
 * Errors: as above. */
enum status beryl_sched_record(const struct beryl_sched_options *options, MPI_Comm comm,
                               int position, struct mode_records *records, json_t **result);

/* The JSON result of a run that failed before anything was found: workload, workers and options,
 * without iterations. NULL when out of memory. Collective. */
json_t *beryl_sched_result_without_run(const struct beryl_sched_options *options, MPI_Comm comm);

/* One simulated run, without output. Not collective.
 * result  out, the JSON result; the caller's
 * Errors: as above. */
enum status beryl_sched_simulate(const struct beryl_sched_options *options, json_t **result);

#endif
