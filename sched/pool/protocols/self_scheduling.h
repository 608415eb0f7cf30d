/* SPDX-License-Identifier: BSD-3-Clause */
/* Self-scheduling: a worker without tasks takes the next chunk of the IDs, in their order and
 * whatever the seeding, from the shared counter. Common to the modes counter, guided, factoring
 * and trapezoid, which differ in the sizes of the chunks.
 *
 * Mode counter counts tasks. The other modes count chunks, because the size of theirs depends on
 * how many were handed out before: an increment has to be chosen before the answer is known, while
 * the first task of a chunk of a given number can be computed afterwards, by each worker and
 * exactly. */
#pragma once

#include "taskpool/mode.h"

/* Both are called with the state of the mode, which begins with a struct self_scheduling. */
struct self_scheduling_rule {
    /* Increment of the counter by the next request; NULL: 1, the counter counts chunks. */
    int64_t (*increment)(const void *state);

    /* The tasks [first, last) that belong to an answer of the counter. Either may exceed the
     * number of tasks, where it is cut off. */
    struct taskpool_range (*chunk)(void *state, int64_t value);
};

struct self_scheduling {
    const struct self_scheduling_rule *rule; /* borrowed, as comm */
    struct taskpool_comm *comm;
    int64_t n_tasks;
    int64_t n_workers;
    int64_t min_chunk; /* --chunk, but no more than n_tasks / n_workers; at least 1 */

    int64_t handed_out; /* tasks known to be handed out, to any worker */
    int64_t asked_for;  /* the increment of the last request */
    bool asking;
    struct taskpool_range chunk; /* arrived and not begun */
};

/* For init. */
int self_scheduling_init(struct self_scheduling *self, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm, const struct self_scheduling_rule *rule);

/* Entries of struct taskpool_mode. */
enum taskpool_mode_step self_scheduling_next(void *state, struct taskpool_mode_work *work);
void self_scheduling_fetched(void *state, int64_t value);
enum taskpool_mode_step self_scheduling_restore(void *state);
double self_scheduling_progress(const void *state, int64_t n_run);
void self_scheduling_describe(const void *state, char *text, size_t size);
