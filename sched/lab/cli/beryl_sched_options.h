/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of beryl-sched. */
#pragma once

#include "sched/lab/cli/machine_options.h"
#include "sched/lab/workloads/workload.h"
#include "sched/pool/modes/modes.h"
#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/taskpool.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct beryl_sched_options {
    struct workload_settings workload;
    struct machine_settings machine;
    struct taskpool_settings pool;
    int64_t n_iterations;   /* of jacobi, its sweeps */
    const char *compare;    /* the text of the option, or NULL */
    int64_t n_rounds;       /* of compare */
    struct mode_list modes; /* those that compare names, or the one of --sched */
    const char *json;
    const char *report;      /* page of HTML */
    const char *profile;     /* CSV or NumPy, of the last iteration's tasks */
    bool all_iterations;     /* ... or of all of them */
    const char *statistics;  /* CSV, a row for each worker and iteration */
    const char *calibration; /* file for measurements, made instead of a run */
    bool list_modes;         /* instead of a run */

    int argc; /* the command line itself, borrowed */
    char **argv;
};

/* Parses, and checks what can be checked without reading a file. Every pointer refers to argv,
 * which is borrowed. Does not need MPI.
 * request  out: a run, or a text that beryl_sched_options_answer prints
 * Errors: STATUS_USAGE, STATUS_NO_MEMORY. */
enum status beryl_sched_options_parse(int argc, char **argv, struct beryl_sched_options *options,
                                      enum option_request *request);

/* Completes the options of a run from the machine file and with defaults. Collective over comm.
 * Errors: STATUS_USAGE (several processes to simulate), and as machine_file_read. */
enum status beryl_sched_options_complete(struct beryl_sched_options *options, MPI_Comm comm);

void beryl_sched_options_answer(enum option_request request);

/* The command line to repeat the run with (options.h). NULL when out of memory. */
json_t *beryl_sched_options_command(const struct beryl_sched_options *options);

/* The options in force of the scheduler, or of the simulated machine. NULL when out of memory. */
json_t *beryl_sched_options_scheduling(const struct beryl_sched_options *options);
json_t *beryl_sched_options_machine(const struct beryl_sched_options *options);
