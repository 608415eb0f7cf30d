/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rule of seeding gives each task to one worker, for any number of
 * workers of one process, and refuses unsuitable pools. */
#include "sched/pool/core/seeding.h"
#include "support/base/random.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static int scattered_owner(int64_t task, int n_workers, void *context)
{
    (void)context;
    return (int)(task * task / 5 % n_workers);
}

/* The last tasks are a thousand times as long as the first. */
static double rising_cost(int64_t task, void *context)
{
    int64_t n_tasks = *(int64_t *)context;
    return 1e-3 + (double)task / (double)n_tasks;
}

static void check_each_task_once(const struct taskpool_seeding *seeding)
{
    int64_t n_tasks = seeding->n_tasks;
    char *count = calloc((size_t)n_tasks + 1, 1);
    assert_non_null(count);
    for (int worker = 0; worker < seeding->n_workers; worker++)
        for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
            struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
            for (int64_t task = range.first; task < range.last; task += range.step) {
                assert_in_range(task, 0, n_tasks - 1);
                assert_int_equal(count[task]++, 0);
            }
        }
    for (int64_t task = 0; task < n_tasks; task++)
        assert_int_equal(count[task], 1);
    free(count);
}

TEST(each_task_has_one_worker)
{
    const int64_t n_tasks[] = {0, 1, 2, 7, 1000, 100003};
    const int n_workers[] = {1, 2, 3, 7, 2000};
    for (size_t t = 0; t < N_OF(n_tasks); t++)
        for (size_t w = 0; w < N_OF(n_workers); w++)
            for (int rule = TASKPOOL_SEEDING_BLOCK; rule <= TASKPOOL_SEEDING_COST; rule++) {
                int64_t context = n_tasks[t];
                struct taskpool_problem problem = {.n_tasks = n_tasks[t],
                                                   .owner = scattered_owner,
                                                   .cost = rising_cost,
                                                   .context = &context};
                struct taskpool_seeding seeding;
                check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, rule, n_workers[w]));
                check_each_task_once(&seeding);
                seeding_fini(&seeding);
            }
}

/* Whole numbers, so that sums are exact; many small ones and a few large ones. */
static double whole_cost(int64_t task, void *context)
{
    struct random_stream random;
    random_stream_init(&random, *(uint64_t *)context, (uint64_t)task);
    double cost = 1 + (double)random_below(&random, 8);
    return random_below(&random, 20) == 0 ? 30 * cost : cost;
}

static void check_blocks(uint64_t seed, int64_t n_tasks, int n_workers)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .cost = whole_cost, .context = &seed};
    struct taskpool_seeding seeding;
    double total = 0, longest = 0;
    check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, n_workers));
    check_each_task_once(&seeding);
    for (int64_t task = 0; task < n_tasks; task++) {
        total += whole_cost(task, &seed);
        longest = fmax(longest, whole_cost(task, &seed));
    }
    for (int worker = 0; worker < n_workers; worker++) {
        struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
        double cost = 0;
        for (int64_t task = range.first; task < range.last; task++)
            cost += whole_cost(task, &seed);
        check_close(cost, total / n_workers, longest * (1 + 1e-9));
    }
    seeding_fini(&seeding);
}

/* The large pool has no sum for each task. */
TEST(blocks_differ_from_the_average_by_a_task_at_most)
{
    const int n_workers[] = {1, 2, 3, 10, 50, 400};
    for (uint64_t seed = 0; seed < 200; seed++)
        for (size_t w = 0; w < N_OF(n_workers); w++)
            check_blocks(seed, (int64_t)seed * 7 / 2 + 1, n_workers[w]);
    check_blocks(1, 9000001, 1000);
}

static double equal_cost(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return 0.1;
}

TEST(equal_costs_are_blocks_of_equal_numbers)
{
    struct taskpool_problem problem = {.cost = equal_cost};
    for (problem.n_tasks = 0; problem.n_tasks < 300; problem.n_tasks++) {
        struct taskpool_seeding seeding;
        check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, 100));
        for (int worker = 0; worker < 100; worker++) {
            struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
            int64_t least = problem.n_tasks / 100;
            assert_in_range(taskpool_range_count(&range), least, least + 1);
        }
        seeding_fini(&seeding);
    }
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

static double time_of(int64_t task, const void *record, const void *context)
{
    (void)record;
    return ((const double *)context)[task];
}

/* Whether a worker has these tasks, in this order. */
static void check_tasks(const struct taskpool_seeding *seeding, int worker, const int64_t *tasks,
                        int64_t n)
{
    int64_t n_found = 0;
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            assert_int_equal(task, tasks[n_found++]);
    }
    assert_int_equal(n_found, n);
}

TEST(longest_first_goes_where_it_ends_first)
{
    const double times_s[] = {3, 5, 3, 4, 3};
    const int64_t first[] = {1, 2}, second[] = {3, 0, 4};
    struct taskpool_machine machine = {.n_workers = 2, .time = time_of, .context = times_s};
    struct taskpool_seeding seeding;
    check_ok(seeding_longest_init(&seeding, 5, &machine));
    check_tasks(&seeding, 0, first, 2);  /* 5 + 3 */
    check_tasks(&seeding, 1, second, 3); /* 4 + 3 + 3 */
    seeding_fini(&seeding);

    /* At half the speed the task of 4 s ends after 8 s, on the other worker it would after 9. */
    const double speeds[] = {0.5, 1};
    const int64_t slow[] = {3}, fast[] = {1, 0, 2, 4};
    machine.speeds = speeds;
    check_ok(seeding_longest_init(&seeding, 5, &machine));
    check_tasks(&seeding, 0, slow, 1);
    check_tasks(&seeding, 1, fast, 4);
    seeding_fini(&seeding);
}

static double falling_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return 1 / (1.0 + (double)(task % 97));
}

TEST(longest_first_loses_no_task)
{
    const int64_t n_tasks[] = {0, 1, 7, 10000};
    const int n_workers[] = {1, 2, 3, 7, 200};
    double speeds[200];
    for (size_t i = 0; i < N_OF(speeds); i++)
        speeds[i] = 1 + (double)(i % 5);
    for (size_t t = 0; t < N_OF(n_tasks); t++)
        for (size_t w = 0; w < N_OF(n_workers); w++)
            for (int variant = 0; variant < 4; variant++) {
                struct taskpool_machine machine = {.n_workers = n_workers[w],
                                                   .time = falling_time,
                                                   .speeds = variant % 2 ? speeds : NULL,
                                                   .n_threads = variant < 2 ? 1 : 3};
                struct taskpool_seeding seeding;
                check_ok(seeding_longest_init(&seeding, n_tasks[t], &machine));
                check_each_task_once(&seeding);
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

TEST(bad_rules_are_refused)
{
    double costs[] = {0, -1, NAN, INFINITY};
    struct taskpool_seeding seeding;
    struct taskpool_problem problem = {.n_tasks = 10};
    check_status(STATUS_USAGE,
                 seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_OWNER, 3));
    check_status(STATUS_USAGE,
                 seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, 3));
    problem.owner = no_such_owner;
    check_status(STATUS_USAGE,
                 seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_OWNER, 3));
    problem.cost = no_cost;
    for (size_t i = 0; i < N_OF(costs); i++) {
        problem.context = &costs[i];
        check_status(STATUS_USAGE,
                     seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, 3));
    }
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
