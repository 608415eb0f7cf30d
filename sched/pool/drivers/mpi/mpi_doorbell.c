/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_doorbell.h"

#include "sched/pool/drivers/mpi/shared_memory.h"
#include "support/base/die.h"
#include "support/base/node.h"

#include <math.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* The doorbell of one process. */
struct doorbell {
    _Atomic int64_t n_sent;     /* messages to it, by any process */
    _Atomic int64_t n_received; /* by it */
    _Atomic int64_t n_ended;    /* iterations that its tasks ended */
    atomic_bool asleep;         /* the next message wakes it up, or the end of the last process */
    sem_t wake;
    char padding[64]; /* no two processes write to the same cache line */
};

/* The attribute of a communicator and its duplicates. */
struct mpi_doorbells {
    int n_owners;         /* communicators */
    struct doorbell *all; /* shared, n entries, by rank; NULL: none */
    size_t size_bytes;
    struct doorbell *own;
    double per_core; /* processes; more than 1: mpi_doorbell_await sleeps */
};

/* --- the attribute --- */

static int copy_doorbells(MPI_Comm comm, int key, void *extra, void *bells_void, void *to,
                          int *copied)
{
    struct mpi_doorbells *bells = bells_void;
    (void)comm, (void)key, (void)extra;
    bells->n_owners++;
    *(void **)to = bells;
    *copied = 1;
    return MPI_SUCCESS;
}

static int release_doorbells(MPI_Comm comm, int key, void *bells_void, void *extra)
{
    struct mpi_doorbells *bells = bells_void;
    (void)comm, (void)key, (void)extra;
    if (--bells->n_owners > 0)
        return MPI_SUCCESS;
    if (bells->all)
        munmap(bells->all, bells->size_bytes);
    free(bells);
    return MPI_SUCCESS;
}

/* The key of the attribute, made once per program. */
static int doorbells_key(void)
{
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(copy_doorbells, release_doorbells, &key, NULL);
    return key;
}

static struct mpi_doorbells *make_doorbells(MPI_Comm comm)
{
    struct mpi_doorbells *bells = calloc(1, sizeof *bells);
    int rank, size;
    if (!bells)
        die_no_memory("no memory for the messages of a pool");
    bells->n_owners = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (node_count(comm) < size)
        return bells;
    bells->size_bytes = (size_t)size * sizeof *bells->all;
    bells->all = shared_memory_map(comm, bells->size_bytes);
    if (!bells->all)
        return bells;
    bells->own = &bells->all[rank];
    sem_init(&bells->own->wake, 1, 0);
    bells->per_core = processes_per_core(comm); /* its end is a barrier, too: all are made */
    return bells;
}

struct mpi_doorbells *mpi_doorbells_of(MPI_Comm comm)
{
    struct mpi_doorbells *bells;
    int known;
    MPI_Comm_get_attr(comm, doorbells_key(), &bells, &known);
    if (!known) {
        bells = make_doorbells(comm);
        MPI_Comm_set_attr(comm, doorbells_key(), bells);
    }
    return bells;
}

double mpi_doorbells_per_core(const struct mpi_doorbells *bells)
{
    return bells->per_core;
}

/* --- messages --- */

static void wake(struct doorbell *bell)
{
    if (atomic_load(&bell->asleep) && atomic_exchange(&bell->asleep, false))
        sem_post(&bell->wake);
}

void mpi_doorbell_ring(struct mpi_doorbells *bells, int to)
{
    if (!bells->all)
        return;
    struct doorbell *bell = &bells->all[to];
    atomic_fetch_add(&bell->n_sent, 1);
    wake(bell);
}

void mpi_doorbell_answer(struct mpi_doorbells *bells)
{
    if (bells->all)
        atomic_fetch_add(&bells->own->n_received, 1);
}

bool mpi_doorbell_rings(const struct mpi_doorbells *bells)
{
    return !bells->all || atomic_load(&bells->own->n_sent) != atomic_load(&bells->own->n_received);
}

static struct timespec moment_after(double time_s)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    double end_s = (double)moment.tv_nsec * 1e-9 + time_s;
    moment.tv_sec += (time_t)floor(end_s);
    moment.tv_nsec = (long)((end_s - floor(end_s)) * 1e9);
    return moment;
}

/* Sleeps unless there is a reason not to. One that appears after the first store finds the process asleep. */
static void sleep_unless(bool (*has_reason)(const struct mpi_doorbells *bells),
                         struct mpi_doorbells *bells, double time_s)
{
    struct doorbell *own = bells->own;
    struct timespec end = moment_after(time_s);
    atomic_store(&own->asleep, true);
    if (!has_reason(bells))
        sem_clockwait(&own->wake, CLOCK_MONOTONIC, &end);
    atomic_store(&own->asleep, false);
}

void mpi_doorbell_await(struct mpi_doorbells *bells, double time_s)
{
    if (bells->per_core > 1 && time_s > 0)
        sleep_unless(mpi_doorbell_rings, bells, time_s);
}

/* --- the end of an iteration --- */

bool mpi_doorbells_have_ended(const struct mpi_doorbells *bells)
{
    int64_t n_ended = bells->per_core > 1 ? atomic_load(&bells->own->n_ended) : 0;
    size_t n = bells->size_bytes / sizeof *bells->all;
    for (size_t i = 0; n_ended > 0 && i < n; i++)
        if (atomic_load(&bells->all[i].n_ended) < n_ended)
            return false;
    return true;
}

void mpi_doorbell_end(struct mpi_doorbells *bells)
{
    if (bells->per_core <= 1)
        return;
    atomic_fetch_add(&bells->own->n_ended, 1);
    if (!mpi_doorbells_have_ended(bells))
        return;
    size_t n = bells->size_bytes / sizeof *bells->all;
    for (size_t i = 0; i < n; i++)
        wake(&bells->all[i]);
}

void mpi_doorbell_await_end(struct mpi_doorbells *bells, double time_s)
{
    if (bells->per_core > 1)
        sleep_unless(mpi_doorbells_have_ended, bells, time_s);
}
