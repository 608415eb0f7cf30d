/* The messages of a mode over MPI: recorded when the mode sends them, so that
 * no mode function enters MPI, and put on their way afterwards. */
#ifndef BERYL_SCHED_MPI_MESSAGES_H
#define BERYL_SCHED_MPI_MESSAGES_H

#include "sched/core/comm.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpi_outgoing;

/* Outgoing messages in the order of their recording. */
struct mpi_outbox {
    struct mpi_outgoing *first;
    struct mpi_outgoing *last;
};

struct mpi_messages {
    MPI_Comm mpi;                           /* borrowed; no one else's messages meanwhile */
    struct mpi_outbox recorded;             /* not yet on their way */
    struct mpi_outbox flying;               /* not yet completed */
    void *incoming;                         /* the last message received */
    int64_t incoming_capacity;              /* bytes */
    int64_t n_sent, n_received, bytes_sent; /* counted here, cleared by the user */
};

/* Neither communicates. At fini nothing may be recorded or flying. */
void mpi_messages_init(struct mpi_messages *messages, MPI_Comm comm);
void mpi_messages_fini(struct mpi_messages *messages);

/* Records a message. Does not communicate. Ends the program when out of memory:
 * a protocol cannot go on without the message. */
void mpi_messages_send(struct mpi_messages *messages, int to, const struct comm_message *message);

/* Puts the recorded messages on their way. */
void mpi_messages_start(struct mpi_messages *messages);

/* Whether a message has come: then *from is its sender, *size its bytes, and
 * messages->incoming holds them until the next call. Does not wait. */
bool mpi_messages_receive(struct mpi_messages *messages, int *from, size_t *size);

/* Lets go of completed messages. Whether the bulk of one has been read: then
 * *token is that message's. To be called until false. Does not wait. */
bool mpi_messages_sent(struct mpi_messages *messages, int64_t *token);

#endif
