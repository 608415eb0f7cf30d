/* SPDX-License-Identifier: BSD-3-Clause */
/* Every rule of seeding gives each task to one worker, for any number of
 * workers of one process, and refuses what it cannot do. */
#include "sched/pool/core/seeding.h"
#include "support/base/random.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void test_each_task_has_one_worker(void **state)
{
    (void)state;
    const int64_t n_tasks[] = {0, 1, 2, 7, 1000, 100003};
    const int n_workers[] = {1, 2, 3, 7, 2000};
    for (size_t t = 0; t < N_OF(n_tasks); t++)
        for (size_t w = 0; w < N_OF(n_workers); w++)
            for (int rule = TASKPOOL_SEEDING_BLOCK; rule <= TASKPOOL_SEEDING_DEAL; rule++) {
                if (rule == TASKPOOL_SEEDING_LONGEST) /* takes a machine: below */
                    continue;
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

/* Blocks that take as many tasks as they may without exceeding the bound. */
static int64_t count_blocks(const struct taskpool_problem *problem, double bound)
{
    int64_t n = 1;
    double cost = 0;
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        double next = problem->cost(task, problem->context);
        n += cost + next > bound;
        cost = cost + next > bound ? next : cost + next;
    }
    return n;
}

static double find_largest(const struct taskpool_seeding *seeding,
                           const struct taskpool_problem *problem)
{
    double largest = 0;
    for (int worker = 0; worker < seeding->n_workers; worker++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, 0);
        double sum = 0;
        for (int64_t task = range.first; task < range.last; task++)
            sum += problem->cost(task, problem->context);
        largest = fmax(largest, sum);
    }
    return largest;
}

static void check_least_possible(uint64_t seed, int64_t n_tasks, int n_workers)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .cost = whole_cost, .context = &seed};
    struct taskpool_seeding seeding;
    check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, n_workers));
    check_each_task_once(&seeding);
    double largest = find_largest(&seeding, &problem), longest = 0;
    for (int64_t task = 0; task < n_tasks; task++)
        longest = fmax(longest, whole_cost(task, &seed));
    assert_true(largest == longest || count_blocks(&problem, largest - 1) > n_workers);
    seeding_fini(&seeding);
}

/* Large pools have no sum for each task. */
static void test_largest_block_is_the_least_possible(void **state)
{
    (void)state;
    const int n_workers[] = {1, 2, 3, 10, 50, 400};
    for (uint64_t seed = 0; seed < 200; seed++)
        for (size_t w = 0; w < N_OF(n_workers); w++)
            check_least_possible(seed, (int64_t)seed * 7 / 2 + 1, n_workers[w]);
    check_least_possible(1, 9000001, 1000);
}

static double equal_cost(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return 0.1;
}

static void test_equal_costs_are_blocks_of_equal_numbers(void **state)
{
    (void)state;
    struct taskpool_problem problem = {.cost = equal_cost};
    for (problem.n_tasks = 0; problem.n_tasks < 300; problem.n_tasks++) {
        struct taskpool_seeding seeding;
        check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, 100));
        for (int worker = 0; worker < 100; worker++) {
            struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
            struct taskpool_range block = taskpool_range_block(problem.n_tasks, 100, worker);
            assert_int_equal(range.first, block.first);
            assert_int_equal(range.last, block.last);
        }
        seeding_fini(&seeding);
    }
}

/* No worker is without work where all could have some. */
static void test_boundaries_are_near_equal_shares(void **state)
{
    (void)state;
    int64_t n_tasks = 10000;
    int n_workers = 64;
    struct taskpool_problem problem = {
        .n_tasks = n_tasks, .cost = rising_cost, .context = &n_tasks};
    struct taskpool_seeding seeding;
    check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, n_workers));
    double total = 0, longest = rising_cost(n_tasks - 1, &n_tasks);
    for (int64_t task = 0; task < n_tasks; task++)
        total += rising_cost(task, &n_tasks);
    for (int worker = 0; worker < n_workers; worker++) {
        struct taskpool_range range = taskpool_seeding_range(&seeding, worker, 0);
        double share = 0;
        for (int64_t task = range.first; task < range.last; task++)
            share += rising_cost(task, &n_tasks);
        check_close(share, total / n_workers, 2 * longest);
    }
    seeding_fini(&seeding);
}

