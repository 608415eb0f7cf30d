/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes persist and auto, in simulation: persist steals in the first
 * iteration. The second iteration repeats each worker's tasks, later ones follow the balancer,
 * without any message while tasks run. auto starts from the predicted cost, balances
 * at once, and steals the rest. */
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { n_tasks = 2000, n_workers = 40, n_iterations = 6 };

/* Exact in a bin; a few long ones among many short ones, unevenly spread. */
static double task_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return (double)(1 + task * task % 97 + (task < 100 ? 150 : 0)) / 1024;
}

/* Wrong by up to a factor of two, as a prediction may be. */
static double task_cost(int64_t task, void *context)
{
    return task_time(task, NULL, context) * (1 + (double)(task % 11) / 10);
}

static int nothing(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return STATUS_OK;
}

struct outcome {
    struct taskpool_iteration figures[n_iterations];
    int32_t worker[n_iterations][n_tasks];
};

static void simulate(const struct taskpool_settings *settings, const double *speeds,
                     struct outcome *outcome)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = nothing, .cost = task_cost};
    struct taskpool_machine machine = {.n_workers = n_workers,
                                       .latency_s = 1e-5,
                                       .latency_spread_s = 1e-5,
                                       .time = task_time,
                                       .speeds = speeds};
    struct taskpool *pool;
    check_ok(taskpool_simulate(&problem, settings, &machine, &pool));
    for (int i = 0; i < n_iterations; i++) {
        check_ok(taskpool_run(pool));
        outcome->figures[i] = *taskpool_statistics(pool, i);
        const struct taskpool_history *history = taskpool_history(pool);
        assert_int_equal(history->n_entries, n_tasks);
        for (int64_t j = 0; j < n_tasks; j++)
            outcome->worker[i][history->entries[j].task] = history->entries[j].worker;
        check_ok(taskpool_restore(pool));
    }
    taskpool_destroy(pool);
}

static struct taskpool_settings settings_for(const char *mode)
{
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.keep_history = true;
    return settings;
}

static bool ran_alike(const struct outcome *outcome, int i, int j)
{
    return memcmp(outcome->worker[i], outcome->worker[j], sizeof outcome->worker[i]) == 0;
}

static struct outcome outcome; /* of the test that runs */

TEST(persist_steals_then_retains_then_balances)
{
    const char *const balancers[] = {"central", "tree"};
    for (int b = 0; b < 2; b++) {
        struct taskpool_settings settings = settings_for("persist");
        check_ok(taskpool_settings_set(&settings, "balancer", balancers[b]));
        simulate(&settings, NULL, &outcome);
        const struct taskpool_iteration *figures = outcome.figures;
        assert_true(figures[0].steals_successful.mean > 0);
        assert_true(ran_alike(&outcome, 0, 1));
        assert_int_equal(figures[1].messages, 0);
        assert_true(figures[2].tasks_moved > 0);
        assert_true(figures[2].balance_s > 0);
        assert_true(figures[2].imbalance < figures[1].imbalance);
        for (int i = 1; i < n_iterations; i++)
            assert_true(figures[i].steals_attempted.mean == 0);
        assert_true(figures[n_iterations - 1].imbalance < 0.02);
    }
}

/* As published: tasks that move before iteration 2 leave workers whose load was above C times the
 * average. */
TEST(only_workers_above_the_limit_give)
{
    struct taskpool_settings settings = settings_for("persist");
    check_ok(taskpool_settings_set(&settings, "donate-above", "1.05"));
    check_ok(taskpool_settings_set(&settings, "as-published", NULL));
    simulate(&settings, NULL, &outcome);
    double load_s[n_workers] = {0}, total_s = 0;
    int64_t n_moved = 0;
    for (int64_t task = 0; task < n_tasks; task++) {
        load_s[outcome.worker[1][task]] += task_time(task, NULL, NULL);
        total_s += task_time(task, NULL, NULL);
    }
    for (int64_t task = 0; task < n_tasks; task++)
        if (outcome.worker[1][task] != outcome.worker[2][task]) {
            n_moved++;
            assert_true(load_s[outcome.worker[1][task]] > 1.05 * total_s / n_workers);
        }
    assert_int_equal(outcome.figures[2].tasks_moved, n_moved);
}

