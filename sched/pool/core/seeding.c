/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/seeding.h"

#include "taskpool/taskpool.h"
#include <stdlib.h>

enum status seeding_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                         const struct taskpool_problem *problem, int rule, int n_workers)
{
    *seeding = (struct taskpool_seeding){
        .rule = rule, .n_tasks = problem->n_tasks, .n_workers = n_workers};
    enum status status = STATUS_OK;
    if (rule == TASKPOOL_SEEDING_OWNER)
        status = problem->owner
                     ? seeding_owner_init(seeding, comm, problem)
                     : FAIL(STATUS_USAGE,
                            "--seeding owner: these tasks have no owner (problem.owner); use block,"
                            " cyclic or cost");
    else if (rule == TASKPOOL_SEEDING_COST)
        status = problem->cost ? seeding_cost_init(seeding, comm, problem)
                               : FAIL(STATUS_USAGE, "--seeding cost: the cost of these tasks is not"
                                                    " predicted; use block, cyclic or owner");
    if (status != STATUS_OK)
        seeding_fini(seeding);
    return status;
}

void seeding_fini(struct taskpool_seeding *seeding)
{
    for (int i = 0; i < seeding->n_owned; i++)
        task_ranges_fini(&seeding->owned[i]);
    free(seeding->owned);
    free(seeding->boundary);
    *seeding = (struct taskpool_seeding){0};
}

int64_t taskpool_seeding_n_ranges(const struct taskpool_seeding *seeding, int worker)
{
    return seeding->owned ? seeding->owned[worker - seeding->first_owned].n : 1;
}

struct taskpool_range taskpool_seeding_range(const struct taskpool_seeding *seeding, int worker,
                                             int64_t i)
{
    switch ((enum taskpool_seeding_rule)seeding->rule) {
    case TASKPOOL_SEEDING_OWNER:
    case TASKPOOL_SEEDING_LONGEST:
        return seeding->owned[worker - seeding->first_owned].list[i];
    case TASKPOOL_SEEDING_COST:
        return (struct taskpool_range){
            .first = seeding->boundary[worker], .last = seeding->boundary[worker + 1], .step = 1};
    case TASKPOOL_SEEDING_CYCLIC:
        return (struct taskpool_range){
            .first = worker, .last = seeding->n_tasks, .step = seeding->n_workers};
    case TASKPOOL_SEEDING_BLOCK:
    case TASKPOOL_SEEDING_BY_MODE:
        break;
    }
    return taskpool_range_block(seeding->n_tasks, seeding->n_workers, worker);
}
