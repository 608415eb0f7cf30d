/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/array.h"

#include <math.h>
#include <stdlib.h>

static int64_t sim_words_of(const struct driver_sim *sim, int rank)
{
    return sim->mode->node_words(sim->setup, &sim_worker(sim, rank)->comm);
}

/* Positions in the memory of each node, which end with its size. Returns the words of all nodes. */
static int64_t lay_out_words(struct driver_sim *sim)
{
    int64_t n_all = 0, *first = sim->first_words;
    for (int rank = 0; rank < sim->n_workers; rank += sim->node_size) {
        int n = sim_worker(sim, rank)->comm.n_node_ranks;
        first[0] = 0;
        for (int i = 0; i < n; i++)
            first[i + 1] = first[i] + sim_words_of(sim, rank + i);
        n_all += first[n];
        first += n + 1;
    }
    return n_all;
}

static void connect_words(struct driver_sim *sim)
{
    int64_t *words = sim->words, *first = sim->first_words;
    for (int rank = 0; rank < sim->n_workers; rank += sim->node_size) {
        int n = sim_worker(sim, rank)->comm.n_node_ranks;
        for (int i = 0; i < n; i++) {
            struct taskpool_comm *comm = &sim_worker(sim, rank + i)->comm;
            comm->node_words = words;
            comm->node_first = first;
        }
        words += first[n];
        first += n + 1;
    }
}

enum status sim_node_memory_create(struct driver_sim *sim)
{
    if (!sim->mode->node_words)
        return STATUS_OK;
    size_t n_nodes = ((size_t)sim->n_workers - 1) / (size_t)sim->node_size + 1;
    sim->first_words = malloc(((size_t)sim->n_workers + n_nodes) * sizeof *sim->first_words);
    TRY(CHECK_MEMORY(sim->first_words, "no memory for %d simulated workers", sim->n_workers));
    int64_t n_all = lay_out_words(sim);
    sim->words = calloc((size_t)n_all, sizeof *sim->words);
    TRY(CHECK_MEMORY(sim->words, "no memory for the %lld words that %d simulated workers share",
                     (long long)n_all, sim->n_workers));
    connect_words(sim);
    return STATUS_OK;
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
