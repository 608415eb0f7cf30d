/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `awf-b`: adaptive weighted factoring, by batch: Carino and Banicescu, J. Supercomput. 44
 * (2008) 41. Weighted factoring (mode wf) whose weights are measured. Worker i has reported, with
 * its k-th request, n_ik tasks that took t_ik seconds; its weighted mean time of a task,
 *     pi_i = sum_k k t_ik / sum_k k n_ik,
 * counts its last tasks most. At the begin of each batch the weights of the P workers become
 *     w_i = P (1 / pi_i) / sum_j (1 / pi_j).
 * A worker that has reported none yet has the mean of the others' 1 / pi; all weights are 1 in the
 * beginning. The sums are kept from iteration to iteration.
 *
 * A coordinator hands out the chunks (coordinator.h). */
#include "sched/pool/protocols/coordinator.h"
#include "support/base/status.h"

#include <stdlib.h>

struct awf_worker {
    double n_requests; /* k */
    double sum_time_s; /* of k t_ik */
    double sum_tasks;  /* of k n_ik */
    double weight;
};

struct awf_state {
    struct coordinated coordinated; /* first */
    struct weighted_batch batch;
    struct awf_worker *workers; /* of the coordinator: all; owned */
};

static void awf_measured(void *state, int worker, const struct duration_moments *measured)
{
    struct awf_state *self = state;
    struct awf_worker *of = &self->workers[worker];
    double n = (double)measured->n;
    of->n_requests++;
    of->sum_time_s += of->n_requests * n * measured->mean_s;
    of->sum_tasks += of->n_requests * n;
}

/* 1 / pi; 0: not known. */
static double awf_rate(const struct awf_worker *of)
{
    double least_s = SHORTEST_MEAN_S * of->sum_tasks;
    return of->sum_tasks / (of->sum_time_s > least_s ? of->sum_time_s : least_s);
}

static void weigh_workers(struct awf_state *self)
{
    int n_workers = self->coordinated.comm->size, n_known = 0;
    double sum = 0;
    for (int i = 0; i < n_workers; i++)
        if (self->workers[i].n_requests > 0) {
            sum += awf_rate(&self->workers[i]);
            n_known++;
        }
    for (int i = 0; i < n_workers; i++) {
        struct awf_worker *of = &self->workers[i];
        of->weight = of->n_requests > 0 ? n_known * awf_rate(of) / sum : 1;
    }
}

static double awf_chunk(void *state, int worker, int64_t n_left)
{
    struct awf_state *self = state;
    if (weighted_batch_begin(&self->batch, &self->coordinated, n_left))
        weigh_workers(self);
    return weighted_batch_take(&self->batch, &self->coordinated, self->workers[worker].weight);
}

static const struct coordinator_rule awf_rule = {.chunk = awf_chunk, .measured = awf_measured};

static int awf_init(void *state, const struct taskpool_mode_setup *setup,
                    struct taskpool_comm *comm)
{
    struct awf_state *self = state;
    coordinated_init(&self->coordinated, setup, comm, &awf_rule);
    if (!coordinated_is_coordinator(&self->coordinated))
        return STATUS_OK;
    self->workers = calloc((size_t)comm->size, sizeof *self->workers);
    return CHECK_MEMORY(self->workers, "no memory for the weights of %d workers", comm->size);
}

static void awf_fini(void *state)
{
    struct awf_state *self = state;
    free(self->workers);
}

const struct taskpool_mode mode_awf_b = {
    .name = "awf-b",
    .help = "adaptive weighted factoring: weights from measured times, for each batch",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_chunk_options, &coordinator_options, NULL},
    .state_size = sizeof(struct awf_state),
    .init = awf_init,
    .fini = awf_fini,
    .next = coordinated_next,
    .receive = coordinated_receive,
    .finished = coordinated_finished,
    .restore = coordinated_restore,
    .progress = coordinated_progress,
    .describe = coordinated_describe,
};
