/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/array.h"

#include <math.h>
#include <stdlib.h>

/* The first worker of a node has its memory. */
static enum status share_words(struct driver_sim *sim, int rank)
{
    int n = sim_worker(sim, rank)->comm.n_node_ranks;
    int64_t *first = calloc((size_t)n + 1, sizeof *first);
    sim_worker(sim, rank)->comm.node_first = first;
    TRY(CHECK_MEMORY(first, "no memory for %d simulated workers", sim->n_workers));
    for (int i = 0; i < n; i++)
        first[i + 1] =
            first[i] + sim->mode->node_words(sim->setup, &sim_worker(sim, rank + i)->comm);
    int64_t *words = calloc((size_t)first[n] + 1, sizeof *words); /* there may be none */
    for (int i = 0; i < n; i++) {
        sim_worker(sim, rank + i)->comm.node_words = words;
        sim_worker(sim, rank + i)->comm.node_first = first;
    }
    return CHECK_MEMORY(words, "no memory for the %lld words that %d simulated workers share",
                        (long long)first[n], n);
}

enum status sim_node_memory_create(struct driver_sim *sim)
{
    for (int rank = 0; sim->mode->node_words && rank < sim->n_workers; rank += sim->node_size)
        TRY(share_words(sim, rank));
    return STATUS_OK;
}

void sim_node_memory_destroy(struct driver_sim *sim)
{
    for (int rank = 0; rank < sim->n_workers; rank += sim->node_size) {
        struct taskpool_comm *comm = &sim_worker(sim, rank)->comm;
        free(comm->node_words);
        free((int64_t *)comm->node_first);
    }
}

/* The worker that has the word. */
static struct sim_worker *find_word_owner(const struct driver_sim *sim,
                                          const struct taskpool_comm *comm, int64_t position)
{
    int64_t i = array_find_last(comm->node_first, comm->n_node_ranks, position);
    return sim_worker(sim, comm->node_ranks[i]);
}

bool sim_comm_word_swap(struct taskpool_comm *comm, int64_t position, int64_t expected,
                        int64_t desired)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct sim_worker *owner = find_word_owner(worker->sim, comm, position);
    double now_s = taskpool_comm_now(comm);
    double begin_s = fmax(now_s, owner->words_free_s);
    double atomic_s = worker->sim->machine->atomic_s;
    owner->words_free_s = sim_spend(worker, begin_s - now_s + atomic_s);
    if (comm->node_words[position] != expected)
        return false;
    comm->node_words[position] = desired;
    return true;
}
