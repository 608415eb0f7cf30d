/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_comm.h"

#include "sched/pool/core/comm.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/node.h"
#include "support/mpi/window.h"

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

/* --- requests of the mode --- */

static double mpi_comm_now(struct taskpool_comm *comm)
{
    (void)comm;
    return clock_now_s();
}

static void mpi_comm_protocol_broken(struct taskpool_comm *comm, const char *why)
{
    die("worker %d, mode %s: %s", comm->rank, ((struct mpi_comm *)comm)->mode->name, why);
}

/* Ends the program when out of memory: a protocol cannot continue without the message. */
static _Noreturn void die_without_memory(size_t size)
{
    die_no_memory("no memory for a message of %zu bytes", size);
}

static void record_message(struct mpi_comm *comm, int to,
                           const struct taskpool_comm_message *message, size_t size)
{
    struct mpi_outgoing *outgoing = malloc(sizeof *outgoing + message->head_size);
    if (!outgoing)
        die_without_memory(size);
    outgoing->next = NULL;
    outgoing->to = to;
    outgoing->bulk = message->bulk;
    outgoing->bulk_size = message->bulk_size;
    outgoing->token = message->token;
    outgoing->head_size = message->head_size;
    memcpy(outgoing->head, message->head, message->head_size);
    if (comm->first)
        comm->last->next = outgoing;
    else
        comm->first = outgoing;
    comm->last = outgoing;
    if (!comm->recorded)
        comm->recorded = outgoing;
    comm->n_sent++;
    comm->bytes_sent += (int64_t)size;
}

static void mpi_comm_send(struct taskpool_comm *comm, int to,
                          const struct taskpool_comm_message *message)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    size_t size = message->head_size + (message->bulk ? message->bulk_size : 0);
    if (!self->mode->receive || (message->bulk && !self->mode->sent))
        mpi_comm_protocol_broken(comm, COMM_NO_RECEIVE);
    assert(to >= 0 && to < comm->size && message->head_size > 0);
    if (size > INT_MAX)
        die("a message of %zu bytes, for one worker, is too long for MPI: take fewer tasks at a "
            "time (--steal N), or another mode",
            size);
    record_message(self, to, message, size);
    recorder_message(
        self->recorder, 0, comm,
        (struct trace_message){.kind = TRACE_SENT, .peer = to, .size = (uint32_t)size});
}

static void mpi_comm_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    if (!self->mode->fetched)
        mpi_comm_protocol_broken(comm, COMM_NO_FETCHED);
    assert(!self->fetching);
    self->fetching = self->fetch_recorded = true;
    self->increment = increment;
    self->n_fetches++;
    recorder_message(
        self->recorder, 0, comm,
        (struct trace_message){.kind = TRACE_COUNTER_REQUEST, .size = sizeof increment});
}

static bool mpi_comm_word_swap(struct taskpool_comm *comm, int64_t position, int64_t expected,
                               int64_t desired)
{
    return __atomic_compare_exchange_n(&comm->node_words[position], &expected, desired, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void mpi_comm_wake(struct taskpool_comm *comm, double delay_s)
{
    ((struct mpi_comm *)comm)->wake_s = clock_now_s() + delay_s;
}

static void mpi_comm_failed(struct taskpool_comm *comm, int status)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    self->status = status;
    self->mode_failed = true;
}

static const struct taskpool_comm_functions mpi_comm_functions = {.now = mpi_comm_now,
                                                                  .send = mpi_comm_send,
                                                                  .fetch_add = mpi_comm_fetch_add,
                                                                  .word_swap = mpi_comm_word_swap,
                                                                  .wake = mpi_comm_wake,
                                                                  .failed = mpi_comm_failed,
                                                                  .protocol_broken =
                                                                      mpi_comm_protocol_broken};

/* --- life --- */

static enum status open_counter(struct mpi_comm *comm)
{
    void *base;
    TRY(window_allocate(comm->mpi, comm->base.rank == 0 ? sizeof comm->answer : 0, &base,
                        &comm->counter));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, comm->counter);
    return STATUS_OK;
}

