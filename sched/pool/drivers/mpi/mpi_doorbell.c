/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_doorbell.h"

#include "support/base/die.h"
#include "support/base/node.h"
#include "support/mpi/shared_memory.h"

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
    atomic_bool asleep;         /* the next message wakes it up */
    sem_t wake;
    char padding[64]; /* no two processes write to the same cache line */
};

/* The attribute of a communicator and its duplicates. */
struct mpi_doorbells {
    int n_owners;         /* communicators */
    struct doorbell *all; /* shared, n entries, by rank; NULL: none */
    size_t size_bytes;
    struct doorbell *own;
    bool sleeps; /* mpi_doorbell_await does: there are more processes than cores */
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
    bells->sleeps = is_oversubscribed(comm); /* its end is a barrier, too: all are made */
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

/* --- messages --- */

void mpi_doorbell_ring(struct mpi_doorbells *bells, int to)
{
    if (!bells->all)
        return;
    struct doorbell *bell = &bells->all[to];
    atomic_fetch_add(&bell->n_sent, 1);
    if (atomic_load(&bell->asleep) && atomic_exchange(&bell->asleep, false))
        sem_post(&bell->wake);
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

void mpi_doorbell_await(struct mpi_doorbells *bells, double time_s)
{
    if (!bells->sleeps || time_s <= 0)
        return;
    struct doorbell *own = bells->own;
    struct timespec end = moment_after(time_s);
    /* A message that is sent after the second line finds it asleep. */
    atomic_store(&own->asleep, true);
    if (!mpi_doorbell_rings(bells))
        sem_clockwait(&own->wake, CLOCK_MONOTONIC, &end);
    atomic_store(&own->asleep, false);
}
