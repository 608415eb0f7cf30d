/* The messages of a mode over MPI: recorded when the mode sends them, so that
 * no mode function enters MPI, and started afterwards. */
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
    MPI_Comm mpi;                           /* borrowed; carries no other messages meanwhile */
    struct mpi_outbox recorded;             /* not yet started */
    struct mpi_outbox started;              /* not yet completed */
    void *incoming;                         /* the last message received */
    int64_t incoming_capacity;              /* bytes */
    int64_t n_sent, n_received, bytes_sent; /* counted here, cleared by the user */
};

/* Neither communicates. At fini all messages must be completed. */
void mpi_messages_init(struct mpi_messages *messages, MPI_Comm comm);
void mpi_messages_fini(struct mpi_messages *messages);

/* Records a message. Does not communicate. Ends the program when out of memory:
 * a protocol cannot continue without the message. */
void mpi_messages_send(struct mpi_messages *messages, int to, const struct comm_message *message);

/* Starts the recorded messages (MPI_Isend). */
void mpi_messages_start(struct mpi_messages *messages);

/* Receives a message, if one has arrived: *from is its sender, *size its bytes, and
 * messages->incoming holds them until the next call. Does not wait. */
bool mpi_messages_receive(struct mpi_messages *messages, int *from, size_t *size);

/* Frees completed messages, up to the first one that had bulk: true, and *token is that
 * message's. To be called until false. Does not wait. */
bool mpi_messages_sent(struct mpi_messages *messages, int64_t *token);

#endif
