/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver: runs the workers of a mode, over MPI or simulated. The pool sees only this. */
#ifndef BERYL_SCHED_DRIVER_H
#define BERYL_SCHED_DRIVER_H

#include "sched/pool/core/statistics.h"
#include "sched/pool/core/task_census.h"
#include "support/base/status.h"

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

    /* From the body of a task: polls for messages and answers them. */
    void (*poll)(struct driver *driver);

    /* The fraction of the iteration that is done, by the mode's estimate. Does not
     * communicate. */
    double (*progress)(struct driver *driver);

    void (*destroy)(struct driver *driver); /* collective */
};

/* The text of a failure that a mode gives none: its name, the function and the status. */
#define MODE_NO_TEXT "mode %s: %s returned %d without a text: call taskpool_fail there"

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
};

#endif
