/* SPDX-License-Identifier: BSD-3-Clause */
/* Seeding by cost and the longest first against plain versions, for any number of workers of one process; pools that
 * are too large for tables or unsuitable. */
#include "sched/pool/core/seeding.h"
#include "support/base/random.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* Whole numbers, so that sums are exact; many small ones and a few large ones. */
static double whole_cost(int64_t task, void *context)
{
    struct random_stream random;
    random_stream_init(&random, *(uint64_t *)context, (uint64_t)task);
    double cost = 1 + (double)random_below(&random, 8);
    return random_below(&random, 20) == 0 ? 30 * cost : cost;
}

/* A block begins at the first task whose middle is at or beyond the fraction of the total before it: a block
 * differs from the average by a task at most. */
static void check_blocks(double (*cost)(int64_t, void *), uint64_t seed, int64_t n_tasks,
                         int n_workers)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .cost = cost, .context = &seed};
    struct taskpool_seeding seeding;
    double total = 0, before = 0;
    int64_t task = 0;
    check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, n_workers));
    for (int64_t i = 0; i < n_tasks; i++)
        total += cost(i, &seed);
    for (int worker = 0; worker < n_workers; worker++) {
        struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
        double share = total * (worker + 1) / n_workers;
        assert_int_equal(taskpool_seeding_n_ranges(&seeding, worker), 1);
        assert_int_equal(range.first, task);
        while (task < n_tasks &&
               (worker == n_workers - 1 || before + cost(task, &seed) / 2 < share))
            before += cost(task++, &seed);
        assert_int_equal(range.last, task);
    }
    seeding_fini(&seeding);
}

static double equal_cost(int64_t task, void *context)
{
    (void)task, (void)context;
    return 0.125;
}

/* The large pool has no sum for each task. */
TEST(blocks_are_of_even_cost)
{
    const int n_workers[] = {1, 2, 3, 10, 50, 400};
    for (uint64_t seed = 0; seed < 200; seed++)
        for (size_t w = 0; w < N_OF(n_workers); w++) {
            check_blocks(whole_cost, seed, (int64_t)seed * 7 / 2 + 1, n_workers[w]);
            check_blocks(equal_cost, seed, (int64_t)seed, n_workers[w]);
        }
    check_blocks(whole_cost, 1, 9000001, 1000);
}

TEST(large_pools_cost_a_few_words)
{
    struct taskpool_problem problem = {.n_tasks = TASKPOOL_MAX_TASKS};
    const int n_workers = 163840;
    for (int rule = TASKPOOL_SEEDING_BLOCK; rule <= TASKPOOL_SEEDING_CYCLIC; rule++) {
        struct taskpool_seeding seeding;
        check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, rule, n_workers));
        int64_t total = 0;
        for (int worker = 0; worker < n_workers; worker++) {
            assert_int_equal(taskpool_seeding_n_ranges(&seeding, worker), 1);
            struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
            total += taskpool_range_count(&range);
        }
        assert_int_equal(total, TASKPOOL_MAX_TASKS);
        assert_null(seeding.boundary);
        assert_null(seeding.owned);
        seeding_fini(&seeding);
    }
}

/* Task n of a worker. */
static int64_t nth_task(const struct taskpool_seeding *seeding, int worker, int64_t n)
{
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        int64_t count = taskpool_range_count(&range);
        if (n < count)
            return range.first + n * range.step;
        n -= count;
    }
    return -1;
}

static double time_of(int64_t task, const void *record, const void *context)
{
    (void)record;
    return ((const double *)context)[task];
}

/* Each task, the longest first, goes to the thread that ends it first; of several, to the first of the
 * fastest. */
TEST(longest_first_goes_where_it_ends_first)
{
    enum { MOST = 40, THREADS = 3 };
    struct random_stream random;
    random_stream_init(&random, 3, 0);
    for (int round = 0; round < 400; round++) {
        double times_s[MOST], speeds[MOST], end_s[MOST * THREADS] = {0};
        int n_tasks = (int)random_below(&random, MOST), given[MOST] = {0};
        struct taskpool_machine machine = {.n_workers = 1 + (int)random_below(&random, 9),
                                           .n_threads = round % 2 ? THREADS : 0,
                                           .task_s = round % 5 ? 0 : 0.5,
                                           .time = time_of,
                                           .speeds = round % 3 ? speeds : NULL,
                                           .context = times_s};
        int64_t n_each = round % 2 ? THREADS : 1, next[MOST] = {0};
        for (int i = 0; i < MOST; i++) {
            times_s[i] = (double)random_below(&random, 12);
            speeds[i] = (double)(1 << random_below(&random, 3)) / 2;
        }
        struct taskpool_seeding seeding;
        check_ok(seeding_longest_init(&seeding, n_tasks, &machine));
        int64_t n_seeded = 0;
        for (int w = 0; w < machine.n_workers; w++)
            for (int64_t i = 0; i < taskpool_seeding_n_ranges(&seeding, w); i++)
                n_seeded += taskpool_range_count(&seeding.owned[w].list[i]);
        assert_int_equal(n_seeded, n_tasks);
        for (int i = 0; i < n_tasks; i++) {
            int longest = -1;
            for (int task = n_tasks - 1; task >= 0; task--)
                if (!given[task] && (longest < 0 || times_s[task] >= times_s[longest]))
                    longest = task;
            given[longest] = 1;
            int64_t best = 0;
            double best_s = INFINITY, best_speed = 0;
            for (int64_t t = 0; t < n_each * machine.n_workers; t++) {
                double speed = machine.speeds ? speeds[t / n_each] : 1;
                double after_s = end_s[t] + times_s[longest] / speed;
                if (after_s < best_s || (after_s == best_s && speed > best_speed)) {
                    best = t;
                    best_s = after_s;
                    best_speed = speed;
                }
            }
            end_s[best] = best_s + machine.task_s;
            assert_int_equal(nth_task(&seeding, (int)(best / n_each), next[best / n_each]++),
                             longest);
        }
        seeding_fini(&seeding);
    }
}

static int no_such_owner(int64_t task, int n_workers, void *context)
{
    (void)context;
    return task == 5 ? n_workers : 0;
}

static double no_cost(int64_t task, void *context)
{
    return task == 5 ? *(double *)context : 1;
}

static void refuse(const struct taskpool_problem *problem, int rule)
{
    struct taskpool_seeding seeding;
    check_status(STATUS_USAGE, seeding_init(&seeding, MPI_COMM_SELF, problem, rule, 3));
}

TEST(bad_rules_are_refused)
{
    double costs[] = {0, -1, NAN, INFINITY};
    struct taskpool_problem problem = {.n_tasks = 10};
    refuse(&problem, TASKPOOL_SEEDING_OWNER);
    refuse(&problem, TASKPOOL_SEEDING_COST);
    problem.owner = no_such_owner;
    refuse(&problem, TASKPOOL_SEEDING_OWNER);
    problem.cost = no_cost;
    for (size_t i = 0; i < N_OF(costs); i++) {
        problem.context = &costs[i];
        refuse(&problem, TASKPOOL_SEEDING_COST);
    }
}

TEST_SETUP(check_begin_mpi)
TEST_TEARDOWN(check_end_mpi)