TEST(auto_balances_and_still_steals)
{
    struct taskpool_settings settings = settings_for("auto");
    settings.seeding = TASKPOOL_SEEDING_COST;
    simulate(&settings, NULL, &outcome);
    double first = outcome.figures[0].efficiency,
           last = outcome.figures[n_iterations - 1].efficiency;
    assert_true(first > 0.9);
    assert_true(last > 0.97 && last >= first);
    /* A worker three times slower than predicted is relieved. */
    double speeds[n_workers];
    for (int i = 0; i < n_workers; i++)
        speeds[i] = i == 5 ? 1.0 / 3 : 1;
    simulate(&settings, speeds, &outcome);
    double total_s = 0, slow_s = 0;
    for (int64_t task = 0; task < n_tasks; task++) {
        double time_s = task_time(task, NULL, NULL);
        total_s += time_s;
        slow_s += outcome.worker[n_iterations - 1][task] == 5 ? time_s : 0;
    }
    check_close(slow_s, total_s / n_workers / 3, 0.1 * total_s / n_workers);
    assert_true(outcome.figures[n_iterations - 1].efficiency > 0.93);
}

/* Two tasks for each of 128 workers, 20 ms on average with a deviation of 2 ms. */
enum { n_few = 256, n_few_workers = 128 };

static double few_time(int64_t task, const void *record, const void *context)
{
    struct random_stream random;
    double sum = 0;
    (void)record;
    random_stream_init(&random, *(const uint64_t *)context, (uint64_t)task);
    for (int i = 0; i < 12; i++)
        sum += random_unit(&random);
    return 0.02 + 0.002 * (sum - 6);
}

static double few_cost(int64_t task, void *context)
{
    return few_time(task, NULL, context);
}

/* The makespans of four iterations. */
static void simulate_few(const char *mode, bool with_costs, uint64_t seed, double *makespan_s)
{
    struct taskpool_settings settings = settings_for(mode);
    settings.seeding = with_costs ? TASKPOOL_SEEDING_COST : TASKPOOL_SEEDING_CYCLIC;
    struct taskpool_problem problem = {
        .n_tasks = n_few, .run = nothing, .cost = with_costs ? few_cost : NULL, .context = &seed};
    struct taskpool_machine machine = {.n_workers = n_few_workers,
                                       .latency_s = 1e-6,
                                       .overhead_s = 1e-7,
                                       .time = few_time,
                                       .context = &seed};
    struct taskpool *pool;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < 4; i++) {
        check_ok(taskpool_run(pool));
        makespan_s[i] = taskpool_statistics(pool, i)->makespan_s;
        check_ok(taskpool_restore(pool));
    }
    taskpool_destroy(pool);
}

TEST(few_tasks_take_less_time_than_static)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double fixed_s[4], persist_s[4], auto_s[4], blind_s[4];
        simulate_few("static", false, seed, fixed_s);
        simulate_few("persist", false, seed, persist_s);
        simulate_few("auto", true, seed, auto_s);
        simulate_few("auto", false, seed, blind_s);
        assert_true(blind_s[0] <= 1.02 * fixed_s[0]);
        for (int i = 2; i < 4; i++) {
            assert_true(persist_s[i] <= 0.95 * fixed_s[0]);
            assert_true(auto_s[i] <= 0.95 * fixed_s[0]);
            assert_true(blind_s[i] <= 0.95 * fixed_s[0]);
        }
    }
}

TEST(persist_refuses_dynamic_pools)
{
    struct taskpool_settings settings = settings_for("persist");
    struct taskpool_problem problem = {.record_size = 8};
    struct taskpool_machine machine = {.n_workers = 2, .time = task_time};
    struct taskpool *pool;
    check_status(STATUS_USAGE, taskpool_simulate(&problem, &settings, &machine, &pool));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
