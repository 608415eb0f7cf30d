/* SPDX-License-Identifier: BSD-3-Clause */
/* `lpt`, longest processing time first: how fast a schedule could be that knows all durations
 * beforehand and needs no message. A reference schedule to compare the modes with, in simulations
 * only, as no real run has this knowledge: the longest task left goes to the worker that ends it
 * first.
 * The makespan is at most 4/3 of the shortest possible one (Graham, SIAM J. Appl. Math. 17 (1969)
 * 416), if all workers are equally fast. Of the machine it knows the speeds, but neither noise
 * nor the way of data.
 *
 * The schedule is the seeding (seeding_longest_init, seeding.h), which the facade computes
 * from the machine before each iteration; a worker runs it as under mode static. */
#include "sched/pool/modes/mode_static.h"

static enum taskpool_mode_step lpt_restore(void *state)
{
    struct static_state *self = state;
    self->n_tasks = 0;
    static_seed(self); /* counts the new tasks, and cannot fail */
    return static_restore(self);
}

const struct taskpool_mode mode_lpt = {
    .name = "lpt",
    .help = "reference schedule: longest tasks first, with all durations known; simulated only",
    .state_size = sizeof(struct static_state),
    .seeded = true,
    .is_bound = true,
    .init = static_init,
    .seed = static_seed,
    .next = static_next,
    .restore = lpt_restore,
    .progress = static_progress,
    .describe = static_describe,
};