enum status mpi_comm_init(struct mpi_comm *comm, MPI_Comm mpi, const struct taskpool_mode *mode,
                          const struct taskpool_mode_setup *setup)
{
    *comm = (struct mpi_comm){.base.functions = &mpi_comm_functions,
                              .mpi = mpi,
                              .mode = mode,
                              .counter = MPI_WIN_NULL,
                              .wake_s = INFINITY};
    pthread_mutex_init(&comm->lock, NULL);
    MPI_Comm_rank(mpi, &comm->base.rank);
    MPI_Comm_size(mpi, &comm->base.size);
    comm_seed_random(&comm->base, (uint64_t)setup->settings->seed, (uint64_t)comm->base.rank);
    comm->base.node_ranks = node_ranks(mpi, &comm->base.n_node_ranks);
    comm->bells = mpi_doorbells_of(mpi);
    if (mode->node_words) {
        mpi_node_memory_open(&comm->memory, mpi, mode->node_words(setup, &comm->base));
        comm->base.node_words = comm->memory.words;
        comm->base.node_first = comm->memory.first;
    }
    /* Create an MPI window only for modes that use the counter: some transports offer none. */
    return mode->fetched ? open_counter(comm) : STATUS_OK;
}

void mpi_comm_fini(struct mpi_comm *comm)
{
    assert(!comm->first);
    if (comm->counter != MPI_WIN_NULL) {
        MPI_Win_unlock_all(comm->counter);
        MPI_Win_free(&comm->counter);
    }
    mpi_node_memory_close(&comm->memory);
    pthread_mutex_destroy(&comm->lock);
    free(comm->incoming);
}

enum status mpi_comm_begin(struct mpi_comm *comm)
{
    const int64_t zero = 0;
    comm->wake_s = INFINITY;
    if (comm->mode->fetched && comm->base.rank == 0) {
        MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_REPLACE, comm->counter);
        MPI_Win_flush(0, comm->counter);
    }
    /* Agreement in place of a barrier, so that the failure of a restore takes no message of its
     * own. */
    return status_agree(comm->mpi, (enum status)comm->status);
}

/* --- to MPI --- */

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

void mpi_comm_start(struct mpi_comm *comm)
{
    for (; comm->recorded; comm->recorded = comm->recorded->next) {
        struct mpi_outgoing *outgoing = comm->recorded;
        if (outgoing->bulk)
            start_with_bulk(outgoing, comm->mpi);
        else
            MPI_Isend(outgoing->head, (int)outgoing->head_size, MPI_BYTE, outgoing->to, MESSAGE_TAG,
                      comm->mpi, &outgoing->request);
        mpi_doorbell_ring(comm->bells, outgoing->to);
    }
    /* Not MPI_Fetch_and_op, which has no request: to complete it would mean to
     * wait for a target that may be in the middle of a long task. */
    if (comm->fetch_recorded)
        MPI_Rget_accumulate(&comm->increment, 1, MPI_INT64_T, &comm->answer, 1, MPI_INT64_T, 0, 0,
                            1, MPI_INT64_T, MPI_SUM, comm->counter, &comm->fetch);
    comm->fetch_recorded = false;
}

/* --- from MPI --- */

/* Whether to ask MPI for a message: the doorbell rings, or it was not asked for a while, as some
 * messages arrive only in its calls. */
static bool may_have_arrived(struct mpi_comm *comm)
{
    if (mpi_doorbell_rings(comm->bells))
        return true;
    double now_s = clock_now_s();
    if (now_s - comm->called_s < BUSY_CALL_S)
        return false;
    comm->called_s = now_s;
    return true;
}

