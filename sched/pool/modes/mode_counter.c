/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `counter`: a shared counter hands out chunks of the IDs in their order,
 * whatever the seeding, as NWChem does with nxtval (self_scheduling.h).
 *
 * A worker without tasks adds the size of a chunk to the counter and owns the
 * IDs from the value before to the value after. */
#include "sched/pool/protocols/self_scheduling.h"

static int64_t size_of_chunk(const void *state)
{
    const struct self_scheduling *self = state;
    return self->min_chunk;
}

static struct taskpool_range counter_chunk(void *state, int64_t value)
{
    const struct self_scheduling *self = state;
    return (struct taskpool_range){.first = value, .last = value + self->asked_for};
}

static const struct self_scheduling_rule counter_rule = {.increment = size_of_chunk,
                                                         .chunk = counter_chunk};

static int counter_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    return self_scheduling_init(state, setup, comm, &counter_rule);
}

const struct taskpool_mode mode_counter = {
    .name = "counter",
    .help = "a shared counter hands out chunks of tasks",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .state_size = sizeof(struct self_scheduling),
    .init = counter_init,
    .next = self_scheduling_next,
    .fetched = self_scheduling_fetched,
    .restore = self_scheduling_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
