/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h over MPI: messages and requests of a mode are recorded, so that no function of a mode
 * enters MPI, and started after it has returned; messages and answers are delivered to the mode's
 * table. */
#pragma once

#include "sched/pool/drivers/mpi/mpi_doorbell.h"
#include "sched/pool/drivers/mpi/mpi_node_memory.h"
#include "sched/pool/drivers/mpi/mpi_pulse.h"
#include "sched/pool/trace/recorder.h"
#include "taskpool/mode.h"

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

struct mpi_outgoing;

struct mpi_comm {
    struct taskpool_comm base; /* first: what the mode sees */
    MPI_Comm mpi;              /* borrowed; carries no other messages meanwhile */
    const struct taskpool_mode *mode;
    void *state;                 /* of the mode; NULL before its init */
    struct mpi_doorbells *bells; /* of the communicator */
    struct mpi_node_memory memory;

    /* Outgoing messages from the oldest that is not completed to the last one; those from
     * `recorded` on are not started. */
    struct mpi_outgoing *first, *recorded, *last;
    void *incoming;                         /* the message that is being delivered */
    int64_t incoming_capacity;              /* bytes */
    double called_s;                        /* when MPI was asked last for a message */
    int64_t n_sent, n_received, bytes_sent; /* counted here, cleared by the driver */

    MPI_Win counter;           /* 64 bits on process 0; only if the mode uses it */
    bool fetch_recorded;       /* a request to the counter is recorded, not started */
    bool fetching;             /* a request is recorded or started, not answered */
    MPI_Request fetch;         /* that request */
    int64_t increment, answer; /* its buffers */
    int64_t n_fetches;         /* counted here, cleared by the driver */

    /* The lock protects the mode's state, except in next_local, and its MPI calls, if a second
     * thread delivers as well. */
    bool threaded;
    pthread_mutex_t lock;
    int64_t n_events;          /* deliveries to the mode */
    double wake_s;             /* time of taskpool_comm_wake; INFINITY: none */
    atomic_int status;         /* enum status: the last failure, of a task or that the mode
                                * reported; cleared by the driver */
    bool mode_failed;          /* the mode reported lost tasks */
    struct recorder *recorder; /* of messages; borrowed; NULL: none */
    struct mpi_pulse *pulse;   /* takes part in each delivery; borrowed; NULL: none */
    const struct taskpool_problem *idling; /* whose idle is called in waits; borrowed; NULL: none */
};

/* Opens the words that the mode wants in the memory of its node, too. Collective over mpi, which is
 * borrowed and must carry no other point-to-point messages until mpi_comm_fini, to be called also
 * after a failure. Mode and setup are borrowed.
 * Errors: STATUS_USAGE (the mode uses the counter, and MPI has no windows). */
enum status mpi_comm_init(struct mpi_comm *comm, MPI_Comm mpi, const struct taskpool_mode *mode,
                          const struct taskpool_mode_setup *setup);

/* After the mode's fini; all messages are completed. Collective. */
void mpi_comm_fini(struct mpi_comm *comm);

/* Begins an iteration: sets the shared counter to 0; returns when all processes have called this.
 * Collective. Errors: the first status of a worker, by rank; the same on every process. */
enum status mpi_comm_begin(struct mpi_comm *comm);

/* No effect with one thread. */
static inline void mpi_comm_lock(struct mpi_comm *comm)
{
    if (comm->threaded)
        pthread_mutex_lock(&comm->lock);
}

static inline void mpi_comm_unlock(struct mpi_comm *comm)
{
    if (comm->threaded)
        pthread_mutex_unlock(&comm->lock);
}

/* Whether the processes are on several nodes. */
static inline bool mpi_comm_spans_nodes(const struct mpi_comm *comm)
{
    return comm->base.n_node_ranks < comm->base.size;
}

/* Whether others may ask for something at any time: by messages of the mode, or by one-sided
 * accesses to this process's memory from another node, which MPI serves only when it is called. */
static inline bool mpi_comm_serves(const struct mpi_comm *comm)
{
    return comm->mode->receive || mpi_comm_spans_nodes(comm);
}

/* Starts what is recorded. */
void mpi_comm_start(struct mpi_comm *comm);

/* Serves other nodes' one-sided accesses, and delivers to the mode the answer of the counter,
 * arrived messages, and completions of its own messages. Starts what is recorded before and by
 * these calls. Does not wait. With a second thread under the lock. */
void mpi_comm_deliver(struct mpi_comm *comm);

/* mpi_comm_deliver that first waits for an event or the time of taskpool_comm_wake. Takes the lock.
 * n_events  comm->n_events at the mode's last step */
void mpi_comm_wait(struct mpi_comm *comm, int64_t n_events);

/* After TASKPOOL_MODE_DONE: waits until all messages of this worker are completed. */
void mpi_comm_finish(struct mpi_comm *comm);

/* At the end of an iteration, after mpi_comm_finish: where processes of the node share cores, sleeps until all have
 * come here. In a collective call each would keep a core from those that have tasks. */
void mpi_comm_await_end(struct mpi_comm *comm);
