/* comm.h over MPI: what a mode asks for is recorded here and done when the
 * mode's function has returned; answers are handed to the mode's table. */
#ifndef BERYL_SCHED_MPI_COMM_H
#define BERYL_SCHED_MPI_COMM_H

#include "sched/core/mode.h"
#include "sched/drivers/mpi/mpi_counter.h"
#include "sched/drivers/mpi/mpi_messages.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct mpi_comm {
    struct comm base; /* first: what the mode sees */
    const struct mode *mode;
    void *state;     /* of the mode; set by the driver before the first event */
    int *node_ranks; /* of comm, owned */
    struct mpi_messages messages;
    struct mpi_counter counter; /* only if the mode uses it */
    bool fetch_recorded;        /* asked for by the mode, not begun */
    bool fetching;              /* asked for, not answered */
    int64_t increment;          /* of the request that is recorded or under way */
    int64_t n_fetches;          /* counted here, cleared by the driver */
    double wake_s;              /* when waiting must end; INFINITY: not before an event */
};

/* Collective over mpi, which is borrowed and on which nobody else may send messages
 * until mpi_comm_fini. The mode is borrowed. */
void mpi_comm_init(struct mpi_comm *comm, MPI_Comm mpi, const struct mode *mode, uint64_t seed);
void mpi_comm_fini(struct mpi_comm *comm); /* collective */

/* Begins an iteration: the shared counter is 0 and all workers are here. Collective. */
void mpi_comm_begin(struct mpi_comm *comm);

/* Whether the mode has asked for something that has not been begun. */
bool mpi_comm_recorded(const struct mpi_comm *comm);

/* Begins what the mode has asked for. */
void mpi_comm_start(struct mpi_comm *comm);

/* Tells the mode what has happened since the last call; whether anything has.
 * Begins what the mode has asked for, also in answer. Does not wait. */
bool mpi_comm_deliver(struct mpi_comm *comm);

/* The same, waiting until something happens or the moment of comm_wake. */
void mpi_comm_wait(struct mpi_comm *comm);

/* After MODE_DONE: waits until nothing of this worker's memory is read any
 * more. */
void mpi_comm_finish(struct mpi_comm *comm);

/* Messages sent by all workers and not received, which must be none between
 * phases. Collective. */
int64_t mpi_comm_n_lost(const struct mpi_comm *comm);

#endif
