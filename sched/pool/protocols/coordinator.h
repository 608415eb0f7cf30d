/* SPDX-License-Identifier: BSD-3-Clause */
/* Self-scheduling by a coordinator, for chunks whose size depends on who asks and on what it has
 * measured, which no shared counter can know: modes wf, awf-b and af, which differ in the rule for
 * the size of a chunk. As in DLS4LB (github.com/unibas-dmi-hpc/DLS4LB), worker 0 is the coordinator
 * and works like the others; it hands out the IDs in their order and whatever the seeding. It
 * answers between two tasks, so that others wait for half of one of its own on average.
 *
 * So a worker requests a chunk when --request-when tasks of its last are left, by default 15 % as
 * in DLS4LB, but rounded down: near the end, a task that waits here for its turn is one that nobody
 * else can run. The request has mean and variance of the durations of the tasks that have ended
 * since the last one. A worker requests no more after an empty grant; the coordinator is done when
 * all have had one. */
#pragma once

#include "sched/pool/core/duration_moments.h"
#include "taskpool/mode.h"

/* Smallest mean duration of tasks in rules, below what a clock resolves, so that no rate is infinite. */
#define SHORTEST_MEAN_S 1e-9

/* Both are called on the coordinator alone, with the state of the mode, which begins with a struct
 * coordinated. */
struct coordinator_rule {
    /* The tasks for a worker, of n_left > 0 that are not handed out; any number: it is rounded, and
     * limited to [1, n_left]. */
    double (*chunk)(void *state, int worker, int64_t n_left);

    /* Durations that a worker has measured since its last request, not empty, before the chunk
     * that it requests. NULL: not needed. */
    void (*measured)(void *state, int worker, const struct duration_moments *measured);
};

struct coordinated {
    const struct coordinator_rule *rule; /* borrowed, as comm */
    struct taskpool_comm *comm;
    int64_t n_tasks;
    int64_t min_chunk;    /* --chunk, but no more than n_tasks / workers; at least 1 */
    int64_t request_when; /* --request-when */

    /* A worker. */
    struct taskpool_range chunk; /* not begun */
    int64_t n_at_request;        /* tasks left of it when the next is requested */
    struct taskpool_range ahead; /* the one after it */
    struct duration_moments measured;
    bool asking, exhausted;

    /* The coordinator: the first n_handed_out tasks are handed out. */
    int64_t n_handed_out;
    int n_notified; /* workers that have got an empty grant */
};

/* --request-when: to be listed by the modes. */
extern struct taskpool_mode_options coordinator_options;

/* For init. */
void coordinated_init(struct coordinated *self, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm, const struct coordinator_rule *rule);

static inline bool coordinated_is_coordinator(const struct coordinated *self)
{
    return self->comm->rank == 0;
}

/* Entries of struct taskpool_mode. */
enum taskpool_mode_step coordinated_next(void *state, struct taskpool_mode_work *work);
void coordinated_receive(void *state, int from, const void *message, size_t size);
void coordinated_finished(void *state, int64_t task, double time_s);
enum taskpool_mode_step coordinated_restore(void *state);
double coordinated_progress(const void *state, int64_t n_run);
void coordinated_describe(const void *state, char *text, size_t size);

/* --- batches of weighted chunks, for rules --- */

/* Factoring: a batch has about half of the tasks left when it begins. */
struct weighted_batch {
    int64_t n_left;    /* of the batch */
    double mean_chunk; /* ceil(tasks left / (2 workers)), as in mode factoring */
};

/* Begins a batch if the last is handed out; returns whether it has. */
bool weighted_batch_begin(struct weighted_batch *batch, const struct coordinated *self,
                          int64_t n_left);

/* Takes weight x mean_chunk tasks, rounded, out of the batch: --chunk at least, but no more than
 * it has left. The mean of all weights is 1. */
double weighted_batch_take(struct weighted_batch *batch, const struct coordinated *self,
                           double weight);
