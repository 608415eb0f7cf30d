#include "sched/pool/core/seeding_build.h"

#include "sched/pool/core/settings.h"
#include <stdlib.h>

enum status seeding_init(struct seeding *seeding, MPI_Comm comm,
                         const struct taskpool_problem *problem, int rule, int n_workers)
{
    *seeding = (struct seeding){.rule = rule, .n_tasks = problem->n_tasks, .n_workers = n_workers};
    enum status status = STATUS_OK;
    if (rule == SEEDING_OWNER)
        status = problem->owner
                     ? seeding_owner_init(seeding, comm, problem)
                     : FAIL(STATUS_USAGE, "--seeding owner: these tasks have no owner; use block,"
                                          " cyclic or cost");
    else if (rule == SEEDING_COST)
        status = problem->cost ? seeding_cost_init(seeding, comm, problem)
                               : FAIL(STATUS_USAGE, "--seeding cost: the cost of these tasks is not"
                                                    " predicted; use block, cyclic or owner");
    if (status != STATUS_OK)
        seeding_fini(seeding);
    return status;
}

void seeding_fini(struct seeding *seeding)
{
    for (int i = 0; i < seeding->n_owned; i++)
        task_ranges_fini(&seeding->owned[i]);
    free(seeding->owned);
    free(seeding->boundary);
    *seeding = (struct seeding){0};
}

int64_t seeding_n_ranges(const struct seeding *seeding, int worker)
{
    return seeding->owned ? seeding->owned[worker - seeding->first_owned].n : 1;
}

struct task_range seeding_range(const struct seeding *seeding, int worker, int64_t i)
{
    switch ((enum taskpool_seeding)seeding->rule) {
    case SEEDING_OWNER:
    case SEEDING_LONGEST:
        return seeding->owned[worker - seeding->first_owned].list[i];
    case SEEDING_COST:
        return (struct task_range){
            .first = seeding->boundary[worker], .last = seeding->boundary[worker + 1], .step = 1};
    case SEEDING_CYCLIC:
        return (struct task_range){
            .first = worker, .last = seeding->n_tasks, .step = seeding->n_workers};
    case SEEDING_BLOCK:
        break;
    }
    return task_range_block(seeding->n_tasks, seeding->n_workers, worker);
}
