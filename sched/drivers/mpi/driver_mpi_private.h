/* The worker of a process from the inside: what the parts of the MPI driver share.
 * Only driver_mpi.c and mpi_worker.c include this. */
#ifndef BERYL_SCHED_DRIVER_MPI_PRIVATE_H
#define BERYL_SCHED_DRIVER_MPI_PRIVATE_H

#include "sched/core/driver.h"
#include "sched/core/history.h"
#include "sched/core/mode.h"
#include "sched/core/poll_interval.h"
#include "sched/drivers/mpi/mpi_comm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct driver_mpi {
    struct driver driver; /* first */
    struct mpi_comm comm;
    const struct mode *mode;
    const struct taskpool_problem *problem;
    struct history *history;
    void *state;
    void *record; /* of the task that runs, in a dynamic pool */

    struct poll_interval interval;
    int64_t poll_every;
    int64_t n_since_poll; /* tasks */
    double polled_task_s; /* task seconds at the last look for messages */
    bool measures_next;   /* the mode's next answer is timed: see statistics.h */
    double clock_s;       /* the last moment up to which time is accounted for */
    double polled_s;      /* spent in polls from inside the task that runs */
    bool running;         /* an iteration; else what is added is initial */
    struct statistics_worker worker;
    enum status status; /* of the tasks of this iteration */

    /* --progress thread: the lock is held by whoever is inside the mode or MPI
     * on its behalf, except for next_local. */
    bool threaded;
    pthread_mutex_t lock;
    pthread_t thread;
    atomic_bool stop;
    int64_t n_events; /* told to the mode */
};

/* --- mpi_worker.c: time, messages, the thread, tasks --- */

/* Puts the time since the last call down to one use of it. */
void mpi_worker_account(struct driver_mpi *driver, double *use_s);

/* Nothing without --progress thread. */
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

/* Begins and ends the thread that answers messages while tasks run, if there is
 * to be one. */
void mpi_worker_start_thread(struct driver_mpi *driver);
void mpi_worker_stop_thread(struct driver_mpi *driver);

/* Whether messages may come that this worker should look for. */
bool mpi_worker_has_messages(const struct driver_mpi *driver);

/* Tells the mode of what has come. With --progress thread under the lock. */
void mpi_worker_deliver(struct driver_mpi *driver);

/* A look for messages between two tasks. */
void mpi_worker_poll(struct driver_mpi *driver);

/* Waits until something happens or the moment of comm_wake; n_events is how much
 * had happened when the mode was asked. */
void mpi_worker_wait(struct driver_mpi *driver, int64_t n_events);

/* Whether somebody wants to know how long each task took. */
bool mpi_worker_is_timed(const struct driver_mpi *driver);

/* The time since the last account belongs to tasks, but for what they spent
 * answering messages. */
void mpi_worker_account_tasks(struct driver_mpi *driver);

/* Runs the tasks, with looks for messages between them; after a failure tasks
 * are passed over. */
void mpi_worker_run_range(struct driver_mpi *driver, struct task_range range);
void mpi_worker_run_record(struct driver_mpi *driver);

#endif
