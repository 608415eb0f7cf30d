/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/data/first_placement.h"

#include "sched/pool/data/data_costs.h"

#include <math.h>
#include <stdlib.h>

/* Adds the predicted seconds of each task to the load of its owner. */
static enum status add_owned_loads(const struct taskpool_problem *problem, int n_workers,
                                   double *load_s, struct first_placement *placement)
{
    const double unit_s = problem->data_costs->cost_unit_s;
    double sum_s = 0, longest_s = 0;
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        int owner = problem->owner(task, n_workers, problem->context);
        double task_s = unit_s * problem->cost(task, problem->context);
        if (owner < 0 || owner >= n_workers)
            return FAIL(STATUS_USAGE, "the owner of task %lld is worker %d of %d", (long long)task,
                        owner, n_workers);
        load_s[owner] += task_s;
        sum_s += task_s;
        longest_s = fmax(longest_s, task_s);
        placement->owners_s = fmax(placement->owners_s, load_s[owner]);
    }
    placement->blocks_s = fmax(sum_s / n_workers, longest_s);
    return STATUS_OK;
}

/* What moves of blocks take. */
struct moves_away {
    double seconds;   /* of all workers together */
    double *card_s;   /* of each node: its network card is busy with its own blocks */
    double busiest_s; /* of these the longest */
};

/* n moves of a block. */
static void add_moves(const struct taskpool_data_costs *costs, int n_workers, int64_t block,
                      int64_t n, struct moves_away *moves)
{
    const bool is_near = costs->node_size == 0 || costs->node_size >= n_workers;
    const struct taskpool_data_block *moved = &costs->data->blocks[block];
    moves->seconds += (double)n * data_costs_of_move(costs, moved->bytes, is_near);
    if (is_near || costs->bandwidth == 0)
        return;
    double *card_s = &moves->card_s[data_block_owner(moved, n_workers) / costs->node_size];
    *card_s += (double)n * (double)moved->bytes / costs->bandwidth;
    moves->busiest_s = fmax(moves->busiest_s, *card_s);
}

/* Of all moves where no task runs with the owner of its data; n_moves: scratch for each block, zero. */
static void sum_moves_away(const struct taskpool_data_costs *costs, int n_workers, int64_t *n_moves,
                           struct moves_away *moves)
{
    const struct taskpool_data *data = costs->data;
    for (int64_t a = 0; a < data->first[data->n_tasks]; a++)
        n_moves[data->accesses[a].block]++;
    for (int64_t i = 0; i < data->n_blocks; i++) {
        bool is_less = data_costs_keeps(costs, i) && n_moves[i] > n_workers;
        add_moves(costs, n_workers, i, is_less ? n_workers : n_moves[i], moves);
    }
}

enum status first_placement_estimate(const struct taskpool_problem *problem, int n_workers,
                                     struct first_placement *placement)
{
    const struct taskpool_data_costs *costs = problem->data_costs;
    struct moves_away moves = {.card_s = calloc((size_t)n_workers, sizeof *moves.card_s)};
    double *load_s = calloc((size_t)n_workers, sizeof *load_s);
    int64_t *n_moves = calloc((size_t)costs->data->n_blocks + 1, sizeof *n_moves);
    *placement = (struct first_placement){0};
    enum status status = CHECK_MEMORY(load_s && n_moves && moves.card_s,
                                      "no memory for the loads of %d workers", n_workers);
    if (status != STATUS_OK)
        goto done;
    status = add_owned_loads(problem, n_workers, load_s, placement);
    sum_moves_away(costs, n_workers, n_moves, &moves);
    placement->blocks_s = fmax(placement->blocks_s + moves.seconds / n_workers, moves.busiest_s);
done:
    free(moves.card_s);
    free(load_s);
    free(n_moves);
    return status;
}
