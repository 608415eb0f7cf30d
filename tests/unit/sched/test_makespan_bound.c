/* SPDX-License-Identifier: BSD-3-Clause */
/* The lower bound on makespans: closed forms of each of its parts, and that no placement of the tasks of
 * small random pools is faster, all placements being tried. */
#include "sched/lab/bound/makespan_bound.h"

#include "support/base/random.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>

enum { MOST_TASKS = 8, MOST_BLOCKS = 4 };

static const double block_s = 0.25; /* of a transfer of one block, without latency */

struct bounded_pool {
    struct taskpool_data data;
    struct taskpool_data_block blocks[MOST_BLOCKS];
    struct taskpool_data_access accesses[2 * MOST_TASKS];
    int64_t first[MOST_TASKS + 1];
    double times_s[MOST_TASKS];
    int placement[MOST_TASKS];
    struct taskpool_machine machine;
};

static double time_of_bounded(int64_t task, const void *record, const void *context)
{
    (void)record;
    return ((const struct bounded_pool *)context)->times_s[task];
}

static int placed_owner(int64_t task, int n_workers, void *context)
{
    (void)n_workers;
    return ((const struct bounded_pool *)context)->placement[task];
}

/* Tasks of a second, without accesses; a block takes block_s to move. */
static void init_bounded(struct bounded_pool *pool, int n_workers, int64_t n_tasks)
{
    *pool = (struct bounded_pool){.data = {.n_blocks = MOST_BLOCKS, .n_tasks = n_tasks}};
    pool->data.blocks = pool->blocks;
    pool->data.accesses = pool->accesses;
    pool->data.first = pool->first;
    for (int64_t i = 0; i < MOST_BLOCKS; i++)
        pool->blocks[i] = (struct taskpool_data_block){.bytes = 1000, .owner = i};
    for (int64_t task = 0; task < n_tasks; task++)
        pool->times_s[task] = 1;
    pool->machine = (struct taskpool_machine){.n_workers = n_workers,
                                              .node_size = 1,
                                              .bandwidth = 1000 / block_s,
                                              .time = time_of_bounded,
                                              .data = &pool->data,
                                              .context = pool};
}

/* To the last task. */
static void add_bounded_access(struct bounded_pool *pool, int64_t task, int64_t block, bool writes)
{
    pool->accesses[pool->first[task + 1]++] =
        (struct taskpool_data_access){.block = block, .writes = writes};
    for (int64_t i = task + 1; i < pool->data.n_tasks; i++)
        pool->first[i + 1] = pool->first[task + 1];
}

static double bound_of(const struct bounded_pool *pool)
{
    struct makespan_bound bound;
    check_ok(makespan_bound_find(&pool->machine, pool->data.n_tasks, &bound));
    return bound.seconds;
}

TEST(without_data_it_is_work_or_the_longest_task)
{
    const double speeds[] = {2, 1, 1};
    struct bounded_pool pool;
    init_bounded(&pool, 3, 8);
    pool.machine.data = NULL;
    check_close(bound_of(&pool), 8.0 / 3, 1e-12);
    pool.machine.speeds = speeds;
    check_close(bound_of(&pool), 2, 1e-12);
    pool.times_s[3] = 7;
    check_close(bound_of(&pool), 3.5, 1e-12);
}

/* All n tasks are at home on worker 0 of two: what leaves takes block_s more each, or the kept block once:
 * 2 M = n + what is moved. */
TEST(what_leaves_its_home_moves)
{
    const double n = 8;
    struct bounded_pool pool;
    init_bounded(&pool, 2, (int64_t)n);
    for (int64_t task = 0; task < pool.data.n_tasks; task++)
        add_bounded_access(&pool, task, 0, false);
    check_close(bound_of(&pool), n * (1 + block_s) / (2 + block_s), 1e-9);
    pool.machine.cache_bytes = 1000;
    check_close(bound_of(&pool), (n + block_s) / (2 + block_s / n), 1e-9);
}

