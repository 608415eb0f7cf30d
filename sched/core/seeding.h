/* Which tasks each worker starts with, worked out once per pool by all
 * processes together and kept in as few words as the rule allows. */
#ifndef BERYL_SCHED_SEEDING_H
#define BERYL_SCHED_SEEDING_H

#include "sched/queues/task_ranges.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

struct taskpool_problem;

struct seeding {
    int rule; /* enum taskpool_seeding */
    int64_t n_tasks;
    int n_workers;
    int64_t *boundary; /* cost: n_workers + 1; worker w has [boundary[w], boundary[w + 1]) */
    struct task_ranges *owned; /* owner: of the workers of this process */
    int first_owned;           /* the worker of owned[0] */
    int n_owned;
};

/* Collective over comm. The workers are the processes of comm or, if that is
 * one process, any number of them.
 * owner: each process asks for the owners of n_tasks / processes tasks and
 *        keeps the ranges of its own workers
 * cost:  blocks of equal predicted cost: task i with cost c_i goes to worker
 *        floor((c_0 + ... + c_{i-1} + c_i / 2) / (sum of all / n_workers)); each
 *        process asks for the costs of n_tasks / processes tasks, twice
 * Errors: STATUS_USAGE (no owners or costs are known, or they are out of
 * range), STATUS_NO_MEMORY, STATUS_LIMIT (owner: 2^31 ranges or more for one worker);
 * the same on every process; *seeding is then empty. */
enum status seeding_init(struct seeding *seeding, MPI_Comm comm,
                         const struct taskpool_problem *problem, int rule, int n_workers);

void seeding_fini(struct seeding *seeding);

/* The part of seeding_init for --seeding owner; problem->owner is not NULL. After a
 * failure the caller calls seeding_fini. */
enum status seeding_owner_init(struct seeding *seeding, MPI_Comm comm,
                               const struct taskpool_problem *problem);

/* The worker's tasks are the ranges [0, seeding_n_ranges), some of them maybe
 * empty. With --seeding owner only for workers of this process. */
int64_t seeding_n_ranges(const struct seeding *seeding, int worker);
struct task_range seeding_range(const struct seeding *seeding, int worker, int64_t i);

#endif