static void test_large_pools_cost_a_few_words(void **state)
{
    (void)state;
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

static void test_longest_first_goes_where_it_ends_first(void **state)
{
    (void)state;
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

static void test_longest_first_loses_no_task(void **state)
{
    (void)state;
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

/* --- dealt out --- */

enum { DEALT_TASKS = 50, DEALT_WORKERS = 8 };

/* The untaken task of the least cost, or of the most; of equal ones the last, or the first. */
static int64_t find_untaken(const struct taskpool_problem *problem, const bool *taken, bool least)
{
    int64_t found = -1;
    for (int64_t task = 0; task < problem->n_tasks; task++) {
        double cost = problem->cost(task, problem->context);
        double best = found < 0 ? 0 : problem->cost(found, problem->context);
        if (!taken[task] && (found < 0 || (least ? cost <= best : cost > best)))
            found = task;
    }
    return found;
}

static double dealt_load(const struct taskpool_seeding *seeding,
                         const struct taskpool_problem *problem, int worker)
{
    double load = 0;
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            load += problem->cost(task, problem->context);
    }
    return load;
}

/* Loads when the shortest n_first tasks go to one worker each and then the longest to the one with the least.
 * Returns the largest. */
static double deal_slowly(const struct taskpool_problem *problem, int n_first, double *loads)
{
    bool taken[DEALT_TASKS] = {false};
    double largest = 0;
    memset(loads, 0, DEALT_WORKERS * sizeof *loads);
    for (int i = 0; i < problem->n_tasks; i++) {
        int64_t task = find_untaken(problem, taken, i < n_first);
        int least = 0;
        for (int worker = 1; worker < DEALT_WORKERS; worker++)
            if (loads[worker] < loads[least])
                least = worker;
        int to = i < n_first ? i : least;
        loads[to] += problem->cost(task, problem->context);
        largest = fmax(largest, loads[to]);
        taken[task] = true;
    }
    return largest;
}

static double largest_block(const struct taskpool_problem *problem)
{
    struct taskpool_seeding blocks;
    double largest = 0;
    check_ok(seeding_init(&blocks, MPI_COMM_SELF, problem, TASKPOOL_SEEDING_COST, DEALT_WORKERS));
    for (int worker = 0; worker < DEALT_WORKERS; worker++)
        largest = fmax(largest, dealt_load(&blocks, problem, worker));
    seeding_fini(&blocks);
    return largest;
}

static int compare_loads(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Each worker gets a short task where that costs 1 % at most; else blocks stay or the longest go first. */
static void test_few_tasks_are_dealt_out(void **state)
{
    (void)state;
    int n_blocks = 0, n_short = 0, n_long = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct taskpool_problem problem = {
            .n_tasks = 9 + (int64_t)seed % 42, .cost = whole_cost, .context = &seed};
        struct taskpool_seeding seeding;
        double slowly[DEALT_WORKERS], loads[DEALT_WORKERS];
        check_ok(
            seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_DEAL, DEALT_WORKERS));
        check_each_task_once(&seeding);
        for (int worker = 0; worker < DEALT_WORKERS; worker++)
            loads[worker] = dealt_load(&seeding, &problem, worker);
        qsort(loads, DEALT_WORKERS, sizeof *loads, compare_loads);
        double block = largest_block(&problem);
        double even = 1.01 * fmin(block, deal_slowly(&problem, 0, slowly));
        bool is_even = deal_slowly(&problem, DEALT_WORKERS, slowly) <= even;
        if (!is_even && block <= even) {
            assert_true(loads[DEALT_WORKERS - 1] == block);
            assert_int_not_equal(taskpool_seeding_rule_of(&seeding), TASKPOOL_SEEDING_DEAL);
            n_blocks++;
        } else {
            if (!is_even)
                deal_slowly(&problem, 0, slowly);
            assert_int_equal(taskpool_seeding_rule_of(&seeding), TASKPOOL_SEEDING_DEAL);
            *(is_even ? &n_short : &n_long) += 1;
            qsort(slowly, DEALT_WORKERS, sizeof *slowly, compare_loads);
            assert_memory_equal(loads, slowly, sizeof loads);
        }
        seeding_fini(&seeding);
    }
    assert_true(n_blocks > 0 && n_short > 0 && n_long > 0);
}

/* Tasks of 600 workers go no further than to another worker of the group of 256. */
static void test_tasks_are_dealt_out_within_groups(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct taskpool_problem problem = {.n_tasks = 2000, .cost = whole_cost, .context = &seed};
    struct taskpool_seeding dealt, blocks;
    check_ok(seeding_init(&dealt, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_DEAL, 600));
    check_ok(seeding_init(&blocks, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_COST, 600));
    for (int worker = 0; worker < 600; worker++)
        for (int64_t i = 0; i < taskpool_seeding_n_ranges(&dealt, worker); i++) {
            int first = worker / 256 * 256, last = first + 255 < 599 ? first + 255 : 599;
            struct taskpool_range range = taskpool_seeding_range(&dealt, worker, i);
            assert_true(range.first >= taskpool_seeding_range(&blocks, first, 0).first);
            assert_true(range.last <= taskpool_seeding_range(&blocks, last, 0).last);
        }
    seeding_fini(&dealt);
    seeding_fini(&blocks);
}

static void test_even_blocks_are_not_dealt_out(void **state)
{
    (void)state;
    struct taskpool_problem problem = {.n_tasks = 250, .cost = equal_cost};
    struct taskpool_seeding seeding;
    check_ok(seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_DEAL, 100));
    assert_int_equal(taskpool_seeding_rule_of(&seeding), TASKPOOL_SEEDING_BLOCK);
    for (int worker = 0; worker < 100; worker++) {
        struct taskpool_range block = taskpool_range_block(problem.n_tasks, 100, worker);
        assert_int_equal(taskpool_seeding_n_ranges(&seeding, worker), 1);
        assert_int_equal(taskpool_seeding_range(&seeding, worker, 0).first, block.first);
        assert_int_equal(taskpool_seeding_range(&seeding, worker, 0).last, block.last);
    }
    seeding_fini(&seeding);
}

static double no_cost(int64_t task, void *context)
{
    return task == 5 ? *(double *)context : 1;
}

static void test_bad_rules_are_refused(void **state)
{
    (void)state;
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
        check_status(STATUS_USAGE,
                     seeding_init(&seeding, MPI_COMM_SELF, &problem, TASKPOOL_SEEDING_DEAL, 3));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_task_has_one_worker),
        cmocka_unit_test(test_largest_block_is_the_least_possible),
        cmocka_unit_test(test_equal_costs_are_blocks_of_equal_numbers),
        cmocka_unit_test(test_boundaries_are_near_equal_shares),
        cmocka_unit_test(test_large_pools_cost_a_few_words),
        cmocka_unit_test(test_longest_first_goes_where_it_ends_first),
        cmocka_unit_test(test_longest_first_loses_no_task),
        cmocka_unit_test(test_few_tasks_are_dealt_out),
        cmocka_unit_test(test_tasks_are_dealt_out_within_groups),
        cmocka_unit_test(test_even_blocks_are_not_dealt_out),
        cmocka_unit_test(test_bad_rules_are_refused),
    };
    return check_run_parallel(tests, &argc, &argv);
}
