/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks that take longer elsewhere than where they ran in the last iteration (problem.move_cost), in
 * simulation: whatever the latencies, every task runs once; few move though durations vary from
 * iteration to iteration, none where moving costs too much; and an imbalance that lasts is evened
 * out all the same. */
#include "sched/pool/protocols/move_account.h"
#include "support/base/random.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { n_tasks = 900, n_workers = 30, n_iterations = 8, N_SEEDS = 6 };

static const char *const movers[] = {"retentive", "persist", "auto"};
enum { N_MOVERS = sizeof movers / sizeof movers[0] };

/* --- the account --- */

static void test_moved_tasks_end_before_those_that_stay(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 100; n++)
        for (double move_cost = 0; move_cost < 9; move_cost += 0.75) {
            struct move_account account = {0};
            move_account_begin(&account, move_cost, 0);
            double moved = (double)move_account_worth(&account, n, 0, 0);
            assert_true(moved * (1 + move_cost) <= (double)n - moved);
            assert_true((moved + 1) * (1 + move_cost) > (double)n - (moved + 1));
        }
}

static void test_a_worker_that_lags_keeps_what_it_would_have_run(void **state)
{
    (void)state;
    struct move_account account = {0};
    for (int i = 0; i < 20; i++)
        move_account_add(&account, 1, i);
    move_account_begin(&account, 3, 100);
    assert_int_equal(move_account_worth(&account, 19, 0, 100), 3);  /* the thief ran nothing */
    assert_int_equal(move_account_worth(&account, 19, 4, 100), 3);  /* 15 more than it has run */
    assert_int_equal(move_account_worth(&account, 19, 10, 100), 1); /* 9 more */
    assert_int_equal(move_account_worth(&account, 19, 20, 100), 0); /* as much as the thief */
    assert_int_equal(move_account_worth(&account, 19, 20, 200),
                     0); /* one task has not run as long */
    for (int i = 0; i < 20; i++)
        move_account_add(&account, 1, 100);
    assert_int_equal(move_account_worth(&account, 19, 20, 100), 3);
}

/* --- simulated --- */

/* The durations of an iteration, about `mean_s` and no more than `spread` off. */
struct durations {
    uint64_t seed;
    int iteration;
    double spread;
    double grows; /* factor of the first worker's tasks from the second iteration on; 0: none */
    double measured_cost; /* replaces move_cost after the first iteration; 0: nothing does */
};

static double varied_time(int64_t task, const void *record, const void *context)
{
    const struct durations *durations = context;
    struct random_stream random;
    (void)record;
    random_stream_init(&random, durations->seed, (uint64_t)task);
    double time_s = 1e-3 * (0.2 - log(1 - random_unit(&random)));
    if (durations->grows > 0 && durations->iteration > 0 && task < n_tasks / n_workers)
        time_s *= durations->grows;
    random_stream_init(&random, durations->seed + (uint64_t)durations->iteration, (uint64_t)task);
    return time_s * (1 + durations->spread * (2 * random_unit(&random) - 1));
}

static double varied_cost(int64_t task, void *context)
{
    return varied_time(task, NULL, context);
}

static int count_run(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return STATUS_OK;
}

struct moves {
    int64_t n_first;               /* in the first iteration */
    double first_s;                /* its makespan */
    int64_t n_late;                /* from the third iteration on */
    double late_attempts;          /* to steal, likewise, of a worker */
    double attempts[n_iterations]; /* to steal in each, of a worker */
    double last_makespan_s;        /* of the last iteration */
    bool longest_first;            /* in the last iteration, by powers of two of the duration */
};

static void check_ran_once(const struct taskpool *pool, int iteration)
{
    const struct taskpool_history *history = taskpool_history(pool);
    bool ran[n_tasks] = {false};
    assert_int_equal(history->n_entries, n_tasks);
    assert_int_equal(taskpool_statistics(pool, iteration)->tasks, n_tasks);
    for (int64_t i = 0; i < n_tasks; i++) {
        assert_false(ran[history->entries[i].task]);
        ran[history->entries[i].task] = true;
    }
}

