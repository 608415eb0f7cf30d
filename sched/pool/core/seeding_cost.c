/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of consecutive tasks whose largest predicted cost is as small as it can be.
 *
 * The least bound that n_workers blocks can keep is found by exact bisection: with a given bound
 * every block takes as many tasks as it may. If that takes too many blocks, the least cost of a
 * block with one task more is the next bound worth a trial; if not, the largest block is a
 * better bound. As whole processes pass before the next knows where its first block begins,
 * several bounds are tried at once.
 * Source: Pinar, Aykanat, J. Parallel Distrib. Comput. 64 (2004) 974.
 *
 * Many partitions keep the bound. If blocks of equal numbers of tasks do, these are taken:
 * where costs do not tell tasks apart, nothing is gained by leaving them. Else
 * every boundary is as near as possible to where equal shares of the cost would have it. */
#include "sched/pool/core/cost_sums.h"
#include "sched/pool/core/seeding.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "taskpool/taskpool.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Bounds tried at once by several processes; pools of so few tasks that every process had
 * better predict the costs of all than wait for others. */
enum { N_TRIALS = 32, FEW_TASKS = 4096 };

/* Sums of costs are rounded; not by so much. */
#define ROUNDING 1e-10

/* One bound, as it passes from process to process. */
struct bound_trial {
    struct cost_limit limit; /* carry: of the block that is not complete */
    int64_t n_complete;      /* blocks; n_workers: tasks are left */
    double largest;          /* block */
    double next_bound;       /* the least cost of a complete block with one more task */
};

/* A worker's block as it passes from process to process, on the way up or down. */
struct open_block {
    int64_t worker;
    double carry;
};

struct cost_partition {
    MPI_Comm comm;
    int rank, size;
    int n_workers;
    int64_t n_tasks;
    struct cost_sums costs; /* of the tasks of this process */
    double before, total;   /* cost of the tasks of the processes before, of all */
    double bound;           /* the largest block */
    int64_t *shares;        /* n_workers + 1, as the following: boundaries of equal shares */
    int64_t *earliest;      /* boundaries: after them there is no room for more */
};

/* --- the least bound --- */

static void fill_blocks(const struct cost_partition *self, struct bound_trial *trial)
{
    struct cost_position begin = cost_sums_begin(&self->costs);
    while (trial->n_complete < self->n_workers) {
        double beyond = INFINITY;
        struct cost_position end = cost_sums_reach(&self->costs, begin, trial->limit, &beyond);
        double cost = trial->limit.carry + (end.sum - begin.sum);
        trial->limit.carry = cost;
        if (end.task == self->costs.block.last)
            return;
        trial->largest = fmax(trial->largest, cost);
        trial->next_bound = fmin(trial->next_bound, beyond);
        trial->limit.carry = 0;
        trial->n_complete++;
        begin = end;
    }
}

