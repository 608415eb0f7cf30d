/* SPDX-License-Identifier: BSD-3-Clause */
/* The seeding: the tasks that each worker starts with, computed once per pool by all
 * processes together and kept in as few words as the rule allows. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"

#include <mpi.h>

struct taskpool_seeding {
    int rule; /* enum taskpool_seeding_rule */
    int64_t n_tasks;
    int n_workers;
    int64_t *boundary; /* cost: n_workers + 1; worker w gets [boundary[w], boundary[w + 1]) */
    struct task_ranges *owned; /* owner, longest: of the workers of this process */
    int first_owned;           /* the worker of owned[0] */
    int n_owned;
};

void seeding_fini(struct taskpool_seeding *seeding);

/* Collective over comm. The workers are the processes of comm or, if that is
 * one process, any number of them.
 * owner: each process computes the owners of n_tasks / processes tasks and
 *        keeps the ranges of its own workers
 * cost:  blocks of consecutive tasks of about equal predicted cost.
 * Each process computes the costs of n_tasks / processes tasks, or of all if they are few,
 * and keeps at most 32 MB of sums. Errors: STATUS_USAGE (owners or costs are not known, or out of
 * range), STATUS_NO_MEMORY, STATUS_LIMIT (owner: 2^31 ranges or more for one worker);
 * the same on every process; *seeding is then empty. */
enum status seeding_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                         const struct taskpool_problem *problem, int rule, int n_workers);

/* seeding_init for --seeding owner; problem->owner is not NULL. After a failure the caller calls
 * seeding_fini. */
enum status seeding_owner_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                               const struct taskpool_problem *problem);

/* seeding_init for --seeding cost; problem->cost is not NULL. After a failure the caller calls
 * seeding_fini. */
enum status seeding_cost_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                              const struct taskpool_problem *problem);

/* The schedule of a bound (mode.h, is_bound), which knows the machine, but not its noise and data:
 * the longest task first, each to the worker that ends it first if it begins when the worker has
 * ended its earlier tasks. All workers are of this process. Takes
 * O(n_tasks (speeds + log(tasks x workers))) time, where `speeds` is the number of different ones.
 * Source: Graham, SIAM J. Appl. Math. 17 (1969) 416.
 * Not collective. Errors: STATUS_NO_MEMORY; *seeding is then empty. */
enum status seeding_longest_init(struct taskpool_seeding *seeding, int64_t n_tasks,
                                 const struct taskpool_machine *machine);
