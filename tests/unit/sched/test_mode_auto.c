/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode auto with unknown speeds, costs or drift: a slow worker is found out, by costs in
 * the first iteration, by a task that is tried elsewhere before the third, and tasks are not dealt out for
 * it; stealing stays on where durations change; and each iteration says what was chosen. */
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 16, N_ITERATIONS = 5, SLOW = 5 };

struct load {
    double (*time)(int64_t task, const void *record, const void *context);
    bool has_costs;
    double slow_speed;
    int more_slow; /* workers after SLOW */
    int64_t tasks_each;
    int64_t iteration;
    struct taskpool_iteration iterations[N_ITERATIONS];
};

static double equal_time(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 0.01;
}

/* In each block of eight tasks one is long. */
static double uneven_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task % 8 == 3 ? 0.02 : 0.001;
}

/* Durations of two blocks of two tasks, one of them long. */
static double uneven_pairs_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task % 4 < 2 ? 0.02 : 0.001;
}

static double one_long_time(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    return task == 16 ? 0.1 : 0.01;
}

/* Another in each iteration, by up to a half. */
static double changing_time(int64_t task, const void *record, const void *context)
{
    const struct load *load = context;
    (void)record;
    return 0.01 * (1 + 0.5 * (double)((task * 7 + load->iteration * 5) % 11) / 10);
}

static double known_cost(int64_t task, void *context)
{
    const struct load *load = context;
    return load->time(task, NULL, load);
}

static int run_nothing(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return TASKPOOL_STATUS_OK;
}

static void simulate_auto(struct load *load)
{
    double speeds[N_WORKERS];
    for (int i = 0; i < N_WORKERS; i++)
        speeds[i] = i >= SLOW && i <= SLOW + load->more_slow ? load->slow_speed : 1;
    struct taskpool_problem problem = {.n_tasks = N_WORKERS * load->tasks_each,
                                       .run = run_nothing,
                                       .cost = load->has_costs ? known_cost : NULL,
                                       .context = load};
    struct taskpool_machine machine = {.n_workers = N_WORKERS,
                                       .latency_s = 1e-5,
                                       .speeds = speeds,
                                       .time = load->time,
                                       .context = load};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "auto";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (load->iteration = 0; load->iteration < N_ITERATIONS; load->iteration++) {
        if (load->iteration > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        load->iterations[load->iteration] = *taskpool_statistics(pool, load->iteration);
    }
    taskpool_destroy(pool);
}

static bool says(const struct load *load, int iteration, const char *words)
{
    return strstr(load->iterations[iteration].choice.what, words) != NULL;
}

/* With the longest first it would take 0.1 s: the long task of the slow worker. */
static void test_costs_show_a_slow_worker_in_the_first_iteration(void **state)
{
    (void)state;
    struct load load = {.time = uneven_time, .has_costs = true, .slow_speed = 0.2, .tasks_each = 8};
    simulate_auto(&load);
    assert_true(load.iterations[0].makespan_s < 0.055);
    assert_true(says(&load, 0, "the shortest, then the longest first, stealing"));
}

/* One of the longest and one of the shortest for each: 0.005 s for the short one of the slow worker, and 0.1
 * for the long one, which waits until another has run its own. */
static void test_a_slow_worker_leaves_its_last_task(void **state)
{
    (void)state;
    struct load load = {
        .time = uneven_pairs_time, .has_costs = true, .slow_speed = 0.2, .tasks_each = 2};
    simulate_auto(&load);
    assert_true(load.iterations[0].makespan_s < 0.043);
    assert_true(says(&load, 0, "dealt out by cost"));
}

/* Its one task takes 0.1 s, longer than the average load, and looks like a long one. At best 64 tasks
 * take 0.05 s, which 15 workers do not all have the same number of. */
static void test_a_task_that_all_wait_for_is_tried_elsewhere(void **state)
{
    (void)state;
    struct load load = {.time = equal_time, .slow_speed = 0.1, .tasks_each = 4};
    simulate_auto(&load);
    assert_true(load.iterations[0].makespan_s > 0.0999);
    assert_true(says(&load, 1, "tried elsewhere"));
    for (int i = 2; i < N_ITERATIONS; i++)
        assert_true(load.iterations[i].makespan_s < 0.0505);
}

/* It is tried once, and nobody takes longer for it. */
static void test_a_long_task_stays_where_it_was_tried(void **state)
{
    (void)state;
    struct load load = {.time = one_long_time, .slow_speed = 1, .tasks_each = 4};
    simulate_auto(&load);
    assert_true(says(&load, 1, "tried elsewhere"));
    for (int i = 0; i < N_ITERATIONS; i++) {
        check_close(load.iterations[i].makespan_s, 0.1, 1e-3);
        assert_int_equal(says(&load, i, "tried elsewhere"), i == 1);
    }
    assert_int_equal(load.iterations[N_ITERATIONS - 1].tasks_moved, 0);
}

static bool deals_later(const struct load *load)
{
    for (int i = 2; i < N_ITERATIONS; i++)
        if (says(load, i, "dealt out anew"))
            return true;
    return false;
}

/* Once durations are known to be noise; at first, or where they are not, all are dealt out. */
static void test_noisy_tasks_are_not_dealt_out_for_one_slow_worker(void **state)
{
    (void)state;
    struct load one = {
        .time = changing_time, .has_costs = true, .slow_speed = 0.2, .tasks_each = 2};
    struct load half = one, quiet = one;
    half.more_slow = N_WORKERS / 2 - 1;
    quiet.time = uneven_pairs_time;
    simulate_auto(&one);
    simulate_auto(&half);
    simulate_auto(&quiet);
    assert_true(says(&one, 2, "tasks moved between pairs"));
    assert_false(deals_later(&one));
    assert_true(deals_later(&half));
    assert_true(says(&quiet, 1, "dealt out anew"));
}

static void test_stealing_stays_on_where_durations_change(void **state)
{
    (void)state;
    struct load steady = {.time = equal_time, .slow_speed = 1, .tasks_each = 8};
    struct load changing = {.time = changing_time, .slow_speed = 1, .tasks_each = 8};
    simulate_auto(&steady);
    simulate_auto(&changing);
    assert_true(says(&steady, N_ITERATIONS - 1, "tasks stay, no stealing"));
    for (int i = 0; i < N_ITERATIONS; i++)
        assert_true(says(&changing, i, ", stealing"));
    assert_non_null(strstr(changing.iterations[2].choice.why, "noise"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs_show_a_slow_worker_in_the_first_iteration),
        cmocka_unit_test(test_a_slow_worker_leaves_its_last_task),
        cmocka_unit_test(test_a_task_that_all_wait_for_is_tried_elsewhere),
        cmocka_unit_test(test_a_long_task_stays_where_it_was_tried),
        cmocka_unit_test(test_noisy_tasks_are_not_dealt_out_for_one_slow_worker),
        cmocka_unit_test(test_stealing_stays_on_where_durations_change),
    };
    MPI_Init(NULL, NULL);
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}
