/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured balancing, the common part of the modes persist, retentive and auto: tasks are timed where they
 * run, and between iterations a balancer moves some of them, so that the workers' loads
 * are even if tasks take as long as they did, or elsewhere as long as that is by the workers'
 * speeds. */
#pragma once

#include "sched/pool/balancing/balancer.h"
#include "sched/pool/protocols/stealing.h"
#include "sched/pool/protocols/theft_gain.h"
#include "sched/pool/queues/duration_bins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured_balance_settings {
    bool refine; /* by pairs of workers */
};

/* For modes that leave the choice to their users. */
extern struct taskpool_mode_options measured_balance_options;

struct measured_balance {
    struct stealing stealing; /* first: entries of the mode's table are stealing's own */
    struct ran_tasks ran;     /* here; after balancing those that are to run here */
    struct learned_speeds speeds;
    struct balancer balancer;
    struct data_placement placement;
    struct theft_gain thefts;
    bool balancing; /* a phase has begun and is not finished: speeds are learned, then tasks move */
    bool moving;
    bool minds_costs; /* predicted costs say what tasks take, in addition to durations */
    double end_s;     /* from this worker's last task to the end, in the last iteration that
                     * stole */
};

/* setup, comm  borrowed
 * rules        copied, but for the seed, which is that of the settings
 * notes_tasks  stealing notes the tasks that run, long ones with durations; else
 *              measured_balance_finished is called for every task
 * Errors: those of stealing_init. */
enum status measured_balance_init(struct measured_balance *measured,
                                  const struct taskpool_mode_setup *setup,
                                  struct taskpool_comm *comm, const struct balancer_rules *rules,
                                  bool notes_tasks);

/* One call of the mode's restore: begins or continues balancing; whether it is finished. */
bool measured_balance_balance(struct measured_balance *measured);

/* In place of balancing, likewise: speeds are learned, but every worker keeps its tasks. What they take next shows
 * how well durations predict. */
bool measured_balance_keep(struct measured_balance *measured);

/* Begins the next iteration with the tasks of `ran`, which is emptied.
 * steals         workers without tasks steal
 * longest_first  tasks run in this order; else in the order in which they ran, followed by
 *                those from other workers
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (--deque). */
enum status measured_balance_begin(struct measured_balance *measured, bool steals,
                                   bool longest_first);

/* Before the first iteration, or after measured_balance_begin: a task of the worker that is not in `ran`. */
void measured_balance_note_begun(struct measured_balance *measured, int64_t task);

/* Entries of struct taskpool_mode, for modes whose state begins with a struct measured_balance. */
void measured_balance_fini(void *state);
enum taskpool_mode_step measured_balance_next(void *state, struct taskpool_mode_work *work);
bool measured_balance_next_local(void *state, struct taskpool_mode_work *work);
int measured_balance_seed(void *state);
void measured_balance_receive(void *state, int from, const void *message, size_t size);
void measured_balance_sent(void *state, int64_t token);
void measured_balance_finished(void *state, int64_t task, double time_s);