/* Receives a message into comm->incoming, if one has arrived. Does not wait. */
static bool receive_arrived(struct mpi_comm *comm, int *from, size_t *size)
{
    int found, count;
    MPI_Message message;
    MPI_Status status;
    if (!may_have_arrived(comm))
        return false;
    MPI_Improbe(MPI_ANY_SOURCE, MESSAGE_TAG, comm->mpi, &found, &message, &status);
    if (!found)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (array_reserve(&comm->incoming, count, &comm->incoming_capacity, 1) != STATUS_OK)
        die_without_memory((size_t)count);
    MPI_Mrecv(comm->incoming, count, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    comm->n_received++;
    mpi_doorbell_answer(comm->bells);
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    return true;
}

/* Delivers completions. Only the oldest message is tested, so that the cost does not grow with the
 * number of messages; others that complete earlier wait for it. */
static void deliver_completed(struct mpi_comm *comm)
{
    int completed = 1;
    while (comm->first != comm->recorded) {
        struct mpi_outgoing *outgoing = comm->first;
        MPI_Test(&outgoing->request, &completed, MPI_STATUS_IGNORE);
        if (!completed)
            return;
        comm->first = outgoing->next;
        if (outgoing->bulk) {
            comm->mode->sent(comm->state, outgoing->token);
            comm->n_events++;
        }
        free(outgoing);
    }
}

void mpi_comm_deliver(struct mpi_comm *comm)
{
    const struct taskpool_mode *mode = comm->mode;
    int from, found, answered = 0;
    size_t size;
    /* MPI serves other nodes' accesses whether or not the mode has messages. */
    if (mpi_comm_spans_nodes(comm))
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->mpi, &found, MPI_STATUS_IGNORE);
    if (comm->pulse)
        mpi_pulse_poll(comm->pulse);
    mpi_comm_start(comm);
    if (comm->fetching)
        MPI_Test(&comm->fetch, &answered, MPI_STATUS_IGNORE);
    if (answered) {
        comm->fetching = false;
        mode->fetched(comm->state, comm->answer);
        comm->n_events++;
    }
    while (mode->receive && receive_arrived(comm, &from, &size)) {
        const struct taskpool_comm_counts before = comm->base.counts;
        const struct trace_message message = {
            .time_s = comm->recorder ? taskpool_comm_now(&comm->base) : 0,
            .kind = TRACE_RECEIVED,
            .peer = from,
            .size = (uint32_t)size};
        mode->receive(comm->state, from, comm->incoming, size);
        recorder_arrived(comm->recorder, 0, &comm->base, message, &before);
        comm->n_events++;
    }
    deliver_completed(comm);
    mpi_comm_start(comm);
}

/* --- waits --- */

static void call_idle(const struct mpi_comm *comm)
{
    if (comm->idling && comm->idling->idle)
        comm->idling->idle(comm->idling->context);
}

/* The seconds for which this process may sleep; MPI is asked for messages after it in any case. */
static double find_pause(struct mpi_comm *comm)
{
    double pause_s = comm->first || comm->fetching ? 0 : WAITING_CALL_S;
    comm->called_s = -INFINITY;
    return comm->wake_s < INFINITY ? fmin(pause_s, comm->wake_s - clock_now_s()) : pause_s;
}

void mpi_comm_wait(struct mpi_comm *comm, int64_t n_events)
{
    for (;;) {
        mpi_comm_lock(comm);
        mpi_comm_deliver(comm);
        bool ends = comm->n_events != n_events ||
                    (comm->wake_s < INFINITY && clock_now_s() >= comm->wake_s);
        double pause_s = ends ? 0 : find_pause(comm);
        if (ends)
            comm->wake_s = INFINITY;
        mpi_comm_unlock(comm);
        if (ends)
            return;
        call_idle(comm);
        mpi_doorbell_await(comm->bells, pause_s);
    }
}

void mpi_comm_finish(struct mpi_comm *comm)
{
    assert(!comm->fetching);
    mpi_comm_start(comm);
    while (comm->first)
        deliver_completed(comm);
}

void mpi_comm_await_end(struct mpi_comm *comm)
{
    /* Others may need this process's calls of MPI for what they send to it or read of it. */
    const double most_s = 1e-3;
    double pause_s = 5e-5;
    int arrived;
    for (mpi_doorbell_end(comm->bells); !mpi_doorbells_have_ended(comm->bells);) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->mpi, &arrived, MPI_STATUS_IGNORE);
        call_idle(comm);
        mpi_doorbell_await_end(comm->bells, pause_s);
        pause_s = fmin(2 * pause_s, most_s);
    }
}
