/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a pool, private to this room. */
#pragma once

#include "sched/pool/core/driver.h"
#include "sched/pool/core/seeding.h"
#include "sched/pool/trace/recorder.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"

enum pool_state {
    POOL_SEEDED,  /* may run */
    POOL_RUNNING, /* tasks may run */
    POOL_ENDING,  /* after the last task of this process */
    POOL_RAN,     /* may be restored */
    POOL_BROKEN   /* a mode has failed: may be destroyed */
};

struct taskpool {
    MPI_Comm comm; /* owned */
    enum pool_state state;
    struct taskpool_problem problem;
    struct taskpool_settings settings;
    const struct taskpool_machine *machine; /* of simulated workers; NULL: over MPI */
    const struct taskpool_machine *bound;   /* of a bound: the machine that it knows; else NULL */
    struct taskpool_seeding seeding;
    int64_t *speed_sums;
    struct taskpool_mode_setup setup;
    struct taskpool_history history;
    struct driver *driver;
    struct recorder *recorder; /* NULL: neither trace nor timeline */
    struct task_census added;  /* by this process: records of a dynamic pool before the first run */
    struct task_census made;   /* and by the tasks of the iteration */
    bool destroyed_in_task;    /* a task of the iteration has called taskpool_destroy */
    int64_t n_failures;        /* recorded on this process before the iteration was prepared */

    int64_t n_iterations, capacity;
    struct taskpool_iteration *iterations; /* n_iterations */
    struct statistics_worker *workers;     /* [iteration][worker of this process] */
};

/* Where the statistics of an iteration are: in a ring, if not all are kept. */
static inline int64_t pool_slot(const struct taskpool *pool, int64_t iteration)
{
    int64_t keep = pool->settings.keep_iterations;
    return keep > 0 ? iteration % keep : iteration;
}

/* Sums up an iteration that ended on this process with a status of its own. Collective.
 * Errors: the status of the first process whose tasks failed, STATUS_PROTOCOL; the same on every
 * process. */
enum status pool_end_iteration(struct taskpool *pool, enum status own);
