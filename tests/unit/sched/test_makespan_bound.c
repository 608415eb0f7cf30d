/* SPDX-License-Identifier: BSD-3-Clause */
/* The lower bound on makespans: closed forms of each of its parts, and that no placement of the tasks of
 * small random pools is faster, all placements being tried. */
#include "sched/lab/bound/makespan_bound.h"
#include "support/base/random.h"
#include "tests/cases/simulated_pool.h"

enum { MOST_TASKS = 8, MOST_BLOCKS = 4, BYTES = 1000 };

static const double block_s = 0.25; /* of a transfer of one block, without latency */

static struct simulated pool;
static struct simulated_data data;
static double times_s[MOST_TASKS];
static int placement[MOST_TASKS];

static double time_of_bounded(const struct simulated *self, int64_t task)
{
    (void)self;
    return times_s[task];
}

static int placed_owner(int64_t task, int n_workers, void *context)
{
    (void)n_workers, (void)context;
    return placement[task];
}

/* Tasks of a second; a block takes block_s to move. */
static void init_bounded(int n_workers, int64_t n_tasks, const char *accesses)
{
    pool = (struct simulated){.command_line = "--sched=static --seeding=owner",
                              .n_tasks = n_tasks,
                              .seconds = time_of_bounded,
                              .problem.owner = placed_owner,
                              .machine = {.n_workers = n_workers,
                                          .node_size = 1,
                                          .bandwidth = BYTES / block_s,
                                          .time = simulated_time,
                                          .data = &data.table,
                                          .context = &pool}};
    simulated_data_init(&data, n_tasks, BYTES, accesses);
    memset(placement, 0, sizeof placement);
    for (int64_t task = 0; task < n_tasks; task++)
        times_s[task] = 1;
}

static double find_bound(void)
{
    struct makespan_bound bound;
    check_ok(makespan_bound_find(&pool.machine, pool.n_tasks, &bound));
    return bound.seconds;
}

TEST(without_data_it_is_work_or_the_longest_task)
{
    const double speeds[] = {2, 1, 1};
    init_bounded(3, 8, "");
    pool.machine.data = NULL;
    check_close(find_bound(), 8.0 / 3, 1e-12);
    pool.machine.speeds = speeds;
    check_close(find_bound(), 2, 1e-12);
    times_s[3] = 7;
    check_close(find_bound(), 3.5, 1e-12);
}

static double time_of_mixed(int64_t task, const void *record, const void *context)
{
    (void)record, (void)context;
    return task % 5000 == 0 ? 0.5 : 1e-6;
}

static bool all_but_each_5000th(int64_t first, int64_t last, const void *context)
{
    (void)context;
    return first / 5000 == (last - 1) / 5000 && first % 5000 != 0;
}

TEST(null_tasks_count)
{
    const struct taskpool_machine machine = {
        .n_workers = 2, .time = time_of_mixed, .are_null = all_but_each_5000th};
    struct makespan_bound bound;
    check_ok(makespan_bound_find(&machine, 20000, &bound));
    check_close(bound.seconds, (4 * 0.5 + 19996 * 1e-6) / 2, 1e-9);
}

TEST(what_moves_takes_the_closed_form)
{
    static const char reads[] = "r0a r1a r2a r3a r4a r5a r6a r7a";
    static const char writes[] = "w0a w1a w2a w3a w4a w5a w6a w7a";
    static const char pairs[] = "r0a r0b@1 r1a r1b@1 r2c@2 r2d@3 r3c@2 r3d@3";
    const struct {
        const char *accesses;
        int n_workers;
        int64_t n_tasks, cache_bytes;
        double transfer_s, expected_s;
    } rows[] = {
        /* All tasks are at home on worker 0 of two. A transfer is part of each task that leaves, or of all
         * of them together where the block is kept: 2 M = 8 + transfers. */
        {reads, 2, 8, 0, block_s, 8 * (1 + block_s) / (2 + block_s)},
        {reads, 2, 8, BYTES, block_s, (8 + block_s) / (2 + block_s / 8)},
        /* The card of worker 0 takes 3 s for each task that leaves: M = 3 (8 - M). */
        {writes, 4, 8, 0, 3, 6},
        /* One of two blocks moves for each task, wherever it runs; kept, for each pair of tasks. */
        {pairs, 2, 4, 0, block_s, (4 + 4 * block_s) / 2},
        {pairs, 2, 4, 10 * BYTES, block_s, (4 + 2 * block_s) / 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        init_bounded(rows[i].n_workers, rows[i].n_tasks, rows[i].accesses);
        pool.machine.cache_bytes = rows[i].cache_bytes;
        pool.machine.bandwidth = BYTES / rows[i].transfer_s;
        check_close(find_bound(), rows[i].expected_s, 1e-9);
    }
}

/* The next placement in the order of numbers whose digits are workers; false after the last. */
static bool next_placement(void)
{
    for (int64_t task = 0; task < pool.n_tasks; task++) {
        if (++placement[task] < pool.machine.n_workers)
            return true;
        placement[task] = 0;
    }
    return false;
}

static void draw_bounded(struct random_stream *random)
{
    char accesses[128] = "", *end = accesses;
    int n_workers = 2 + (int)random_below(random, 2), n_tasks = 1 + (int)random_below(random, 5);
    for (int task = 0; task < n_tasks; task++)
        for (uint64_t n = random_below(random, 3); n > 0; n--) {
            int block = (int)random_below(random, MOST_BLOCKS);
            end += sprintf(end, "%c%d%c@%d ", random_below(random, 3) == 0 ? 'w' : 'r', task,
                           'a' + block, block);
        }
    init_bounded(n_workers, n_tasks, accesses);
    pool.machine.node_size = 1 + (int)random_below(random, 3);
    pool.machine.has_levels = random_below(random, 2);
    pool.machine.node_bandwidth = 1e4 * (double)random_below(random, 2);
    pool.machine.latency_s = 0.01 * (double)random_below(random, 2);
    pool.machine.cache_bytes = BYTES * (int64_t)random_below(random, 3);
    for (int64_t i = 0; i < MOST_BLOCKS; i++)
        data.blocks[i].bytes = 500 + 500 * (int64_t)random_below(random, 4);
    for (int64_t task = 0; task < n_tasks; task++)
        times_s[task] = 0.1 + random_unit(random);
}

TEST(no_placement_is_faster)
{
    struct random_stream random;
    int n_close = 0;
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < 60; i++) {
        draw_bounded(&random);
        double bound_s = find_bound(), least_s = INFINITY;
        do {
            simulated_run(&pool);
            least_s = fmin(least_s, pool.figures[0].makespan_s);
        } while (next_placement());
        assert_true(least_s >= bound_s * (1 - 1e-9));
        n_close += least_s < 1.1 * bound_s;
    }
    assert_true(n_close >= 15);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
