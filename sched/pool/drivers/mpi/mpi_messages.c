/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_messages.h"

#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_TAG = 1 };

/* Calls of MPI without a doorbell: from a process that runs tasks, rarely enough that a time slice
 * lost in each does not count; from one that waits, often enough for messages that are not
 * delivered by their sender alone. */
#define BUSY_CALL_S    50e-3
#define WAITING_CALL_S 1e-3

struct mpi_outgoing {
    struct mpi_outgoing *next;
    MPI_Request request;
    int to;
    const void *bulk; /* NULL: none */
    size_t bulk_size;
    int64_t token;
    size_t head_size;
    char head[];
};

static _Noreturn void die_without_memory(size_t size)
{
    die_no_memory("no memory for a message of %zu bytes", size);
}

static void append_outgoing(struct mpi_outbox *outbox, struct mpi_outgoing *outgoing)
{
    outgoing->next = NULL;
    if (outbox->last)
        outbox->last->next = outgoing;
    else
        outbox->first = outgoing;
    outbox->last = outgoing;
}

static struct mpi_outgoing *remove_first(struct mpi_outbox *outbox)
{
    struct mpi_outgoing *outgoing = outbox->first;
    outbox->first = outgoing->next;
    if (!outbox->first)
        outbox->last = NULL;
    return outgoing;
}

void mpi_messages_init(struct mpi_messages *messages, MPI_Comm comm)
{
    *messages = (struct mpi_messages){.mpi = comm, .bells = mpi_doorbells_of(comm)};
}

void mpi_messages_fini(struct mpi_messages *messages)
{
    assert(!messages->recorded.first && !messages->started.first);
    free(messages->incoming);
    *messages = (struct mpi_messages){0};
}

void mpi_messages_send(struct mpi_messages *messages, int to,
                       const struct taskpool_comm_message *message)
{
    size_t size = message->head_size + (message->bulk ? message->bulk_size : 0);
    assert(message->head_size > 0);
    if (size > INT_MAX)
        die("a message of %zu bytes, for one worker, is too long for MPI: take fewer tasks at a "
            "time (--steal N), or another mode",
            size);
    struct mpi_outgoing *outgoing = malloc(sizeof *outgoing + message->head_size);
    if (!outgoing)
        die_without_memory(size);
    outgoing->to = to;
    outgoing->bulk = message->bulk;
    outgoing->bulk_size = message->bulk_size;
    outgoing->token = message->token;
    outgoing->head_size = message->head_size;
    memcpy(outgoing->head, message->head, message->head_size);
    append_outgoing(&messages->recorded, outgoing);
    messages->n_sent++;
    messages->bytes_sent += (int64_t)size;
}

/* Head and bulk as one message from two places. */
static void start_with_bulk(struct mpi_outgoing *outgoing, MPI_Comm comm)
{
    int lengths[] = {(int)outgoing->head_size, (int)outgoing->bulk_size};
    MPI_Aint places[2];
    MPI_Get_address(outgoing->head, &places[0]);
    MPI_Get_address(outgoing->bulk, &places[1]);
    MPI_Datatype both;
    MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &both);
    MPI_Type_commit(&both);
    MPI_Isend(MPI_BOTTOM, 1, both, outgoing->to, MESSAGE_TAG, comm, &outgoing->request);
    MPI_Type_free(&both);
}

void mpi_messages_start(struct mpi_messages *messages)
{
    while (messages->recorded.first) {
        struct mpi_outgoing *outgoing = remove_first(&messages->recorded);
        if (outgoing->bulk)
            start_with_bulk(outgoing, messages->mpi);
        else
            MPI_Isend(outgoing->head, (int)outgoing->head_size, MPI_BYTE, outgoing->to, MESSAGE_TAG,
                      messages->mpi, &outgoing->request);
        mpi_doorbell_ring(messages->bells, outgoing->to);
        append_outgoing(&messages->started, outgoing);
    }
}

static bool may_have_arrived(struct mpi_messages *messages)
{
    if (mpi_doorbell_rings(messages->bells))
        return true;
    double now_s = clock_now_s();
    if (now_s - messages->called_s < BUSY_CALL_S)
        return false;
    messages->called_s = now_s;
    return true;
}

bool mpi_messages_receive(struct mpi_messages *messages, int *from, size_t *size)
{
    int found, count;
    if (!may_have_arrived(messages))
        return false;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MESSAGE_TAG, messages->mpi, &found, &message, &status);
    if (!found)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (array_reserve(&messages->incoming, count, &messages->incoming_capacity, 1) != STATUS_OK)
        die_without_memory((size_t)count);
    MPI_Mrecv(messages->incoming, count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    messages->n_received++;
    mpi_doorbell_answer(messages->bells);
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    return true;
}

bool mpi_messages_sent(struct mpi_messages *messages, int64_t *token)
{
    /* Only the oldest is tested, so that the cost does not grow with the number of messages;
     * others that complete earlier wait for it. */
    while (messages->started.first) {
        int completed;
        MPI_Test(&messages->started.first->request, &completed, MPI_STATUS_IGNORE);
        if (!completed)
            return false;
        struct mpi_outgoing *outgoing = remove_first(&messages->started);
        bool had_bulk = outgoing->bulk != NULL;
        *token = outgoing->token;
        free(outgoing);
        if (had_bulk)
            return true;
    }
    return false;
}

double mpi_messages_pause(struct mpi_messages *messages)
{
    messages->called_s = -INFINITY;
    return messages->started.first ? 0 : WAITING_CALL_S;
}
