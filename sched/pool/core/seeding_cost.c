/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of consecutive tasks of about equal predicted cost: a boundary lies before the first task
 * whose middle is at or beyond its share of the total, so that no block has more than the average
 * and a task. Each process predicts the costs of its part of the tasks, and finds the boundaries in
 * it by bisection of their prefix sums. */
#include "sched/pool/core/seeding.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "taskpool/taskpool.h"

#include <math.h>
#include <stdlib.h>

/* 32 MB. */
enum { MAX_SUMS = 1 << 22 };

/* With fewer tasks every process had better predict the costs of all than wait for others. */
enum { FEW_TASKS = 4096 };

/* Prefix sums of the costs of a block of tasks, one every `stride` tasks. */
struct cost_sums {
    const struct taskpool_problem *problem; /* borrowed */
    struct taskpool_range block;
    int64_t stride, n;
    double *sums; /* n + 1: cost of the first i x stride tasks, the last one of all */
};

static double predict_cost(const struct cost_sums *self, int64_t task)
{
    return self->problem->cost(task, self->problem->context);
}

static enum status add_costs(struct cost_sums *self)
{
    double sum = 0;
    for (int64_t task = self->block.first; task < self->block.last; task++) {
        double cost = predict_cost(self, task);
        int64_t i = task - self->block.first;
        if (!(cost > 0) || !isfinite(cost))
            return FAIL(STATUS_USAGE, "--seeding cost: task %lld costs %g, not a finite number > 0",
                        (long long)task, cost);
        if (i % self->stride == 0)
            self->sums[i / self->stride] = sum;
        sum += cost;
    }
    self->sums[self->n] = sum;
    return STATUS_OK;
}

static enum status begin_sums(struct cost_sums *self, struct taskpool_seeding *seeding)
{
    int64_t n_tasks = taskpool_range_count(&self->block);
    self->stride = n_tasks > 0 ? (n_tasks - 1) / MAX_SUMS + 1 : 1;
    self->n = (n_tasks + self->stride - 1) / self->stride;
    self->sums = malloc(((size_t)self->n + 1) * sizeof *self->sums);
    seeding->boundary = calloc((size_t)seeding->n_workers + 1, sizeof *seeding->boundary);
    TRY(CHECK_MEMORY(self->sums && seeding->boundary, "no memory for the costs of %lld tasks",
                     (long long)n_tasks));
    return add_costs(self);
}

/* The first task whose middle lies at or beyond a cost, or the end of the block. */
static int64_t find_middle(const struct cost_sums *self, double cost)
{
    int64_t low = 0, high = self->n; /* sums[low] <= cost */
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (self->sums[middle] <= cost)
            low = middle;
        else
            high = middle;
    }
    int64_t task = self->block.first + low * self->stride;
    for (double sum = self->sums[low]; task < self->block.last; task++) {
        double own = predict_cost(self, task);
        if (sum + own / 2 >= cost)
            break;
        sum += own;
    }
    return task;
}

/* Cost of the tasks of the processes before, and of all. */
static void join_costs(MPI_Comm comm, double own, double *before, double *total)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    double *all = malloc((size_t)size * sizeof *all);
    if (!all)
        die_no_memory("no memory for the costs of %d processes", size);
    MPI_Allgather(&own, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, comm);
    for (int process = 0; process < size; process++) {
        *before = process == rank ? *total : *before;
        *total += all[process];
    }
    free(all);
}

static void find_boundaries(const struct cost_sums *self, MPI_Comm comm,
                            struct taskpool_seeding *seeding)
{
    double own = self->sums[self->n], before = 0, total = 0;
    int64_t n_tasks = seeding->n_tasks, n_workers = seeding->n_workers;
    join_costs(comm, own, &before, &total);
    for (int64_t worker = 1; worker <= n_workers; worker++) {
        double share = total * (double)worker / (double)n_workers - before;
        bool is_here = worker < n_workers && share <= own;
        int64_t task = is_here ? find_middle(self, fmax(share, 0)) : n_tasks;
        seeding->boundary[worker] = task == self->block.last ? n_tasks : task;
    }
    /* Processes beyond a boundary find their first task. */
    MPI_Allreduce(MPI_IN_PLACE, seeding->boundary, (int)n_workers + 1, MPI_INT64_T, MPI_MIN, comm);
}

enum status seeding_cost_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                              const struct taskpool_problem *problem)
{
    MPI_Comm parts = problem->n_tasks > FEW_TASKS ? comm : MPI_COMM_SELF;
    int rank, size;
    MPI_Comm_rank(parts, &rank);
    MPI_Comm_size(parts, &size);
    struct cost_sums sums = {.problem = problem,
                             .block = taskpool_range_block(problem->n_tasks, size, rank)};
    enum status status = status_agree(comm, begin_sums(&sums, seeding));
    if (status == STATUS_OK)
        find_boundaries(&sums, parts, seeding);
    free(sums.sums);
    return status;
}
