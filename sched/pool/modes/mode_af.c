/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `af`: adaptive factoring: Banicescu and Liu, Proc. High Performance Computing Symposium
 * (2000) 122. Mean mu_i and variance sigma_i^2 of the durations of tasks are estimated for each
 * worker i; of R tasks left it gets
 *     D = sum_j sigma_j^2 / mu_j,   T = 1 / sum_j (1 / mu_j),
 *     chunk_i = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i),
 * which by the theory of factoring the workers end at the same time with high probability. Computed as
 *     chunk_i = 2 T^2 R^2 / (mu_i (D + 2 T R + sqrt(D^2 + 4 D T R))),
 * without cancellation. It is rounded, --chunk at least, and N / (2 P) at most, the first chunk of
 * factoring, as in DLS4LB (which has sigma in place of sigma^2): a few equal durations at first
 * would let the formula hand out all that is left.
 *
 * The estimates are of all tasks that a worker has reported, in earlier iterations too. It has some
 * from two tasks on, and gets --chunk tasks before; sums over workers are then those of the others, in proportion.
 *
 * A coordinator hands out the chunks (coordinator.h). */
#include "sched/pool/protocols/coordinator.h"
#include "support/base/status.h"

#include <math.h>
#include <stdlib.h>

struct af_state {
    struct coordinated coordinated;   /* first */
    struct duration_moments *workers; /* of the coordinator: all that each has reported; owned */
    /* Over the n_known workers with estimates. */
    int n_known;
    double sum_dispersion_s; /* of sigma^2 / mu */
    double sum_rate;         /* of 1 / mu */
};

static double af_mean_s(const struct duration_moments *moments)
{
    return fmax(moments->mean_s, SHORTEST_MEAN_S);
}

/* Adds a worker to the sums, or takes it out. */
static void count_worker(struct af_state *self, const struct duration_moments *moments, int sign)
{
    if (moments->n < 2)
        return;
    self->n_known += sign;
    self->sum_dispersion_s += sign * duration_moments_variance(moments) / af_mean_s(moments);
    self->sum_rate += sign / af_mean_s(moments);
}

static void af_measured(void *state, int worker, const struct duration_moments *measured)
{
    struct af_state *self = state;
    count_worker(self, &self->workers[worker], -1);
    duration_moments_merge(&self->workers[worker], measured);
    count_worker(self, &self->workers[worker], 1);
}

static double af_chunk(void *state, int worker, int64_t n_left)
{
    struct af_state *self = state;
    const struct coordinated *coordinated = &self->coordinated;
    const struct duration_moments *moments = &self->workers[worker];
    double least = (double)coordinated->min_chunk;
    if (moments->n < 2)
        return least;
    double n_workers = coordinated->comm->size, all = n_workers / self->n_known;
    double D = fmax(all * self->sum_dispersion_s, 0);
    double TR = (double)n_left / (all * self->sum_rate);
    double chunk = 2 * TR * TR / (af_mean_s(moments) * (D + 2 * TR + sqrt(D * (D + 4 * TR))));
    double most = ceil((double)coordinated->n_tasks / (2 * n_workers));
    return fmax(fmin(chunk, most), least);
}

static const struct coordinator_rule af_rule = {.chunk = af_chunk, .measured = af_measured};

static int af_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    struct af_state *self = state;
    coordinated_init(&self->coordinated, setup, comm, &af_rule);
    if (!coordinated_is_coordinator(&self->coordinated))
        return STATUS_OK;
    self->workers = calloc((size_t)comm->size, sizeof *self->workers);
    return CHECK_MEMORY(self->workers, "no memory for the durations of %d workers", comm->size);
}

static void af_fini(void *state)
{
    struct af_state *self = state;
    free(self->workers);
}

const struct taskpool_mode mode_af = {
    .name = "af",
    .help = "adaptive factoring: chunks from measured mean and variance of each worker's tasks",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_chunk_options, &coordinator_options, NULL},
    .state_size = sizeof(struct af_state),
    .init = af_init,
    .fini = af_fini,
    .next = coordinated_next,
    .receive = coordinated_receive,
    .finished = coordinated_finished,
    .restore = coordinated_restore,
    .progress = coordinated_progress,
    .describe = coordinated_describe,
};
