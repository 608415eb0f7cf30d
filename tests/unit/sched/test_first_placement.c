/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted seconds of the first iteration with tasks at the owners of their data, and in blocks of even
 * cost, against sums by hand. */
#include "sched/pool/data/first_placement.h"
#include "tests/check.h"

/* Task i costs i + 1 units and reads block i % 2, which worker i % 2 owns; of four workers on two nodes
 * the first two own nothing else. */
enum { N_TASKS = 6, N_BLOCKS = 2, N_WORKERS = 4 };

static struct taskpool_data_block blocks[N_BLOCKS] = {{.bytes = 100, .owner = 0},
                                                      {.bytes = 300, .owner = 1}};
static struct taskpool_data_access accesses[N_TASKS] = {{0, false}, {1, false}, {0, false},
                                                        {1, false}, {0, false}, {1, false}};
static int64_t first[N_TASKS + 1] = {0, 1, 2, 3, 4, 5, 6};
static struct taskpool_data data = {.n_blocks = N_BLOCKS,
                                    .blocks = blocks,
                                    .n_tasks = N_TASKS,
                                    .first = first,
                                    .accesses = accesses};

static int owner_of_case(int64_t task, int n_workers, void *context)
{
    (void)context;
    return (int)(task % 2) % n_workers;
}

static double cost[N_TASKS] = {1, 2, 3, 4, 5, 6};

static double cost_of_case(int64_t task, void *context)
{
    (void)context;
    return cost[task];
}

static struct first_placement estimate(struct taskpool_data_costs *costs)
{
    struct first_placement placement;
    costs->data = &data;
    struct taskpool_problem problem = {
        .n_tasks = N_TASKS, .owner = owner_of_case, .cost = cost_of_case, .data_costs = costs};
    check_ok(first_placement_estimate(&problem, N_WORKERS, &placement));
    return placement;
}

static void test_loads_of_owners_and_of_blocks(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {.cost_unit_s = 2};
    struct first_placement free_moves = estimate(&costs);
    check_close(free_moves.owners_s, 2 * (2 + 4 + 6), 1e-12);
    check_close(free_moves.blocks_s, 2 * 6, 1e-12); /* the longest task; the average is 10.5 */
}

/* Costs 1 to 6 of 21 in quarters: tasks 0 to 3 begin before half of the cost, with workers 0, 0, 0 and 1,
 * the others with workers 1 and 2. */
static void test_moves_take_time_of_a_worker_and_of_a_card(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {
        .cost_unit_s = 2, .node_size = 2, .latency_s = 1, .bandwidth = 100, .overhead_s = 0.5};
    /* Not kept. Within the first node, for nothing but 1 s: block 1 to worker 0, block 0 to worker 1;
     * to worker 2 block 1, 3 s for latencies and 3 s for 300 bytes. */
    check_close(estimate(&costs).blocks_s, 12 + 3 + 3, 1e-12);
    /* The card of worker 1 sends 300 bytes twice, and receives 100. */
    costs.node_size = 1;
    costs.bandwidth = 10;
    check_close(estimate(&costs).blocks_s, 70, 1e-12);
}

static void test_kept_blocks_move_once_to_each_worker(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {
        .cost_unit_s = 1, .node_latency_s = 8, .cache_bytes = 4 * 300};
    for (int i = 0; i < N_TASKS; i++)
        accesses[i].block = 1;
    check_close(estimate(&costs).blocks_s, 6 + 16, 1e-12);     /* once to worker 0, and to 2 */
    costs.cache_bytes--;                                       /* no room for one of each worker */
    check_close(estimate(&costs).blocks_s, 6 + 3 * 16, 1e-12); /* three times to worker 0 */
    for (int i = 0; i < N_TASKS; i++)
        accesses[i].block = i % 2;
}

/* Tasks 0 to 2 of worker 0 read blocks 0, 1 and 0 of others: all four workers of the node are expected to
 * need a block of 100 bytes twice, and one of 300 between. */
static void test_kept_blocks_make_room_for_others(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {.cost_unit_s = 1, .node_latency_s = 8};
    blocks[0].owner = 3;
    costs.cache_bytes = 4 * (100 + 300);
    check_close(estimate(&costs).blocks_s, 6 + 2 * 16, 1e-12);
    costs.node_size = 16; /* of which four are there */
    check_close(estimate(&costs).blocks_s, 6 + 2 * 16, 1e-12);
    costs.cache_bytes--;
    check_close(estimate(&costs).blocks_s, 6 + 3 * 16, 1e-12);
    blocks[0].owner = 0;
}

static void test_the_bytes_of_all_moves_may_exceed_64_bits(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {
        .cost_unit_s = 1, .node_latency_s = 8, .cache_bytes = INT64_MAX};
    blocks[0] = (struct taskpool_data_block){.bytes = INT64_MAX, .owner = 3};
    blocks[1].bytes = INT64_MAX;
    check_close(estimate(&costs).blocks_s, 6 + 3 * 16, 1e-12);
    blocks[0] = (struct taskpool_data_block){.bytes = 100, .owner = 0};
    blocks[1].bytes = 300;
}

/* Five short tasks of worker 0, two of which read block 1; worker 1 has the long one and its block. */
static void test_moves_of_short_tasks_pass_beside_a_long_one(void **state)
{
    (void)state;
    struct taskpool_data_costs costs = {.cost_unit_s = 1, .node_latency_s = 2};
    for (int i = 0; i < N_TASKS; i++)
        cost[i] = i < N_TASKS - 1 ? 1 : 15;
    check_close(estimate(&costs).blocks_s, 15, 1e-12);
    costs.node_latency_s = 8;
    check_close(estimate(&costs).blocks_s, 5 + 2 * 16, 1e-12);
    for (int i = 0; i < N_TASKS; i++)
        cost[i] = i + 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_of_owners_and_of_blocks),
        cmocka_unit_test(test_moves_take_time_of_a_worker_and_of_a_card),
        cmocka_unit_test(test_kept_blocks_move_once_to_each_worker),
        cmocka_unit_test(test_kept_blocks_make_room_for_others),
        cmocka_unit_test(test_the_bytes_of_all_moves_may_exceed_64_bits),
        cmocka_unit_test(test_moves_of_short_tasks_pass_beside_a_long_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
