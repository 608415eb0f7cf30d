/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_pulse.h"

#include "sched/pool/drivers/mpi/shared_memory.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/die.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PULSE_TAG = 2 }; /* messages of the mode have another */

static size_t size_of_node(const struct mpi_pulse *pulse)
{
    return sizeof *pulse->node + (size_t)pulse->n_slots * sizeof *pulse->own;
}

/* Maps the node's slots. A slot of zeros means a process outside an iteration.
 * first_rank  of the node */
static enum status share_node(struct mpi_pulse *pulse, int first_rank)
{
    int rank, place;
    MPI_Comm node;
    MPI_Comm_rank(pulse->mpi, &rank);
    MPI_Comm_split(pulse->mpi, first_rank, rank, &node);
    MPI_Comm_rank(node, &place);
    pulse->node = shared_memory_map(node, size_of_node(pulse));
    MPI_Comm_free(&node);
    if (pulse->node) {
        pulse->own = &pulse->node->slots[place];
        atomic_store(&pulse->own->pid, getpid());
    }
    return status_agree(pulse->mpi,
                        CHECK_MEMORY(pulse->node, "no shared memory for --watchdog: it is in "
                                                  "/dev/shm"));
}

static void list_others(struct mpi_pulse *pulse, const int *node_ranks)
{
    int size, n_near = 0;
    MPI_Comm_size(pulse->mpi, &size);
    pulse->others = malloc((size_t)size * sizeof *pulse->others);
    pulse->requests = malloc((size_t)size * sizeof *pulse->requests);
    pulse->ages_s = malloc((size_t)size * sizeof *pulse->ages_s);
    if (!pulse->others || !pulse->requests || !pulse->ages_s)
        die_no_memory("no memory for the watchdog");
    for (int rank = 0; rank < size; rank++)
        if (n_near < pulse->n_slots && node_ranks[n_near] == rank)
            n_near++;
        else
            pulse->others[pulse->n_others++] = rank;
    for (int i = 0; i < pulse->n_others; i++)
        pulse->requests[i] = MPI_REQUEST_NULL;
}

/* A message to and from each process of other nodes: over TCP a connection is made with the first,
 * in many polls, and between those there may be long tasks. */
static void connect_nodes(struct mpi_pulse *pulse)
{
    for (int i = 0; i < pulse->n_others; i++)
        MPI_Isend(NULL, 0, MPI_DOUBLE, pulse->others[i], PULSE_TAG, pulse->mpi,
                  &pulse->requests[i]);
    for (int i = 0; i < pulse->n_others; i++)
        MPI_Recv(NULL, 0, MPI_DOUBLE, pulse->others[i], PULSE_TAG, pulse->mpi, MPI_STATUS_IGNORE);
    MPI_Waitall(pulse->n_others, pulse->requests, MPI_STATUSES_IGNORE);
}

enum status mpi_pulse_init(struct mpi_pulse *pulse, MPI_Comm comm, const int *node_ranks,
                           int n_node_ranks, double interval_s)
{
    *pulse = (struct mpi_pulse){.mpi = comm, .n_slots = n_node_ranks, .interval_s = interval_s};
    list_others(pulse, node_ranks);
    TRY(share_node(pulse, node_ranks[0]));
    connect_nodes(pulse);
    return STATUS_OK;
}

void mpi_pulse_fini(struct mpi_pulse *pulse)
{
    if (pulse->node)
        munmap(pulse->node, size_of_node(pulse));
    free(pulse->others);
    free(pulse->requests);
    free(pulse->ages_s);
}

static void raise_time(_Atomic double *time_s, double value_s)
{
    double old_s = atomic_load(time_s);
    while (old_s < value_s && !atomic_compare_exchange_weak(time_s, &old_s, value_s)) {
    }
}

