/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of a mode over MPI: recorded when the mode sends them, so that
 * no mode function enters MPI, and started afterwards. */
#pragma once

#include "sched/pool/drivers/mpi/mpi_doorbell.h"
#include "taskpool/mode.h"

#include <mpi.h>

struct mpi_outgoing;

/* Outgoing messages in the order of their recording. */
struct mpi_outbox {
    struct mpi_outgoing *first;
    struct mpi_outgoing *last;
};

struct mpi_messages {
    MPI_Comm mpi;                           /* borrowed; carries no other messages meanwhile */
    struct mpi_doorbells *bells;            /* of the communicator */
    double called_s;                        /* when MPI was asked last for a message */
    struct mpi_outbox recorded;             /* not yet started */
    struct mpi_outbox started;              /* not yet completed */
    void *incoming;                         /* the last message received */
    int64_t incoming_capacity;              /* bytes */
    int64_t n_sent, n_received, bytes_sent; /* counted here, cleared by the user */
};

/* Collective if the doorbells of comm are not known yet. */
void mpi_messages_init(struct mpi_messages *messages, MPI_Comm comm);

/* All messages must be completed. Does not communicate. */
void mpi_messages_fini(struct mpi_messages *messages);

/* Records a message. Does not communicate. Ends the program when out of memory:
 * a protocol cannot continue without the message. */
void mpi_messages_send(struct mpi_messages *messages, int to,
                       const struct taskpool_comm_message *message);

/* Starts the recorded messages (MPI_Isend). */
void mpi_messages_start(struct mpi_messages *messages);

/* Receives a message, if one has arrived: *from is its sender, *size its bytes, and
 * messages->incoming holds them until the next call. Does not wait; does not call MPI if the
 * doorbell has not rung, except once in a while, for what MPI does only when it is called. */
bool mpi_messages_receive(struct mpi_messages *messages, int *from, size_t *size);

/* Frees completed messages, up to the first one that had bulk: true, and *token is that
 * message's. To be called until false. Does not wait. */
bool mpi_messages_sent(struct mpi_messages *messages, int64_t *token);

/* Prepares a wait: the next mpi_messages_receive calls MPI in any case. Returns for how long the
 * process may sleep before, mpi_doorbell_await; 0 while messages of its own are not completed. */
double mpi_messages_pause(struct mpi_messages *messages);
