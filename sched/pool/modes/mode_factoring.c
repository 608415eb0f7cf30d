/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `factoring`: Hummel, Schonberg and Flynn, Commun. ACM 35 (1992) no. 8, 90. Chunks come in
 * batches of P equal ones, P the number of workers; a batch has half of the R tasks left, each
 * chunk ceil(R / (2 P)) of them, but --chunk at least. The first chunks are half as large as those
 * of mode guided, so that a chunk of long tasks is less likely to end last.
 *
 * The half is the paper's choice where nothing is known of the durations. Chunks are numbered by
 * the shared counter (self_scheduling.h); there are about log2(n_tasks / P) batches, which a worker
 * goes through for each of its chunks. */
#include "sched/pool/protocols/self_scheduling.h"

static int64_t factoring_size(const struct self_scheduling *scheduling, int64_t n_left)
{
    int64_t n_parts = 2 * scheduling->n_workers;
    int64_t size = n_left / n_parts + (n_left % n_parts > 0);
    return size > scheduling->min_chunk ? size : scheduling->min_chunk;
}

static struct taskpool_range factoring_chunk(void *state, int64_t value)
{
    const struct self_scheduling *scheduling = state;
    int64_t first = 0, n_batches = value / scheduling->n_workers;
    int64_t size = factoring_size(scheduling, scheduling->n_tasks);
    for (; n_batches > 0 && size > scheduling->min_chunk; n_batches--) {
        first += size * scheduling->n_workers;
        size = factoring_size(scheduling, scheduling->n_tasks - first);
    }
    /* Batches of the least size are alike. */
    first += (n_batches * scheduling->n_workers + value % scheduling->n_workers) * size;
    if (first > scheduling->n_tasks)
        first = scheduling->n_tasks;
    return (struct taskpool_range){.first = first, .last = first + size};
}

static const struct self_scheduling_rule factoring_rule = {.chunk = factoring_chunk};

static int factoring_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    return self_scheduling_init(state, setup, comm, &factoring_rule);
}

const struct taskpool_mode mode_factoring = {
    .name = "factoring",
    .help = "factoring: batches of equal chunks, each batch half of the tasks left",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .state_size = sizeof(struct self_scheduling),
    .init = factoring_init,
    .next = self_scheduling_next,
    .fetched = self_scheduling_fetched,
    .restore = self_scheduling_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
