/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `wf`: weighted factoring: Hummel, Schmidt, Uma and Wein, SPAA 1996, 318. The batches are
 * those of mode factoring, half of the tasks left R, but the chunk of a worker is in proportion to
 * its speed:
 *     chunk_i = w_i ceil(R / (2 P)),   w_i = P speed_i / sum_j speed_j
 * for P workers, rounded, --chunk at least. Workers come for chunks when they are without tasks, so
 * that one may have several of a batch; the last chunk of a batch is what it has left. The weights
 * are those of --speeds (simulated: --known-speeds); without them the mode is factoring.
 *
 * A chunk depends on who asks: a coordinator hands them out (coordinator.h). */
#include "sched/pool/protocols/coordinator.h"

struct wf_state {
    struct coordinated coordinated; /* first */
    const int64_t *speed_sums;      /* struct taskpool_mode_setup */
    struct weighted_batch batch;
};

static double wf_weight(const struct wf_state *self, int worker)
{
    const int64_t *sums = self->speed_sums;
    int n_workers = self->coordinated.comm->size;
    if (!sums)
        return 1;
    return (double)n_workers * (double)(sums[worker + 1] - sums[worker]) / (double)sums[n_workers];
}

static double wf_chunk(void *state, int worker, int64_t n_left)
{
    struct wf_state *self = state;
    weighted_batch_begin(&self->batch, &self->coordinated, n_left);
    return weighted_batch_take(&self->batch, &self->coordinated, wf_weight(self, worker));
}

static const struct coordinator_rule wf_rule = {.chunk = wf_chunk};

static int wf_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    struct wf_state *self = state;
    coordinated_init(&self->coordinated, setup, comm, &wf_rule);
    self->speed_sums = setup->speed_sums;
    return TASKPOOL_STATUS_OK;
}

const struct taskpool_mode mode_wf = {
    .name = "wf",
    .help = "weighted factoring: factoring with chunks in proportion to the speeds of workers",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, &taskpool_speeds_options,
                                                  &coordinator_options, NULL},
    .state_size = sizeof(struct wf_state),
    .init = wf_init,
    .next = coordinated_next,
    .receive = coordinated_receive,
    .restore = coordinated_restore,
    .progress = coordinated_progress,
    .describe = coordinated_describe,
};
