/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/data/first_placement.h"

#include "sched/pool/data/data_costs.h"

#include <math.h>
#include <stdlib.h>

/* The placement in blocks of even cost, as far as it has been gone through. */
struct block_moves {
    const struct taskpool_data_costs *costs;
    int n_workers;
    double even_s; /* what a worker's tasks take at most: thieves take what is above */
    int worker;    /* the last one, and the seconds of its tasks and of their moves */
    double tasks_s, moves_s;
    double slowest_s; /* of one worker, both together */
    double *card_s;   /* of each node: its network card sends its own data, and receives others' */
    double busiest_s; /* of these the longest */
    int *last_worker; /* of each block: worker and node that had it last, + 1; 0: none */
    int *last_node;
    double *last_bytes; /* of each block: `bytes` when that worker needed it last */
    double bytes;       /* that workers have brought; of all tasks, beyond 64 bits */
};

/* Adds the predicted seconds of each task to the load of its owner.
 * sum_s  out: of all tasks */
static enum status add_owned_loads(const struct taskpool_problem *problem, int n_workers,
                                   double *load_s, struct first_placement *placement, double *sum_s)
{
    const double unit_s = problem->data_costs->cost_unit_s;
    double longest_s = 0;
    *sum_s = 0;
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        int owner = problem->owner(task, n_workers, problem->context);
        double task_s = unit_s * problem->cost(task, problem->context);
        if (owner < 0 || owner >= n_workers)
            return FAIL(STATUS_USAGE, "the owner of task %lld is worker %d of %d", (long long)task,
                        owner, n_workers);
        load_s[owner] += task_s;
        *sum_s += task_s;
        longest_s = fmax(longest_s, task_s);
        placement->owners_s = fmax(placement->owners_s, load_s[owner]);
    }
    placement->blocks_s = fmax(*sum_s / n_workers, longest_s);
    return STATUS_OK;
}

static void add_to_card(struct block_moves *self, int worker, double seconds)
{
    double *card_s = &self->card_s[worker / self->costs->node_size];
    *card_s += seconds;
    self->busiest_s = fmax(self->busiest_s, *card_s);
}

/* Whether the node's memory still has a block that its worker needed last: there is room for it and for what
 * the worker has brought since, and for as much of each of the others. */
static bool still_has(const struct block_moves *self, int64_t block)
{
    const struct taskpool_data_costs *costs = self->costs;
    bool is_one_node = costs->node_size == 0 || costs->node_size > self->n_workers;
    double n_mates = is_one_node ? self->n_workers : costs->node_size;
    double since = self->bytes - self->last_bytes[block];
    return n_mates * ((double)costs->data->blocks[block].bytes + since) <=
           (double)costs->cache_bytes;
}

/* Workers come in ascending order, so that the last one that had a block tells whether this one has. */
static void add_access(struct block_moves *self, const struct taskpool_data_access *access,
                       int worker)
{
    const struct taskpool_data_costs *costs = self->costs;
    const int64_t block = access->block, bytes = costs->data->blocks[block].bytes;
    int owner = data_block_owner(&costs->data->blocks[block], self->n_workers);
    bool is_kept = data_costs_keeps(costs, block);
    bool is_near = data_costs_are_near(costs, owner, worker);
    if (owner == worker)
        return;
    bool is_again = self->last_worker[block] == worker + 1;
    bool is_there = is_kept && is_again && still_has(self, block);
    self->bytes += is_there ? 0 : (double)bytes;
    self->last_worker[block] = worker + 1;
    self->last_bytes[block] = self->bytes;
    if (is_there)
        return;
    self->moves_s += data_costs_of_move(costs, bytes, is_near);
    if (is_near || costs->bandwidth == 0)
        return;
    int node = worker / costs->node_size;
    if (!is_kept || is_again || self->last_node[block] != node + 1) {
        add_to_card(self, owner, (double)bytes / costs->bandwidth);
        add_to_card(self, worker, (double)bytes / costs->bandwidth);
    }
    self->last_node[block] = node + 1;
}

static void add_task(struct block_moves *self, int64_t task, double task_s, int worker)
{
    int64_t n;
    const struct taskpool_data_access *accesses = task_data_of(self->costs->data, task, &n);
    if (worker != self->worker)
        self->tasks_s = self->moves_s = 0;
    self->worker = worker;
    self->tasks_s += task_s;
    for (int64_t a = 0; a < n; a++)
        add_access(self, &accesses[a], worker);
    self->slowest_s = fmax(self->slowest_s, fmin(self->tasks_s, self->even_s) + self->moves_s);
}

static void add_block_moves(const struct taskpool_problem *problem, double sum_s,
                            struct block_moves *self)
{
    const double unit_s = self->costs->cost_unit_s;
    double before_s = 0;
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        double task_s = unit_s * problem->cost(task, problem->context);
        int worker = sum_s > 0 ? (int)(before_s / sum_s * self->n_workers) : 0;
        worker = worker < self->n_workers ? worker : self->n_workers - 1;
        add_task(self, task, task_s, worker);
        before_s += task_s;
    }
}

enum status first_placement_estimate(const struct taskpool_problem *problem, int n_workers,
                                     struct first_placement *placement)
{
    const struct taskpool_data_costs *costs = problem->data_costs;
    size_t n_blocks = (size_t)costs->data->n_blocks + 1;
    double *load_s = calloc((size_t)n_workers, sizeof *load_s), sum_s;
    struct block_moves moves = {.costs = costs,
                                .n_workers = n_workers,
                                .card_s = calloc((size_t)n_workers, sizeof *moves.card_s),
                                .last_worker = calloc(n_blocks, sizeof *moves.last_worker),
                                .last_node = calloc(n_blocks, sizeof *moves.last_node),
                                .last_bytes = calloc(n_blocks, sizeof *moves.last_bytes)};
    *placement = (struct first_placement){0};
    enum status status = CHECK_MEMORY(load_s && moves.card_s && moves.last_worker &&
                                          moves.last_node && moves.last_bytes,
                                      "no memory for the loads of %d workers", n_workers);
    if (status == STATUS_OK)
        status = add_owned_loads(problem, n_workers, load_s, placement, &sum_s);
    if (status != STATUS_OK)
        goto done;
    moves.even_s = placement->blocks_s;
    add_block_moves(problem, sum_s, &moves);
    placement->blocks_s = fmax(fmax(moves.even_s, moves.slowest_s), moves.busiest_s);
done:
    free(load_s);
    free(moves.card_s);
    free(moves.last_worker);
    free(moves.last_node);
    free(moves.last_bytes);
    return status;
}
