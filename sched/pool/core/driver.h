/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver: runs the workers of a mode, over MPI or simulated. The pool sees only this. */
#pragma once

#include "sched/pool/core/statistics.h"
#include "sched/pool/core/task_census.h"
#include "support/base/status.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"

struct driver;
struct taskpool_history; /* core/history.h */
struct recorder;         /* sched/pool/trace/recorder.h */

struct driver_functions {
    /* One iteration. Collective. After a failure of a task, or one that the mode reports, that
     * worker skips the rest of its tasks. After a failed restore no task runs, on any process.
     * workers  out, statistics of the n_workers of this process
     * Returns the failure of a worker of this process; the caller has to agree. */
    enum status (*run)(struct driver *driver, struct statistics_worker *workers);

    /* Prepares the next iteration, between two runs. Collective. Over MPI a failure is kept for
     * the next run, whose first synchronisation agrees on it; it always succeeds there. */
    enum status (*restore)(struct driver *driver);

    /* Adds a task to a dynamic pool: during run to the worker whose task calls
     * this, else to this process's first worker. */
    enum status (*add)(struct driver *driver, const void *record);

    /* From the body of a task: polls for messages and answers them. NULL: bodies take no time. */
    void (*poll)(struct driver *driver);

    /* The fraction of the iteration that is done, by the mode's estimate. Does not
     * communicate. */
    double (*progress)(struct driver *driver);

    /* The mode's choice for the current or last iteration; empty if it has none. Does not
     * communicate. */
    void (*explain)(struct driver *driver, struct taskpool_choice *choice);

    void (*destroy)(struct driver *driver); /* collective */
};

/* Records that a driver fills in while it runs; borrowed; NULL: not kept. */
struct driver_records {
    struct taskpool_history *history;
    struct recorder *recorder;
};

/* First member of the structs of the drivers. */
struct driver {
    const struct driver_functions *functions;
    struct driver_records records;
    int n_workers;          /* of this process */
    struct task_census ran; /* on this process in the current or last iteration; cleared by run */
    /* Messages that this process sent less those that it received: in the last restore, and in the
     * last run. Over all processes the sums must be 0. */
    int64_t undelivered_before, undelivered;
    /* Whether the mode has reported lost tasks (taskpool_comm_report) on this process. */
    bool mode_failed;
};

/* init and seed of a mode, over memory for its state. *state is the memory as soon as fini is due.
 * Errors: the mode's, with a text. */
enum status driver_init_mode(const struct taskpool_mode *mode,
                             const struct taskpool_mode_setup *setup, struct taskpool_comm *comm,
                             void *memory, void **state);

/* Whether the mode's finished is called, at the end of every task. */
static inline bool driver_reports_tasks(const struct taskpool_mode *mode,
                                        const struct taskpool_problem *problem)
{
    return mode->finished && problem->record_size == 0;
}

/* --- the two drivers --- */

/* Creates the worker of this process and seeds it. Collective over comm, which
 * must carry no other point-to-point messages until destruction; collective calls between runs
 * are allowed.
 * comm, mode, setup  borrowed
 * Errors: the mode's, STATUS_NO_MEMORY, STATUS_USAGE (--progress thread
 * without MPI_THREAD_MULTIPLE); the same on every process. */
enum status driver_mpi_create(MPI_Comm comm, const struct taskpool_mode *mode,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **driver);

/* Creates simulated workers and seeds them. The same seed gives the same run. Not collective.
 * mode, machine, setup  borrowed
 * Errors: the mode's, STATUS_LIMIT, STATUS_NO_MEMORY. Its run and restore may fail with
 * STATUS_PROTOCOL, and with STATUS_LIMIT when tasks end after 10^9 s, where microseconds get
 * lost in a double. */
enum status driver_sim_create(const struct taskpool_mode *mode,
                              const struct taskpool_machine *machine,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **driver);