/* Passes what the process before left to this one, and then what this one left, on. */
static void try_bounds(const struct cost_partition *self, struct bound_trial *trials, int n)
{
    int size = n * (int)sizeof *trials;
    if (self->rank > 0)
        MPI_Recv(trials, size, MPI_BYTE, self->rank - 1, 0, self->comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
        fill_blocks(self, &trials[i]);
    if (self->rank < self->size - 1)
        MPI_Send(trials, size, MPI_BYTE, self->rank + 1, 0, self->comm);
    MPI_Bcast(trials, size, MPI_BYTE, self->size - 1, self->comm);
}

/* low, high  no partition keeps a bound below; one keeps `high` */
static double find_least_bound(const struct cost_partition *self, double low, double high)
{
    struct bound_trial trials[N_TRIALS];
    int n = self->size > 1 ? N_TRIALS : 1;
    while (high - low > ROUNDING * high) {
        for (int i = 0; i < n; i++)
            trials[i] = (struct bound_trial){.limit.bound = low + (high - low) * (i + 1) / (n + 1),
                                             .next_bound = high};
        try_bounds(self, trials, n);
        for (int i = 0; i < n; i++) {
            if (trials[i].n_complete < self->n_workers) {
                high = fmax(trials[i].largest, trials[i].limit.carry);
                break;
            }
            low = fmax(low, trials[i].next_bound);
        }
    }
    return high;
}

/* The largest of the blocks of equal numbers of the workers of this process. */
static double find_largest_block(const struct cost_partition *self)
{
    double largest = 0;
    assert(self->size == 1 || self->size == self->n_workers);
    if (self->size > 1)
        return cost_sums_end(&self->costs).sum;
    for (int worker = 0; worker < self->n_workers; worker++) {
        struct taskpool_range range = taskpool_range_block(self->n_tasks, self->n_workers, worker);
        double begin = cost_sums_at(&self->costs, range.first).sum;
        largest = fmax(largest, cost_sums_at(&self->costs, range.last).sum - begin);
    }
    return largest;
}

/* --- boundaries --- */

/* The first task whose middle lies at or beyond the w-th share of the total cost. */
static void find_shares(const struct cost_partition *self)
{
    double own = cost_sums_end(&self->costs).sum;
    for (int worker = 1; worker < self->n_workers; worker++) {
        double sum = self->total * worker / self->n_workers - self->before;
        self->shares[worker] = sum <= own ? cost_sums_nearest(&self->costs, fmax(sum, 0)).task
                                          : self->costs.block.last;
        if (self->shares[worker] == self->costs.block.last)
            self->shares[worker] = self->n_tasks; /* another process finds it */
    }
    self->shares[self->n_workers] = self->n_tasks;
    /* A boundary is found by every process beyond it: the first task counts. */
    MPI_Allreduce(MPI_IN_PLACE, self->shares, self->n_workers + 1, MPI_INT64_T, MPI_MIN,
                  self->comm);
}

/* From the last worker to the first every block takes as many tasks as it may. */
static void find_earliest(const struct cost_partition *self)
{
    const struct cost_sums *costs = &self->costs;
    struct open_block open = {.worker = self->n_workers - 1};
    if (self->rank < self->size - 1)
        MPI_Recv(&open, sizeof open, MPI_BYTE, self->rank + 1, 0, self->comm, MPI_STATUS_IGNORE);
    struct cost_position end = cost_sums_end(costs);
    while (open.worker > 0) {
        struct cost_limit limit = {.carry = open.carry, .bound = self->bound};
        struct cost_position begin = cost_sums_reach_back(costs, end, limit);
        open.carry += end.sum - begin.sum;
        if (begin.task == costs->block.first)
            break;
        self->earliest[open.worker--] = begin.task;
        open.carry = 0;
        end = begin;
    }
    if (self->rank > 0)
        MPI_Send(&open, sizeof open, MPI_BYTE, self->rank - 1, 0, self->comm);
    MPI_Allreduce(MPI_IN_PLACE, self->earliest, self->n_workers + 1, MPI_INT64_T, MPI_MAX,
                  self->comm);
}

/* From the first worker to the last every block ends as near to its share as bound and earliest
 * boundary let it. */
static void place_boundaries(const struct cost_partition *self, int64_t *boundary)
{
    const struct cost_sums *costs = &self->costs;
    struct open_block open = {0};
    if (self->rank > 0)
        MPI_Recv(&open, sizeof open, MPI_BYTE, self->rank - 1, 0, self->comm, MPI_STATUS_IGNORE);
    struct cost_position begin = cost_sums_begin(costs);
    while (open.worker < self->n_workers - 1) {
        int64_t share = self->shares[open.worker + 1], least = self->earliest[open.worker + 1];
        int64_t goal = share > least ? share : least;
        struct cost_limit limit = {.carry = open.carry, .bound = self->bound};
        double beyond;
        struct cost_position end = cost_sums_reach(costs, begin, limit, &beyond);
        if (goal < end.task)
            end = cost_sums_at(costs, goal > begin.task ? goal : begin.task);
        open.carry += end.sum - begin.sum;
        begin = end;
        if (end.task == costs->block.last && goal > end.task)
            break;
        boundary[++open.worker] = end.task;
        open.carry = 0;
    }
    if (self->rank < self->size - 1)
        MPI_Send(&open, sizeof open, MPI_BYTE, self->rank + 1, 0, self->comm);
    boundary[self->n_workers] = self->n_tasks;
    MPI_Allreduce(MPI_IN_PLACE, boundary, self->n_workers + 1, MPI_INT64_T, MPI_MAX, self->comm);
}

/* --- all together --- */

static enum status allocate_boundaries(struct cost_partition *self,
                                       struct taskpool_seeding *seeding)
{
    size_t n = (size_t)self->n_workers + 1;
    self->shares = calloc(n, sizeof *self->shares);
    self->earliest = calloc(n, sizeof *self->earliest);
    seeding->boundary = calloc(n, sizeof *seeding->boundary);
    return CHECK_MEMORY(self->shares && self->earliest && seeding->boundary,
                        "no memory for the seeding of %d workers", self->n_workers);
}

/* Every process adds the same numbers in the same order, so that all find the same bound.
 * longest, largest_block  out, of all tasks and of all blocks of equal numbers */
static void join_costs(struct cost_partition *self, double *longest, double *largest_block)
{
    const double own[] = {cost_sums_end(&self->costs).sum, self->costs.largest,
                          find_largest_block(self)};
    double(*all)[3] = malloc((size_t)self->size * sizeof *all);
    if (!all)
        die_no_memory("no memory for the costs of %d processes", self->size);
    MPI_Allgather(own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, self->comm);
    for (int process = 0; process < self->size; process++) {
        self->before = process == self->rank ? self->total : self->before;
        self->total += all[process][0];
        *longest = fmax(*longest, all[process][1]);
        *largest_block = fmax(*largest_block, all[process][2]);
    }
    free(all);
}

static void partition_tasks(struct cost_partition *self, struct taskpool_seeding *seeding)
{
    double longest = 0, largest_block = 0;
    join_costs(self, &longest, &largest_block);
    double share = self->total / self->n_workers;
    double enough = fmin(largest_block, (share + longest) * (1 + ROUNDING));
    self->bound = find_least_bound(self, fmax(share, longest), enough) * (1 + ROUNDING);
    if (largest_block <= self->bound) {
        seeding->rule = TASKPOOL_SEEDING_BLOCK;
        return;
    }
    find_shares(self);
    find_earliest(self);
    place_boundaries(self, seeding->boundary);
}

static enum status prepare_partition(struct cost_partition *self,
                                     const struct taskpool_problem *problem,
                                     struct taskpool_seeding *seeding)
{
    struct taskpool_range own = taskpool_range_block(problem->n_tasks, self->size, self->rank);
    TRY(cost_sums_init(&self->costs, problem, own));
    return allocate_boundaries(self, seeding);
}

enum status seeding_cost_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                              const struct taskpool_problem *problem)
{
    struct cost_partition self = {.comm = problem->n_tasks > FEW_TASKS ? comm : MPI_COMM_SELF,
                                  .n_workers = seeding->n_workers,
                                  .n_tasks = problem->n_tasks};
    MPI_Comm_rank(self.comm, &self.rank);
    MPI_Comm_size(self.comm, &self.size);
    enum status status = status_agree(comm, prepare_partition(&self, problem, seeding));
    if (status != STATUS_OK)
        goto done;
    partition_tasks(&self, seeding);
done:
    cost_sums_fini(&self.costs);
    free(self.shares);
    free(self.earliest);
    return status;
}
