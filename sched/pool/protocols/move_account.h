/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a task is worth moving to a thief, where tasks take longer elsewhere
 * (taskpool_problem.move_cost): what a worker ran in this iteration, by the durations that its mode
 * is given, and what its tasks took in the last one.
 *
 * Loads are compared, not times. A worker that lags behind a thief because it has run less, for
 * instance because other processes had its core, keeps its tasks as far as it would have run them;
 * only those that its load is larger by are to move. Where durations are wall times both have run
 * as long, and all tasks that wait are such. Of n of them
 *     floor(n / (2 + move_cost))
 * move: the thief then ends no later than the victim, as with half of them if moving is free. */
#pragma once

#include <stdint.h>

/* Zero-initialised: nothing ran, and tasks move freely. */
struct move_account {
    double move_cost; /* in this iteration; 0: tasks move freely */
    int64_t n_tasks;  /* that ran here in this iteration, with */
    double load_s, longest_s;
    double since_s;                 /* a task has been running since then, if one is */
    double last_mean_s, last_max_s; /* of the tasks that ran here in the last iteration */
};

/* The number of tasks by which a victim has to be ahead of a thief for one of them to move. */
double move_account_least_lead(double move_cost);

/* Begins an iteration after the first, at now_s. */
void move_account_begin(struct move_account *account, double move_cost, double now_s);

/* A task that took time_s has ended at now_s. */
void move_account_add(struct move_account *account, double time_s, double now_s);

/* The number of tasks that are worth moving, move_cost > 0, while one task runs.
 * n_waiting  tasks here that a thief could get
 * thief_s    the load of the thief in this iteration */
int64_t move_account_worth(const struct move_account *account, int64_t n_waiting, double thief_s,
                           double now_s);
