/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_comm.h"

#include "sched/pool/core/comm.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/die.h"
#include "support/base/node.h"
#include "support/mpi/window.h"

#include <assert.h>
#include <math.h>

static double mpi_comm_now(struct taskpool_comm *comm)
{
    (void)comm;
    return clock_now_s();
}

static void mpi_comm_protocol_broken(struct taskpool_comm *comm, const char *why)
{
    die("worker %d, mode %s: %s", comm->rank, ((struct mpi_comm *)comm)->mode->name, why);
}

static void mpi_comm_send(struct taskpool_comm *comm, int to,
                          const struct taskpool_comm_message *message)
{
    struct mpi_comm *self = (struct mpi_comm *)comm;
    if (!self->mode->receive || (message->bulk && !self->mode->sent))
        mpi_comm_protocol_broken(comm, COMM_NO_RECEIVE);
    assert(to >= 0 && to < comm->size);
    mpi_messages_send(&self->messages, to, message);
    if (self->recorder)
        recorder_sent(self->recorder, 0, comm, to,
                      message->head_size + (message->bulk ? message->bulk_size : 0), 0);
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
    if (self->recorder)
        recorder_request(self->recorder, 0, comm, TRACE_COUNTER_REQUEST, sizeof increment);
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

/* --- the shared counter --- */

static enum status open_counter(struct mpi_comm *comm)
{
    void *base;
    TRY(window_allocate(comm->messages.mpi, comm->base.rank == 0 ? sizeof comm->answer : 0, &base,
                        &comm->counter));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, comm->counter);
    return STATUS_OK;
}

static void close_counter(struct mpi_comm *comm)
{
    if (comm->counter == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(comm->counter);
    MPI_Win_free(&comm->counter);
}

/* To be followed by a synchronisation of all processes before the next request. */
static void reset_counter(struct mpi_comm *comm)
{
    const int64_t zero = 0;
    if (comm->base.rank > 0)
        return;
    MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_REPLACE, comm->counter);
    MPI_Win_flush(0, comm->counter);
}

static void start_fetch(struct mpi_comm *comm)
{
    /* Not MPI_Fetch_and_op, which has no request: to complete it would mean to
     * wait for a target that may be in the middle of a long task. */
    MPI_Rget_accumulate(&comm->increment, 1, MPI_INT64_T, &comm->answer, 1, MPI_INT64_T, 0, 0, 1,
                        MPI_INT64_T, MPI_SUM, comm->counter, &comm->fetch);
    comm->fetch_recorded = false;
}

/* --- all --- */

enum status mpi_comm_init(struct mpi_comm *comm, MPI_Comm mpi, const struct taskpool_mode *mode,
                          uint64_t seed)
{
    *comm =
        (struct mpi_comm){.base.functions = &mpi_comm_functions, .mode = mode, .wake_s = INFINITY};
    MPI_Comm_rank(mpi, &comm->base.rank);
    MPI_Comm_size(mpi, &comm->base.size);
    comm_seed_random(&comm->base, seed, (uint64_t)comm->base.rank);
    comm->base.node_ranks = node_ranks(mpi, &comm->base.n_node_ranks);
    mpi_messages_init(&comm->messages, mpi);
    comm->per_core = mpi_doorbells_per_core(comm->messages.bells);
    /* Create an MPI window only for modes that use the counter: some transports offer none. */
    return mode->fetched ? open_counter(comm) : STATUS_OK;
}

void mpi_comm_open_memory(struct mpi_comm *comm, const struct taskpool_mode_setup *setup)
{
    if (!comm->mode->node_words)
        return;
    mpi_node_memory_open(&comm->memory, comm->messages.mpi,
                         comm->mode->node_words(setup, &comm->base));
    comm->base.node_words = comm->memory.words;
    comm->base.node_first = comm->memory.first;
}

void mpi_comm_fini(struct mpi_comm *comm)
{
    if (comm->mode->fetched)
        close_counter(comm);
    mpi_messages_fini(&comm->messages);
}

enum status mpi_comm_begin(struct mpi_comm *comm)
{
    comm->wake_s = INFINITY;
    if (comm->mode->fetched)
        reset_counter(comm);
    /* Agreement in place of a barrier, so that the failure of a restore takes no message of its
     * own. */
    return status_agree(comm->messages.mpi, (enum status)comm->status);
}

bool mpi_comm_spans_nodes(const struct mpi_comm *comm)
{
    return comm->base.n_node_ranks < comm->base.size;
}

bool mpi_comm_serves(const struct mpi_comm *comm)
{
    return comm->mode->receive || mpi_comm_spans_nodes(comm);
}