/* Card of worker 0: what leaves it takes 3 s each. M = 3 (n - M). */
TEST(the_card_of_a_home_bounds)
{
    struct bounded_pool pool;
    init_bounded(&pool, 4, 8);
    pool.machine.bandwidth = 1000 / 3.0;
    for (int64_t task = 0; task < pool.data.n_tasks; task++)
        add_bounded_access(&pool, task, 0, true);
    check_close(bound_of(&pool), 6, 1e-9);
}

/* Blocks of two owners: one of them moves for each task, wherever that runs. Kept, both tasks of a pair of
 * blocks need one move together. */
TEST(tasks_of_two_owners_move_data_anywhere)
{
    struct bounded_pool pool;
    init_bounded(&pool, 2, 4);
    for (int64_t task = 0; task < 4; task++) {
        add_bounded_access(&pool, task, task < 2 ? 0 : 2, false);
        add_bounded_access(&pool, task, task < 2 ? 1 : 3, false);
    }
    check_close(bound_of(&pool), (4 + 4 * block_s) / 2, 1e-9);
    pool.machine.cache_bytes = 10000;
    check_close(bound_of(&pool), (4 + 2 * block_s) / 2, 1e-9);
}

/* The makespan of the tasks at their placement. */
static double run_placed(struct bounded_pool *pool)
{
    struct taskpool_settings settings;
    struct taskpool_problem problem = {
        .n_tasks = pool->data.n_tasks, .owner = placed_owner, .context = pool};
    struct taskpool *running;
    taskpool_settings_default(&settings);
    settings.mode = "static";
    settings.seeding = TASKPOOL_SEEDING_OWNER;
    check_ok(taskpool_simulate(&problem, &settings, &pool->machine, &running));
    check_ok(taskpool_run(running));
    double makespan_s = taskpool_statistics(running, 0)->makespan_s;
    taskpool_destroy(running);
    return makespan_s;
}

/* The next placement in the order of numbers whose digits are workers; false after the last. */
static bool next_placement(struct bounded_pool *pool)
{
    for (int64_t task = 0; task < pool->data.n_tasks; task++) {
        if (++pool->placement[task] < pool->machine.n_workers)
            return true;
        pool->placement[task] = 0;
    }
    return false;
}

static void draw_bounded(struct bounded_pool *pool, struct random_stream *random)
{
    init_bounded(pool, 2 + (int)random_below(random, 2), 1 + (int64_t)random_below(random, 5));
    pool->machine.node_size = 1 + (int)random_below(random, 3);
    pool->machine.has_levels = random_below(random, 2);
    pool->machine.node_bandwidth = 1e4 * (double)random_below(random, 2);
    pool->machine.latency_s = 0.01 * (double)random_below(random, 2);
    pool->machine.cache_bytes = 1000 * (int64_t)random_below(random, 3);
    for (int64_t i = 0; i < MOST_BLOCKS; i++)
        pool->blocks[i].bytes = 500 + 500 * (int64_t)random_below(random, 4);
    for (int64_t task = 0; task < pool->data.n_tasks; task++) {
        pool->times_s[task] = 0.1 + random_unit(random);
        for (uint64_t n = random_below(random, 3); n > 0; n--)
            add_bounded_access(pool, task, (int64_t)random_below(random, MOST_BLOCKS),
                               random_below(random, 3) == 0);
    }
}

TEST(no_placement_is_faster)
{
    struct random_stream random;
    int n_close = 0;
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < 60; i++) {
        struct bounded_pool pool;
        draw_bounded(&pool, &random);
        double bound_s = bound_of(&pool), least_s = INFINITY;
        do
            least_s = fmin(least_s, run_placed(&pool));
        while (next_placement(&pool));
        assert_true(least_s >= bound_s * (1 - 1e-9));
        n_close += least_s < 1.1 * bound_s;
    }
    assert_true(n_close >= 15);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
