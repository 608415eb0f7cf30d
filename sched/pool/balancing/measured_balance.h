/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured balancing, the common part of the modes retentive, persist and auto, in static pools.
 * Tasks are timed where they run. Between iterations a balancer moves some of them, so that loads
 * are even if every task is as much work as in the last iteration.
 *
 * Where tasks keep data (taskpool_problem.tasks_keep_data) the first iteration's durations do not
 * count: in the second one tasks stay, and find what they kept. No iteration but the first steals.
 * Tasks move only where the largest load exceeds the best possible by KEPT_EXCESS. Speeds are not
 * learned: a task that has lost its data is slow on any worker. Nor are they where tasks wait for
 * blocks, near on one node and far on another. */
#pragma once

#include "sched/pool/balancing/balancer.h"
#include "sched/pool/protocols/stealing.h"
#include "sched/pool/queues/duration_bins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured_balance {
    struct stealing stealing;  /* first: entries of the mode's table are stealing's own */
    struct duration_bins bins; /* tasks that ran here; after balancing those that are to run here */
    struct worker_speed speed;
    bool learns_speed;
    struct balancer balancer;
    bool balancing;       /* a phase has begun and is not finished */
    int64_t n_iterations; /* finished */
};

/* Rules of mode persist without options. */
extern const struct balancer_rules balancer_by_default;

/* setup, comm  borrowed
 * rules        copied, but for seed, least_excess and as_published
 * Errors: as stealing_init. */
enum status measured_balance_init(struct measured_balance *measured,
                                  const struct taskpool_mode_setup *setup,
                                  struct taskpool_comm *comm, const struct balancer_rules *rules);

/* One call of the mode's restore: counts the iteration, and begins or continues balancing; whether
 * it is finished.
 * first  the iteration, from 1 on, after which tasks may move */
bool measured_balance_step(struct measured_balance *measured, int64_t first);

/* Begins the next iteration with the tasks of bins, which are emptied.
 * steals         workers without tasks steal, unless tasks keep data
 * longest_first  tasks run in this order; else in the order in which they ran, followed by
 *                those from other workers
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (--deque). */
enum status measured_balance_begin(struct measured_balance *measured, bool steals,
                                   bool longest_first);

/* Entries of struct taskpool_mode, for modes whose state begins with a struct measured_balance. */
void measured_balance_fini(void *state);
void measured_balance_receive(void *state, int from, const void *message, size_t size);
void measured_balance_sent(void *state, int64_t token);
void measured_balance_finished(void *state, int64_t task, double time_s);