bool mpi_comm_can_receive(const struct mpi_comm *comm)
{
    return comm->fetching || mpi_comm_serves(comm);
}

bool mpi_comm_recorded(const struct mpi_comm *comm)
{
    return comm->fetch_recorded || comm->messages.recorded.first;
}

void mpi_comm_start(struct mpi_comm *comm)
{
    mpi_messages_start(&comm->messages);
    if (comm->fetch_recorded)
        start_fetch(comm);
}

static void receive_recorded(struct mpi_comm *comm, int from, size_t size)
{
    struct recorder_message received = recorder_receive(comm->recorder, &comm->base, from, size, 0);
    comm->mode->receive(comm->state, from, comm->messages.incoming, size);
    recorder_received(comm->recorder, 0, &comm->base, &received);
}

/* Delivers the answer of the counter; whether there was one. */
static bool deliver_answer(struct mpi_comm *comm)
{
    int answered = 0;
    if (comm->fetching)
        MPI_Test(&comm->fetch, &answered, MPI_STATUS_IGNORE);
    if (!answered)
        return false;
    comm->fetching = false;
    comm->mode->fetched(comm->state, comm->answer);
    return true;
}

static bool deliver_messages(struct mpi_comm *comm)
{
    bool happened = false;
    int from;
    size_t size;
    while (comm->mode->receive && mpi_messages_receive(&comm->messages, &from, &size)) {
        if (comm->recorder)
            receive_recorded(comm, from, size);
        else
            comm->mode->receive(comm->state, from, comm->messages.incoming, size);
        happened = true;
    }
    return happened;
}

static bool deliver_completions(struct mpi_comm *comm)
{
    bool happened = false;
    int64_t token;
    while (mpi_messages_sent(&comm->messages, &token)) {
        comm->mode->sent(comm->state, token);
        happened = true;
    }
    return happened;
}

/* Lets MPI serve other nodes' accesses to this process's memory, whether or not the mode has
 * messages. */
static void serve_accesses(struct mpi_comm *comm)
{
    int found;
    if (mpi_comm_spans_nodes(comm))
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->messages.mpi, &found, MPI_STATUS_IGNORE);
}

bool mpi_comm_deliver(struct mpi_comm *comm)
{
    serve_accesses(comm);
    if (comm->pulse)
        mpi_pulse_poll(comm->pulse);
    mpi_comm_start(comm);
    bool happened = deliver_answer(comm);
    happened |= deliver_messages(comm);
    happened |= deliver_completions(comm);
    mpi_comm_start(comm);
    return happened;
}

void mpi_comm_idle(const struct mpi_comm *comm)
{
    if (comm->idling && comm->idling->idle)
        comm->idling->idle(comm->idling->context);
}

double mpi_comm_pause(struct mpi_comm *comm)
{
    double pause_s = mpi_messages_pause(&comm->messages);
    if (comm->fetching)
        return 0;
    return comm->wake_s < INFINITY ? fmin(pause_s, comm->wake_s - clock_now_s()) : pause_s;
}

void mpi_comm_rest(struct mpi_comm *comm, double pause_s)
{
    mpi_doorbell_await(comm->messages.bells, pause_s);
}

void mpi_comm_wait(struct mpi_comm *comm)
{
    while (!mpi_comm_deliver(comm)) {
        if (comm->wake_s < INFINITY && clock_now_s() >= comm->wake_s)
            break;
        mpi_comm_idle(comm);
        mpi_comm_rest(comm, mpi_comm_pause(comm));
    }
    comm->wake_s = INFINITY;
}

void mpi_comm_finish(struct mpi_comm *comm)
{
    assert(!comm->fetching);
    mpi_comm_start(comm);
    while (comm->messages.started.first)
        deliver_completions(comm);
}

void mpi_comm_await_end(struct mpi_comm *comm)
{
    /* Others may need this process's calls of MPI for what they send to it or read of it. */
    const double most_s = 1e-3;
    double pause_s = 5e-5;
    struct mpi_doorbells *bells = comm->messages.bells;
    int arrived;
    for (mpi_doorbell_end(bells); !mpi_doorbells_have_ended(bells);) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->messages.mpi, &arrived, MPI_STATUS_IGNORE);
        mpi_comm_idle(comm);
        mpi_doorbell_await_end(bells, pause_s);
        pause_s = fmin(2 * pause_s, most_s);
    }
}

int64_t mpi_comm_undelivered(const struct mpi_comm *comm)
{
    return comm->messages.n_sent - comm->messages.n_received;
}
