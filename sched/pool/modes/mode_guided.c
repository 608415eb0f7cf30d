/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `guided`: guided self-scheduling, GSS(k) of Polychronopoulos and Kuck, IEEE Trans. Comput.
 * 36 (1987) 1425. Of R tasks left a worker without tasks gets ceil(R / P), P the number of
 * workers, but --chunk (their k) at least: equal shares of what is left, so that workers that begin
 * at different times end within a task of each other, if all tasks take the same time.
 *
 * Chunks are numbered by the shared counter (self_scheduling.h). The sizes have no closed form, but
 * each worker can walk from its last chunk to the next: chunks of equal size, many as
 * soon as R < P^2, in one step. In all that takes a worker at most
 * min(n_tasks / P, P ln(n_tasks / P)) steps an iteration, about. */
#include "sched/pool/protocols/self_scheduling.h"

struct guided_state {
    struct self_scheduling scheduling; /* first */
    int64_t chunk;                     /* the number of a chunk: the walk has come to it */
    int64_t first;                     /* its first task */
};

static int64_t ceiling(int64_t value, int64_t divisor)
{
    return value / divisor + (value % divisor > 0);
}

static int64_t guided_size(const struct self_scheduling *scheduling, int64_t n_left)
{
    int64_t size = ceiling(n_left, scheduling->n_workers);
    return size > scheduling->min_chunk ? size : scheduling->min_chunk;
}

/* Chunks from the present one on that have its size: those that begin with more than
 * (size - 1) x P tasks left, or, of the least size, all. */
static int64_t count_same_size(const struct self_scheduling *scheduling, int64_t n_left,
                               int64_t size)
{
    if (size == scheduling->min_chunk)
        return ceiling(n_left, size);
    return ceiling(n_left - (size - 1) * scheduling->n_workers, size);
}

/* The counter's answers to one worker grow, so the walk never goes back. */
static struct taskpool_range guided_chunk(void *state, int64_t value)
{
    struct guided_state *self = state;
    const struct self_scheduling *scheduling = &self->scheduling;
    while (self->chunk < value && self->first < scheduling->n_tasks) {
        int64_t n_left = scheduling->n_tasks - self->first;
        int64_t size = guided_size(scheduling, n_left);
        int64_t n = count_same_size(scheduling, n_left, size);
        if (n > value - self->chunk)
            n = value - self->chunk;
        self->chunk += n;
        self->first += n * size;
    }
    int64_t first = self->first < scheduling->n_tasks ? self->first : scheduling->n_tasks;
    int64_t size = guided_size(scheduling, scheduling->n_tasks - first);
    return (struct taskpool_range){.first = first, .last = first + size};
}

static const struct self_scheduling_rule guided_rule = {.chunk = guided_chunk};

static int guided_init(void *state, const struct taskpool_mode_setup *setup,
                       struct taskpool_comm *comm)
{
    return self_scheduling_init(state, setup, comm, &guided_rule);
}

static enum taskpool_mode_step guided_restore(void *state)
{
    struct guided_state *self = state;
    self->chunk = self->first = 0;
    return self_scheduling_restore(state);
}

const struct taskpool_mode mode_guided = {
    .name = "guided",
    .help = "guided self-scheduling: chunk = remaining tasks / number of workers",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .state_size = sizeof(struct guided_state),
    .init = guided_init,
    .next = self_scheduling_next,
    .fetched = self_scheduling_fetched,
    .restore = guided_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
