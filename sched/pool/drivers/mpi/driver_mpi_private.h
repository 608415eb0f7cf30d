/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker of a process, private to driver_mpi.c and mpi_worker.c. */
#pragma once

#include "sched/pool/core/driver.h"
#include "sched/pool/core/history.h"
#include "sched/pool/core/poll_interval.h"
#include "sched/pool/drivers/mpi/mpi_comm.h"
#include "sched/pool/drivers/mpi/mpi_watchdog.h"
#include "taskpool/mode.h"

#include <pthread.h>
#include <stdatomic.h>

struct driver_mpi {
    struct driver driver; /* first */
    struct mpi_comm comm;
    const struct taskpool_mode *mode;
    const struct taskpool_problem *problem;
    bool reports_tasks; /* to the mode, when they have finished */
    bool needs_times;   /* the mode or the history needs the time of each task */
    bool times_tasks;   /* they do, or the recorder does */
    bool shares_core;   /* tasks compute, and other workers may have the core meanwhile */
    void *state;
    void *record; /* of the task that runs, in a dynamic pool */

    struct poll_interval interval;
    int64_t poll_every;
    int64_t n_since_poll; /* tasks */
    double polled_task_s; /* task seconds at the last poll */
    bool measures_next;   /* the mode's next decision is timed: see statistics.h */
    double start_s;       /* of the iteration */
    double clock_s;       /* time is accounted for up to here */
    double polled_s;      /* spent in polls from inside the task that runs */
    double core_s;        /* if shares_core: this thread's processor clock at clock_s */
    bool running;         /* an iteration; else added tasks are initial ones */
    struct statistics_worker worker;

    struct mpi_watchdog *watchdog; /* NULL: none */
    struct pulse_slot *slot;       /* of the watchdog's pulse, or the one below */
    struct pulse_slot unwatched;

    /* --progress thread: the lock protects the mode's state and its MPI calls,
     * except in next_local. */
    bool threaded;
    pthread_mutex_t lock;
    pthread_t thread;
    atomic_bool stop;
    int64_t n_events; /* deliveries to the mode */
};

/* --- mpi_worker.c: time, messages, the thread, tasks --- */

/* Adds the time since the last call to one of the worker's times, task_s to communication_s. */
void mpi_worker_account(struct driver_mpi *driver, double *use_s);

/* No effect without --progress thread. */
static inline void mpi_worker_lock(struct driver_mpi *driver)
{
    if (driver->threaded)
        pthread_mutex_lock(&driver->lock);
}

static inline void mpi_worker_unlock(struct driver_mpi *driver)
{
    if (driver->threaded)
        pthread_mutex_unlock(&driver->lock);
}

/* Begins and ends the thread that answers messages and serves other nodes' accesses while tasks
 * run; no effect without --progress thread, or where there is nothing to serve. */
void mpi_worker_start_thread(struct driver_mpi *driver);
void mpi_worker_stop_thread(struct driver_mpi *driver);

/* Delivers arrived messages and answers to the mode. With --progress thread under the lock. */
void mpi_worker_deliver(struct driver_mpi *driver);

/* Polls between two tasks, and adapts the interval. */
void mpi_worker_poll(struct driver_mpi *driver);

/* Waits for an event or the time of taskpool_comm_wake. n_events: driver->n_events at the mode's
 * last step. */
void mpi_worker_wait(struct driver_mpi *driver, int64_t n_events);

/* Adds the time since the last account to that of tasks, except for polls from inside
 * them. */
void mpi_worker_account_tasks(struct driver_mpi *driver);

/* Runs the tasks, with polls between them; after a failure tasks
 * are skipped. */
void mpi_worker_run_range(struct driver_mpi *driver, struct taskpool_range range);
void mpi_worker_run_record(struct driver_mpi *driver);
