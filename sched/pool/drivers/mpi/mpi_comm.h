/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h over MPI: requests of a mode are recorded and started after the
 * mode's function has returned; messages and answers are delivered to the mode's table. */
#pragma once

#include "sched/pool/drivers/mpi/mpi_messages.h"
#include "sched/pool/drivers/mpi/mpi_node_memory.h"
#include "sched/pool/drivers/mpi/mpi_pulse.h"
#include "sched/pool/trace/recorder.h"
#include "taskpool/mode.h"

#include <mpi.h>
#include <stdatomic.h>

struct mpi_comm {
    struct taskpool_comm base; /* first: what the mode sees */
    const struct taskpool_mode *mode;
    void *state; /* of the mode; NULL before its init */
    struct mpi_messages messages;
    struct mpi_node_memory memory;
    double per_core;     /* workers for each hardware thread, if all are on one node; else 0 */
    MPI_Win counter;     /* 64 bits on process 0; only if the mode uses it */
    bool fetch_recorded; /* a request to the counter is recorded, not started */
    bool fetching;       /* a request is recorded or started, not answered */
    MPI_Request fetch;   /* that request */
    int64_t increment, answer; /* its buffers */
    int64_t n_fetches;         /* counted here, cleared by the driver */
    double wake_s;             /* time of taskpool_comm_wake; INFINITY: none */
    atomic_int status;         /* enum status: the last failure, of a task or that the mode
                                * reported; cleared by the driver */
    bool mode_failed;          /* the mode reported lost tasks */
    struct recorder *recorder; /* of messages; borrowed; NULL: none */
    struct mpi_pulse *pulse;   /* takes part in each delivery; borrowed; NULL: none */
    const struct taskpool_problem *idling; /* whose idle is called in waits; borrowed; NULL: none */
};

/* Collective over mpi, which is borrowed and must carry no other point-to-point messages
 * until mpi_comm_fini, to be called also after a failure. The mode is borrowed.
 * Errors: STATUS_USAGE (the mode uses the counter, and MPI has no windows). */
enum status mpi_comm_init(struct mpi_comm *comm, MPI_Comm mpi, const struct taskpool_mode *mode,
                          uint64_t seed);
void mpi_comm_fini(struct mpi_comm *comm); /* collective */

/* Gives the mode the words in the memory of its node that it wants. Collective over the processes
 * of comm, after mpi_comm_init. To be closed (mpi_node_memory_close) after the mode's fini. */
void mpi_comm_open_memory(struct mpi_comm *comm, const struct taskpool_mode_setup *setup);

/* Begins an iteration: sets the shared counter to 0; returns when all processes have called this.
 * Collective. Errors: the first status of a worker, by rank; the same on every process. */
enum status mpi_comm_begin(struct mpi_comm *comm);

/* Whether the processes are on several nodes. */
bool mpi_comm_spans_nodes(const struct mpi_comm *comm);

/* Whether others may ask for something at any time: by messages of the mode, or by one-sided
 * accesses to this process's memory from another node, which MPI serves only when it is called. */
bool mpi_comm_serves(const struct mpi_comm *comm);

/* Whether anything can arrive now: that, or an answer of the counter. */
bool mpi_comm_can_receive(const struct mpi_comm *comm);

/* Whether messages or requests of the mode are recorded, not started. */
bool mpi_comm_recorded(const struct mpi_comm *comm);

/* Starts what is recorded. */
void mpi_comm_start(struct mpi_comm *comm);

/* Serves other nodes' one-sided accesses, and delivers to the mode the answer of the counter,
 * arrived messages, and completions of its own messages; whether there were any. Starts what is
 * recorded before and by these calls. Does not wait. */
bool mpi_comm_deliver(struct mpi_comm *comm);

/* mpi_comm_deliver that first waits for an event or the time of taskpool_comm_wake. */
void mpi_comm_wait(struct mpi_comm *comm);

/* The parts of such a wait for a driver with a lock, which it holds in the second alone: the
 * program's own work, the seconds for which this process may sleep, and the sleep, until a message
 * is sent to it. The last has no effect but where there are more processes than cores. */
void mpi_comm_idle(const struct mpi_comm *comm);
double mpi_comm_pause(struct mpi_comm *comm);
void mpi_comm_rest(struct mpi_comm *comm, double pause_s);

/* After TASKPOOL_MODE_DONE: waits until all messages of this worker are completed. */
void mpi_comm_finish(struct mpi_comm *comm);

/* At the end of an iteration, after mpi_comm_finish: where processes of the node share cores, sleeps until all have
 * come here. In a collective call each would keep a core from those that have tasks. */
void mpi_comm_await_end(struct mpi_comm *comm);

/* The number of messages that this worker sent less those that it received, since the driver
 * cleared the counts. */
int64_t mpi_comm_undelivered(const struct mpi_comm *comm);