static bool ran_longest_first(const struct taskpool_history *history)
{
    int last[n_workers];
    for (int i = 0; i < n_workers; i++)
        last[i] = INT_MAX;
    for (int64_t i = 0; i < history->n_entries; i++) {
        const struct taskpool_history_entry *entry = &history->entries[i];
        int power = ilogbf(entry->time_s);
        if (power > last[entry->worker])
            return false;
        last[entry->worker] = power;
    }
    return true;
}

/* mode: what follows --sched=. */
static struct moves simulate_moves(const char *mode, double move_cost, const double *speeds,
                                   struct durations durations)
{
    char command_line[100];
    snprintf(command_line, sizeof command_line, "--sched=%s", mode);
    struct taskpool_settings settings = pool_case_settings(command_line);
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = count_run,
                                       .cost = varied_cost,
                                       .move_cost = move_cost,
                                       .context = &durations};
    struct taskpool_machine machine = {.n_workers = n_workers,
                                       .latency_s = 2e-5,
                                       .latency_spread_s = 1e-4 * (double)(durations.seed % 3),
                                       .latency_power = 2,
                                       .time = varied_time,
                                       .context = &durations,
                                       .speeds = speeds};
    struct taskpool *pool;
    struct moves moves = {0};
    settings.seed = (int64_t)durations.seed;
    settings.keep_history = true;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < n_iterations; i++) {
        durations.iteration = i;
        check_ok(taskpool_run(pool));
        check_ran_once(pool, i);
        const struct taskpool_iteration *figures = taskpool_statistics(pool, i);
        if (i == 0) {
            moves.n_first = figures->tasks_moved;
            moves.first_s = figures->makespan_s;
        }
        moves.attempts[i] = figures->steals_attempted.mean;
        moves.n_late += i >= 2 ? figures->tasks_moved : 0;
        moves.late_attempts += i >= 2 ? figures->steals_attempted.mean : 0;
        moves.last_makespan_s = figures->makespan_s;
        if (i == 0 && durations.measured_cost > 0)
            check_ok(taskpool_set_move_cost(pool, durations.measured_cost));
        check_ok(taskpool_restore(pool));
    }
    moves.longest_first = ran_longest_first(taskpool_history(pool));
    taskpool_destroy(pool);
    return moves;
}

static void test_few_tasks_move_where_that_costs_something(void **state)
{
    (void)state;
    for (int i = 0; i < N_MOVERS; i++) {
        int64_t n_free = 0, n_costly = 0, n_forbidden = 0;
        for (uint64_t seed = 1; seed <= N_SEEDS; seed++) {
            struct durations durations = {.seed = 100 * seed, .spread = 0.2};
            n_free += simulate_moves(movers[i], 0, NULL, durations).n_late;
            n_costly += simulate_moves(movers[i], 4.5, NULL, durations).n_late;
            n_forbidden += simulate_moves(movers[i], 1e9, NULL, durations).n_late;
        }
        assert_true(n_costly < n_free / 2);
        assert_true(n_costly < n_tasks * N_SEEDS * (n_iterations - 2) / 50);
        assert_int_equal(n_forbidden, 0);
    }
}

/* No data is anywhere yet. */
static void test_the_first_iteration_steals_as_if_moves_were_free(void **state)
{
    (void)state;
    double speeds[n_workers] = {0};
    for (int i = 0; i < n_workers; i++)
        speeds[i] = i % 10 == 3 ? 0.2 : 1;
    for (int i = 0; i < N_MOVERS; i++) {
        struct durations durations = {.seed = 5, .spread = 0.2};
        struct moves is_free = simulate_moves(movers[i], 0, speeds, durations);
        struct moves costly = simulate_moves(movers[i], 1e9, speeds, durations);
        assert_true(costly.n_first > is_free.n_first / 2);
        assert_true(costly.first_s < 1.05 * is_free.first_s);
    }
}

static void test_a_cost_that_is_measured_counts(void **state)
{
    (void)state;
    double speeds[n_workers] = {[3] = 0.2};
    for (int i = 0; i < n_workers; i++)
        speeds[i] = speeds[i] > 0 ? speeds[i] : 1;
    for (int i = 0; i < N_MOVERS; i++) {
        struct durations durations = {.seed = 5, .spread = 0.4};
        int64_t n_estimated = simulate_moves(movers[i], 0.5, speeds, durations).n_late;
        durations.measured_cost = 1e9;
        assert_true(n_estimated > 0);
        assert_int_equal(simulate_moves(movers[i], 0.5, speeds, durations).n_late, 0);
    }
}

