/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/self_scheduling.h"

#include <stdio.h>

static int64_t clamp(int64_t value, int64_t min, int64_t max)
{
    if (value < min)
        return min;
    return value > max ? max : value;
}

int self_scheduling_init(struct self_scheduling *self, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm, const struct self_scheduling_rule *rule)
{
    int64_t n_tasks = setup->problem->n_tasks;
    /* A chunk is limited to n_tasks / workers: so a counter of tasks stays below
     * TASKPOOL_MAX_TASKS + n_tasks, which fits, when all request beyond the end. */
    int64_t share = clamp(n_tasks / comm->size, 1, n_tasks);
    *self = (struct self_scheduling){.rule = rule,
                                     .comm = comm,
                                     .n_tasks = n_tasks,
                                     .n_workers = comm->size,
                                     .min_chunk = clamp(setup->settings->chunk, 1, share)};
    return TASKPOOL_STATUS_OK;
}

enum taskpool_mode_step self_scheduling_next(void *state, struct taskpool_mode_work *work)
{
    struct self_scheduling *self = state;
    if (self->chunk.first < self->chunk.last) {
        work->range = self->chunk;
        self->chunk = (struct taskpool_range){0};
        return TASKPOOL_MODE_RUN;
    }
    if (!self->asking) {
        if (self->handed_out >= self->n_tasks)
            return TASKPOOL_MODE_DONE;
        self->asking = true;
        self->asked_for = self->rule->increment ? self->rule->increment(state) : 1;
        taskpool_comm_fetch_add(self->comm, self->asked_for);
    }
    return TASKPOOL_MODE_SEARCH;
}

void self_scheduling_fetched(void *state, int64_t value)
{
    struct self_scheduling *self = state;
    struct taskpool_range chunk = self->rule->chunk(state, value);
    self->asking = false;
    self->handed_out = chunk.last < self->n_tasks ? chunk.last : self->n_tasks;
    self->chunk =
        (struct taskpool_range){.first = chunk.first, .last = self->handed_out, .step = 1};
}

enum taskpool_mode_step self_scheduling_restore(void *state)
{
    struct self_scheduling *self = state;
    self->handed_out = 0;
    return TASKPOOL_MODE_DONE;
}

double self_scheduling_progress(const void *state, int64_t n_run)
{
    const struct self_scheduling *self = state;
    (void)n_run;
    return self->n_tasks > 0 ? (double)self->handed_out / (double)self->n_tasks : 1;
}

void self_scheduling_describe(const void *state, char *text, size_t size)
{
    const struct self_scheduling *self = state;
    snprintf(text, size, "%lld of %lld tasks known to be handed out, %s",
             (long long)self->handed_out, (long long)self->n_tasks,
             self->asking ? "the counter has not answered" : "no request to the counter");
}
