/* SPDX-License-Identifier: BSD-3-Clause */
/* How many tasks a thief gets where it has to bring their data (problem.data_costs): as many as end
 * there no later than what is left with the victim, half of them at most. A task is expected to take
 * its predicted cost, in the unit that tasks which ran here have shown, or without costs their mean;
 * until one has run nothing is given. Blocks leave their owner's network card one after another: a
 * victim takes into account those of its own that earlier thieves still have to bring. */
#pragma once

#include "sched/pool/data/data_load.h"
#include "taskpool/mode.h"

/* Zero-initialised: data are not minded. */
struct data_share {
    const struct taskpool_problem *problem; /* borrowed; NULL: data are not minded */
    int worker, n_workers;
    double ran_s, ran_units;   /* of the tasks that ran here, in all iterations: time, and costs, if
                               * above 0, or their number */
    double card_free_s;        /* its own blocks are expected to have left by then */
    int64_t *tasks;            /* scratch: DATA_SHARE_MOST */
    struct data_load of_thief; /* scratch */
};

/* The most tasks that are weighed for a thief. */
enum { DATA_SHARE_MOST = 1024 };

/* problem  borrowed, has data_costs. Errors: STATUS_NO_MEMORY. */
enum status data_share_init(struct data_share *share, const struct taskpool_problem *problem,
                            int worker, int n_workers);
void data_share_fini(struct data_share *share);

/* A task ran here. */
void data_share_ran(struct data_share *share, int64_t task, double time_s);

/* Expected duration of a task on this worker; 0: nothing is known yet. */
double data_share_expect(const struct data_share *share, int64_t task);

/* Tasks that wait with a victim, and a thief. */
struct data_share_request {
    int victim, thief;
    double victim_speed, thief_speed; /* relative */
    int64_t n_waiting;
    int64_t n_listed; /* of them, in share->tasks, the first to be taken first */
    double now_s;
};

/* The number of listed tasks that the thief is to get, by what this worker knows, which is one of the
 * two; a victim notes them as given. */
int64_t data_share_of(struct data_share *share, const struct data_share_request *request);

/* Whether this worker knows how long tasks take. */
static inline bool data_share_knows(const struct data_share *share)
{
    return share->ran_s > 0;
}
