#include "sched/core/seeding_build.h"

#include "sched/core/settings.h"
#include "support/base/agree.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>

/* The tasks whose owners or costs this process computes. */
static struct task_range own_block(MPI_Comm comm, int64_t n_tasks)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    return task_range_block(n_tasks, size, rank);
}

static enum status sum_costs(const struct taskpool_problem *problem, struct task_range block,
                             double *sum)
{
    *sum = 0;
    for (int64_t task = block.first; task < block.last; task++) {
        double cost = problem->cost(task, problem->context);
        if (!(cost > 0) || !isfinite(cost))
            return FAIL(STATUS_USAGE, "--seeding cost: the predicted cost of task %lld is %g",
                        (long long)task, cost);
        *sum += cost;
    }
    return STATUS_OK;
}

/* boundary[w] = the first task of this block whose middle lies at or beyond the
 * w-th part of the total cost; unchanged if there is none. */
static void find_boundaries(struct seeding *seeding, const struct taskpool_problem *problem,
                            struct task_range block, double before, double total)
{
    int worker = 1;
    for (int64_t task = block.first; task < block.last; task++) {
        double cost = problem->cost(task, problem->context);
        double middle = before + cost / 2;
        while (worker < seeding->n_workers && middle >= total * worker / seeding->n_workers)
            seeding->boundary[worker++] = task;
        before += cost;
    }
}

static enum status init_cost(struct seeding *seeding, MPI_Comm comm,
                             const struct taskpool_problem *problem)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int n_workers = seeding->n_workers;
    struct task_range block = own_block(comm, problem->n_tasks);
    double *sums = malloc((size_t)size * sizeof *sums);
    seeding->boundary = malloc(((size_t)n_workers + 1) * sizeof *seeding->boundary);
    if (!sums)
        die_no_memory("no memory for the costs of %d processes", size);
    enum status status =
        CHECK_MEMORY(seeding->boundary, "no memory for the seeding of %d workers", n_workers);
    double own = 0;
    if (status == STATUS_OK)
        status = sum_costs(problem, block, &own);
    if (status != STATUS_OK)
        own = NAN; /* no sum of costs is */

    /* Every process adds the same numbers in the same order, so that all find the
     * same boundaries. */
    MPI_Allgather(&own, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, comm);
    double before = 0, total = 0;
    for (int process = 0; process < size; process++) {
        before = process == rank ? total : before;
        total += sums[process];
    }
    if (isnan(total)) {
        status = status_agree(comm, status);
        goto done;
    }
    for (int worker = 1; worker <= n_workers; worker++)
        seeding->boundary[worker] = problem->n_tasks;
    seeding->boundary[0] = 0;
    find_boundaries(seeding, problem, block, before, total);
    /* A boundary is found by every process beyond it: the first task counts. */
    MPI_Allreduce(MPI_IN_PLACE, seeding->boundary, n_workers + 1, MPI_INT64_T, MPI_MIN, comm);
done:
    free(sums);
    return status;
}

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
        status = problem->cost ? init_cost(seeding, comm, problem)
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