void mpi_pulse_begin(struct mpi_pulse *pulse)
{
    pulse->n_seen = 0;
    pulse->open = true;
    raise_time(&pulse->node->finished_s, clock_now_s());
    pulse_set_look(pulse->own, clock_now_s());
}

double mpi_pulse_last_s(struct mpi_pulse *pulse)
{
    int64_t n_finished = 0;
    for (int i = 0; i < pulse->n_slots; i++)
        n_finished += atomic_load_explicit(&pulse->node->slots[i].n_finished, memory_order_relaxed);
    if (n_finished != pulse->n_seen)
        raise_time(&pulse->node->finished_s, clock_now_s());
    pulse->n_seen = n_finished;
    double here_s = atomic_load(&pulse->node->finished_s);
    double there_s = atomic_load(&pulse->node->heard_s);
    return here_s > there_s ? here_s : there_s;
}

/* --- messages to other nodes: how long ago a task finished on this one --- */

/* To all that have received the message before: one that runs a long task does not delay others. */
static void send_pulses(struct mpi_pulse *pulse, double now_s)
{
    double finished_s = atomic_load(&pulse->node->finished_s);
    atomic_store(&pulse->node->sent_s, finished_s);
    for (int i = 0; i < pulse->n_others; i++) {
        int received;
        MPI_Test(&pulse->requests[i], &received, MPI_STATUS_IGNORE);
        if (!received)
            continue;
        pulse->ages_s[i] = now_s - finished_s;
        /* Synchronous: those sent are received, when the sender knows it, see mpi_pulse_end. */
        MPI_Issend(&pulse->ages_s[i], 1, MPI_DOUBLE, pulse->others[i], PULSE_TAG, pulse->mpi,
                   &pulse->requests[i]);
    }
}

static bool are_received(struct mpi_pulse *pulse)
{
    int received;
    MPI_Testall(pulse->n_others, pulse->requests, &received, MPI_STATUSES_IGNORE);
    return received;
}

static void receive_pulses(struct mpi_pulse *pulse)
{
    int found;
    MPI_Message message;
    for (;;) {
        MPI_Improbe(MPI_ANY_SOURCE, PULSE_TAG, pulse->mpi, &found, &message, MPI_STATUS_IGNORE);
        if (!found)
            break;
        double age_s;
        MPI_Mrecv(&age_s, 1, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        raise_time(&pulse->node->heard_s, clock_now_s() - age_s);
    }
}

/* Whether the others believe that no task finished here for longer than margin_s too long. */
static bool has_news(const struct mpi_pulse *pulse, double margin_s)
{
    return atomic_load(&pulse->node->finished_s) > atomic_load(&pulse->node->sent_s) + margin_s;
}

void mpi_pulse_poll(struct mpi_pulse *pulse)
{
    if (pulse->n_others == 0)
        return;
    receive_pulses(pulse);
    double now_s = clock_now_s(), sent_at_s = atomic_load(&pulse->node->sent_at_s);
    if (!pulse->open || now_s - sent_at_s < pulse->interval_s || !has_news(pulse, 0))
        return;
    /* One process of the node sends. */
    if (atomic_compare_exchange_strong(&pulse->node->sent_at_s, &sent_at_s, now_s))
        send_pulses(pulse, now_s);
}

/* A non-blocking barrier, which a process enters when all that it sent was received: so nothing is
 * on its way when it is finished (Hoefler, Siebert, Lumsdaine, PPoPP 2010). */
void mpi_pulse_end(struct mpi_pulse *pulse)
{
    MPI_Request barrier;
    int finished = 0;
    pulse->open = false;
    if (has_news(pulse, pulse->interval_s))
        send_pulses(pulse, clock_now_s());
    while (!are_received(pulse))
        receive_pulses(pulse);
    MPI_Ibarrier(pulse->mpi, &barrier);
    while (!finished) {
        if (pulse->n_others > 0)
            receive_pulses(pulse);
        MPI_Test(&barrier, &finished, MPI_STATUS_IGNORE);
    }
}
