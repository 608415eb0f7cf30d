/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `trapezoid`: trapezoid self-scheduling, TSS(f, l) of Tzen and Ni, IEEE Trans. Parallel
 * Distrib. Syst. 4 (1993) 87. Chunks shrink in equal steps from f = n_tasks / (2 P) tasks, the
 * paper's conservative choice for P workers, to l = --chunk. That makes
 *     n = ceil(2 n_tasks / (f + l))
 * chunks, four for each worker if l is small, and the first task of chunk i is, rounded down,
 *     i f - i (i - 1) (f - l) / (2 (n - 1)).
 * The paper rounds the step down, to none where tasks are few; rounding the first tasks instead
 * keeps the trapezoid. As n is rounded up, the last chunks may lie beyond the last task.
 *
 * Chunks are numbered by the shared counter (self_scheduling.h). */
#include "sched/pool/protocols/self_scheduling.h"
#include "support/base/status.h"

struct trapezoid_state {
    struct self_scheduling scheduling; /* first */
    int64_t first_size, last_size;     /* f, l */
    int64_t n_chunks;
};

/* First task of a chunk; n_tasks from chunk number n_chunks on. */
static int64_t trapezoid_first(const struct trapezoid_state *self, int64_t chunk)
{
    if (chunk >= self->n_chunks)
        return self->scheduling.n_tasks;
    if (chunk == 0)
        return 0;
    /* Up to 8 P n_tasks: too large for 64 bits. */
    __int128 steps = (__int128)chunk * (chunk - 1) * (self->first_size - self->last_size);
    __int128 divisor = 2 * (__int128)(self->n_chunks - 1);
    return (int64_t)((__int128)chunk * self->first_size - (steps + divisor - 1) / divisor);
}

/* The caller sets the step. */
static struct taskpool_range trapezoid_chunk(void *state, int64_t value)
{
    const struct trapezoid_state *self = state;
    return (struct taskpool_range){.first = trapezoid_first(self, value),
                                   .last = trapezoid_first(self, value + 1)};
}

static const struct self_scheduling_rule trapezoid_rule = {.chunk = trapezoid_chunk};

static int trapezoid_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct trapezoid_state *self = state;
    const struct self_scheduling *scheduling = &self->scheduling;
    self_scheduling_init(&self->scheduling, setup, comm, &trapezoid_rule);
    int64_t half = scheduling->n_tasks / (2 * scheduling->n_workers);
    self->last_size = scheduling->min_chunk;
    self->first_size = half > self->last_size ? half : self->last_size;
    __int128 both = (__int128)self->first_size + self->last_size;
    self->n_chunks = (int64_t)((2 * (__int128)scheduling->n_tasks + both - 1) / both);
    return STATUS_OK;
}

const struct taskpool_mode mode_trapezoid = {
    .name = "trapezoid",
    .help = "trapezoid self-scheduling: chunks shrink in equal steps",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .state_size = sizeof(struct trapezoid_state),
    .init = trapezoid_init,
    .next = self_scheduling_next,
    .fetched = self_scheduling_fetched,
    .restore = self_scheduling_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
