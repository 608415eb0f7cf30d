/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of a program: command line, MPI, run, error message, exit status.
 *
 *     struct application application = {.name = "beryl-hf"};
 *     application.status = hf_options_parse(argc, argv, &options, &application.request);
 *     application_start(&application, taskpool_thread_level(&options.pool));
 *     if (application_runs(&application))
 *         application.status = hf_run(&options, MPI_COMM_WORLD, &application.accepted);
 *     else if (application_answers(&application))
 *         hf_options_answer(application.request);
 *     return application_finish(&application);
 *
 * The command line comes first because its options decide the thread level of MPI. */
#pragma once

#include "support/base/status.h"
#include "support/io/options.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>

struct application {
    const char *name;            /* in error messages */
    enum option_request request; /* of the command line */
    enum status status;          /* of the command line, then of the run */
    bool accepted;               /* by the run: all input was accepted, the work began */
    int rank;                    /* in MPI_COMM_WORLD; 0 without application_start */
};

/* Sets variables of the environment with which Open MPI starts faster, unless the user has set
 * them; before MPI starts. application_start does so. */
void application_prepare_mpi(void);

/* Starts MPI, also after a bad command line, unless this is the only process, and agrees on the
 * status: all fail in the same way; but where a process lacks the address space for MPI, it fails
 * alone, and mpirun ends the others. The log is enabled on rank 0. Not for programs without MPI.
 * Collective.
 * thread_level  MPI_THREAD_SINGLE, ... */
void application_start(struct application *application, int thread_level);

/* Whether the program is to run; whether this process is to print --help or --version. */
bool application_runs(const struct application *application);
bool application_answers(const struct application *application);

/* Exit status after a run: 0 success, 1 failed calculation, 2 bad usage or input. A file that
 * cannot be written, or a limit that is reached, once all input was accepted is a failed
 * calculation. */
int application_exit_status(enum status status, bool accepted);

/* Ends a program: what was printed and could not be written makes it fail. Prints the error, if
 * any, on rank 0 and stops MPI if it was started. Returns the exit status. Collective. */
int application_finish(struct application *application);

/* {"processor", "cores", "nodes"}: model of the processor and number of cores (with hardware
 * threads) of process 0's node, number of nodes. Collective; the caller owns it. NULL when out of
 * memory. */
json_t *hardware_to_json(MPI_Comm comm);