/* Where no victim would give a task anyway, workers that are done are done. */
static void test_retentive_does_not_search_where_loads_are_even(void **state)
{
    (void)state;
    struct durations even = {.seed = 5, .spread = 0.05}, uneven = {.seed = 3, .spread = 0.5};
    assert_true(simulate_moves("retentive", 0, NULL, uneven).late_attempts > 0);
    assert_true(simulate_moves("retentive", 4.5, NULL, even).late_attempts == 0);
}

/* Workers three times slower than others: without moves the makespan is three times as long. */
static void test_a_lasting_imbalance_is_evened_out(void **state)
{
    (void)state;
    double speeds[n_workers];
    for (int i = 0; i < n_workers; i++)
        speeds[i] = i % 10 == 3 ? 1.0 / 3 : 1;
    for (int i = 0; i < N_MOVERS; i++)
        for (double move_cost = 1.5; move_cost < 12; move_cost += 3) {
            struct durations durations = {.seed = 5, .spread = 0.05};
            double fixed_s = simulate_moves("static", move_cost, speeds, durations).last_makespan_s;
            double moved_s =
                simulate_moves(movers[i], move_cost, speeds, durations).last_makespan_s;
            assert_true(moved_s < 0.6 * fixed_s);
        }
}

static void test_persist_steals_four_times_where_moves_are_cheap(void **state)
{
    (void)state;
    struct durations lasting = {.seed = 5};
    const double move_costs[] = {0, 0.1, 1};
    for (int i = 0; i < 3; i++) {
        struct moves moves = simulate_moves("persist", move_costs[i], NULL, lasting);
        bool is_cheap = i == 1;
        assert_true(moves.attempts[0] > 0);
        assert_true((moves.attempts[1] > 0) == is_cheap);
        assert_true((moves.attempts[2] > 0) == is_cheap);
        assert_true((moves.attempts[3] > 0) == is_cheap);
        assert_true(moves.attempts[4] == 0);
        assert_true(moves.longest_first == is_cheap);
    }
    assert_true(simulate_moves("persist --never-worse=false", 0.1, NULL, lasting).attempts[1] == 0);
    assert_true(simulate_moves("persist --never-worse=false --balancer=pairs", 0.1, NULL, lasting)
                    .attempts[1] == 0);
    assert_false(simulate_moves("persist --deque=1000", 0.1, NULL, lasting).longest_first);
    lasting.measured_cost = 160;
    assert_true(simulate_moves("persist", 0.1, NULL, lasting).attempts[1] == 0);
}

/* Before a move pays, tasks move for which the receiver has time while it would wait. */
static void test_an_imbalance_that_begins_late_is_evened_out(void **state)
{
    (void)state;
    for (int i = 0; i < N_MOVERS; i++)
        for (double move_cost = 1.5; move_cost < 12; move_cost += 3) {
            struct durations durations = {.seed = 5, .spread = 0.05, .grows = 4};
            double fixed_s = simulate_moves("static", move_cost, NULL, durations).last_makespan_s;
            double moved_s = simulate_moves(movers[i], move_cost, NULL, durations).last_makespan_s;
            assert_true(moved_s < (i == 0 ? 0.75 : 0.5) * fixed_s); /* thieves take little */
        }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moved_tasks_end_before_those_that_stay),
        cmocka_unit_test(test_a_worker_that_lags_keeps_what_it_would_have_run),
        cmocka_unit_test(test_few_tasks_move_where_that_costs_something),
        cmocka_unit_test(test_the_first_iteration_steals_as_if_moves_were_free),
        cmocka_unit_test(test_a_cost_that_is_measured_counts),
        cmocka_unit_test(test_retentive_does_not_search_where_loads_are_even),
        cmocka_unit_test(test_persist_steals_four_times_where_moves_are_cheap),
        cmocka_unit_test(test_a_lasting_imbalance_is_evened_out),
        cmocka_unit_test(test_an_imbalance_that_begins_late_is_evened_out),
    };
    return check_run_parallel(tests, &argc, &argv);
}
