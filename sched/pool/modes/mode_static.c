/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `static`: the seeding is final. No messages; the baseline. */
#include "sched/pool/modes/mode_static.h"

#include "sched/pool/queues/task_ranges.h"

#include <stdio.h>

int static_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    struct static_state *self = state;
    self->seeding = setup->seeding;
    self->worker = comm->rank;
    return STATUS_OK;
}

int static_seed(void *state)
{
    struct static_state *self = state;
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(self->seeding, self->worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(self->seeding, self->worker, i);
        self->n_tasks += taskpool_range_count(&range);
    }
    return STATUS_OK;
}

enum taskpool_mode_step static_next(void *state, struct taskpool_mode_work *work)
{
    struct static_state *self = state;
    if (self->next_range == taskpool_seeding_n_ranges(self->seeding, self->worker))
        return TASKPOOL_MODE_DONE;
    work->range = taskpool_seeding_range(self->seeding, self->worker, self->next_range++);
    return TASKPOOL_MODE_RUN;
}

enum taskpool_mode_step static_restore(void *state)
{
    struct static_state *self = state;
    self->next_range = 0;
    return TASKPOOL_MODE_DONE;
}

double static_progress(const void *state, int64_t n_run)
{
    const struct static_state *self = state;
    return self->n_tasks > 0 ? (double)n_run / (double)self->n_tasks : 1;
}

void static_describe(const void *state, char *text, size_t size)
{
    const struct static_state *self = state;
    snprintf(text, size, "%lld of its %lld ranges of tasks begun, %lld tasks in all",
             (long long)self->next_range,
             (long long)taskpool_seeding_n_ranges(self->seeding, self->worker),
             (long long)self->n_tasks);
}

const struct taskpool_mode mode_static = {
    .name = "static",
    .help = "each worker runs exactly the tasks that it was seeded with",
    .options = (struct taskpool_mode_options *[]){&taskpool_seeding_options, NULL},
    .state_size = sizeof(struct static_state),
    .seeded = true,
    .init = static_init,
    .seed = static_seed,
    .next = static_next,
    .restore = static_restore,
    .progress = static_progress,
    .describe = static_describe,
};
