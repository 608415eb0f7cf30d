/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasklets of mode hybrid hold every task, and run where locality, skew and
 * groups place them, in simulation. */
#include "sched/pool/queues/tasklet_queue.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdlib.h>

enum { N_WORKERS = 12, N_TASKS = 12 * 200, N_OWN = 200 };

/* --- tasklets --- */

/* The tasklets hold the tasks of the list in its order, each of them some. */
static void check_tasklets(const struct taskpool_range *ranges, int64_t n_ranges, int64_t n_wanted,
                           bool skew)
{
    struct tasklets tasklets;
    struct task_ranges list = {0}, expected = {0};
    int64_t n_tasks = 0;
    check_ok(tasklets_init(&tasklets, ranges, n_ranges, n_wanted, skew));
    for (int64_t i = 0; i < tasklets.n; i++) {
        assert_true(tasklets_size(&tasklets, i) >= 1);
        n_tasks += tasklets_size(&tasklets, i);
        check_ok(tasklets_add_to(&tasklets, i, &list));
    }
    int64_t n_expected = 0;
    for (int64_t i = 0; i < n_ranges; i++) {
        n_expected += taskpool_range_count(&ranges[i]);
        for (int64_t task = ranges[i].first; task < ranges[i].last; task += ranges[i].step)
            check_ok(task_ranges_add(&expected, task));
    }
    assert_int_equal(n_tasks, n_expected);
    assert_int_equal(tasklets.n, n_wanted < n_expected ? n_wanted : n_expected);
    int64_t r = 0, k = 0;
    for (int64_t i = 0; i < list.n; i++)
        for (int64_t task = list.list[i].first; task < list.list[i].last;
             task += list.list[i].step) {
            if (k == taskpool_range_count(&expected.list[r])) {
                r++;
                k = 0;
            }
            assert_int_equal(task, expected.list[r].first + k++ * expected.list[r].step);
        }
    task_ranges_fini(&list);
    task_ranges_fini(&expected);
    tasklets_fini(&tasklets);
}

static void test_tasklets_hold_every_task(void **state)
{
    (void)state;
    const struct taskpool_range ranges[] = {{3, 4, 1},     {10, 50, 1}, {5, 5, 1},
                                            {100, 200, 7}, {60, 61, 1}, {300, 302, 1}};
    for (int64_t n_ranges = 0; n_ranges <= 6; n_ranges++)
        for (int64_t n_wanted = 1; n_wanted <= 70; n_wanted++)
            for (int skew = 0; skew < 2; skew++)
                check_tasklets(ranges, n_ranges, n_wanted, skew);
}

/* Sizes of m tasks in k tasklets fall in equal steps from 2 m / k - 1 to 1. */
static void test_skewed_sizes(void **state)
{
    (void)state;
    const struct taskpool_range range = {0, 6400, 1};
    struct tasklets tasklets;
    check_ok(tasklets_init(&tasklets, &range, 1, 64, true));
    assert_int_equal(tasklets.n, 64);
    for (int64_t i = 0; i < 64; i++)
        check_close((double)tasklets_size(&tasklets, i), 199 - 198 * (double)i / 63, 1.01);
    assert_int_equal(tasklets_size(&tasklets, 63), 1);
    tasklets_fini(&tasklets);
}

static void test_the_largest_pool(void **state)
{
    (void)state;
    const struct taskpool_range range = {0, TASKPOOL_MAX_TASKS, 1};
    for (int skew = 0; skew < 2; skew++) {
        struct tasklets tasklets;
        int64_t n_tasks = 0;
        check_ok(tasklets_init(&tasklets, &range, 1, 1000, skew));
        for (int64_t i = 0; i < tasklets.n; i++) {
            assert_true(tasklets_size(&tasklets, i) >= 1);
            n_tasks += tasklets_size(&tasklets, i);
        }
        assert_int_equal(n_tasks, TASKPOOL_MAX_TASKS);
        tasklets_fini(&tasklets);
    }
}

/* --- the queue --- */

static struct tasklet take(struct tasklet_queue *queue, int member)
{
    int last;
    const struct tasklet *tasklet = tasklet_queue_take(queue, member, &last);
    assert_non_null(tasklet);
    struct tasklet copy = *tasklet;
    copy.last = last;
    return copy;
}

/* Members 0, 1, 2 with 2, 6, 4 tasklets of 5, 2 and 3 tasks. */
static void make_queue(struct tasklet_queue *queue, bool skew, bool locality)
{
    const struct taskpool_range ranges[] = {{0, 10, 1}, {10, 22, 1}, {22, 34, 1}};
    const int64_t n[] = {2, 6, 4};
    struct tasklets parts[3];
    for (int m = 0; m < 3; m++)
        check_ok(tasklets_init(&parts[m], &ranges[m], 1, n[m], false));
    check_ok(tasklet_queue_init(queue, parts, 3, skew, locality));
    for (int m = 0; m < 3; m++)
        tasklets_fini(&parts[m]);
}

static void test_queue_prefers_what_ran_last_then_what_was_seeded(void **state)
{
    (void)state;
    struct tasklet_queue queue;
    make_queue(&queue, false, true);
    /* Member 0 takes its own two, then the last of the richest: 1, 1, then of
     * equal ones either. */
    for (int i = 0; i < 2; i++) {
        struct tasklet own = take(&queue, 0);
        assert_int_equal(own.owner, 0);
        assert_int_equal(own.index, i);
    }
    for (int i = 0; i < 2; i++) {
        struct tasklet other = take(&queue, 0);
        assert_int_equal(other.owner, 1);
        assert_int_equal(other.last, 1);
        assert_int_equal(other.index, 5 - i);
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(take(&queue, 1).owner, 1);
    for (int i = 0; i < 4; i++)
        assert_int_equal(take(&queue, 2).owner, 2);
    int last;
    for (int m = 0; m < 3; m++)
        assert_null(tasklet_queue_take(&queue, m, &last));
    assert_int_equal(queue.n_tasks_taken, 34);

    /* Next time member 0 has four of its last time. Member 1, having run its
     * own four, takes back those two that it was seeded with. */
    tasklet_queue_begin(&queue);
    for (int i = 0; i < 4; i++)
        assert_int_equal(take(&queue, 1).last, 1);
    for (int i = 0; i < 2; i++) {
        struct tasklet back = take(&queue, 1);
        assert_int_equal(back.owner, 1);
        assert_int_equal(back.last, 0);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(take(&queue, 0).last, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(take(&queue, 1).owner, 2);
    assert_null(tasklet_queue_take(&queue, 2, &last));
    tasklet_queue_fini(&queue);
}

static void test_queue_without_locality_is_a_plain_queue(void **state)
{
    (void)state;
    struct tasklet_queue queue;
    make_queue(&queue, true, false);
    int64_t before = INT64_MAX;
    for (int i = 0; i < 12; i++) {
        struct tasklet tasklet = take(&queue, 2);
        assert_true(tasklet.n_tasks <= before);
        before = tasklet.n_tasks;
    }
    tasklet_queue_fini(&queue);
}

static void test_skewed_queue_gives_the_largest_of_another(void **state)
{
    (void)state;
    const struct taskpool_range ranges[] = {{0, 0, 1}, {0, 100, 1}};
    struct tasklets parts[2];
    struct tasklet_queue queue;
    for (int m = 0; m < 2; m++)
        check_ok(tasklets_init(&parts[m], &ranges[m], 1, 8, true));
    check_ok(tasklet_queue_init(&queue, parts, 2, true, true));
    for (int64_t before = INT64_MAX, i = 0; i < 8; i++) {
        struct tasklet tasklet = take(&queue, 0);
        assert_true(tasklet.n_tasks <= before);
        before = tasklet.n_tasks;
    }
    tasklet_queue_fini(&queue);
    for (int m = 0; m < 2; m++)
        tasklets_fini(&parts[m]);
}

/* --- where tasks run --- */

struct trial {
    struct taskpool_settings settings;
    struct taskpool_machine machine;
    double speeds[N_WORKERS];
    int ran_on[3][N_TASKS];
    double makespan_s[3];
    int64_t tasks_moved[3];
};

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

static struct trial make_trial(void)
{
    struct trial trial = {.machine = {.n_workers = N_WORKERS,
                                      .latency_s = 1e-5,
                                      .latency_spread_s = 1e-5,
                                      .time = one_millisecond}};
    taskpool_settings_default(&trial.settings);
    trial.settings.mode = "hybrid";
    trial.settings.keep_history = true;
    for (int i = 0; i < N_WORKERS; i++)
        trial.speeds[i] = 1;
    return trial;
}

static void run_trial(struct trial *trial)
{
    struct taskpool_problem problem = {.n_tasks = N_TASKS};
    struct taskpool *pool;
    trial->machine.speeds = trial->speeds;
    check_ok(taskpool_simulate(&problem, &trial->settings, &trial->machine, &pool));
    for (int iteration = 0; iteration < 3; iteration++) {
        if (iteration > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        const struct taskpool_history *history = taskpool_history(pool);
        assert_int_equal(history->n_entries, N_TASKS);
        for (int64_t i = 0; i < history->n_entries; i++)
            trial->ran_on[iteration][history->entries[i].task] = history->entries[i].worker;
        trial->makespan_s[iteration] = taskpool_statistics(pool, iteration)->makespan_s;
        trial->tasks_moved[iteration] = taskpool_statistics(pool, iteration)->tasks_moved;
    }
    taskpool_destroy(pool);
}

/* The first 200 x 0.3 tasks of each worker's block. */
static void test_the_static_part_never_leaves(void **state)
{
    (void)state;
    struct trial trial = make_trial();
    check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0.3"));
    trial.speeds[3] = 0.1;
    run_trial(&trial);
    for (int iteration = 0; iteration < 3; iteration++) {
        for (int64_t task = 0; task < N_TASKS; task++)
            if (task % N_OWN < 60)
                assert_int_equal(trial.ran_on[iteration][task], task / N_OWN);
        assert_true(trial.tasks_moved[iteration] > 0 || iteration > 0);
    }
}

static void test_equal_workers_keep_their_tasklets(void **state)
{
    (void)state;
    struct trial trial = make_trial();
    run_trial(&trial);
    assert_memory_equal(trial.ran_on[0], trial.ran_on[1], sizeof trial.ran_on[0]);
    assert_int_equal(trial.tasks_moved[1], 0);
    check_ok(taskpool_settings_set(&trial.settings, "no-locality", "true"));
    run_trial(&trial);
    assert_memory_not_equal(trial.ran_on[0], trial.ran_on[1], sizeof trial.ran_on[0]);
    assert_true(trial.tasks_moved[1] > 0);
}

/* A slow worker gives tasklets away once; then they stay where they went. */
static void test_a_slow_worker_is_relieved_for_good(void **state)
{
    (void)state;
    for (int skew = 0; skew < 2; skew++) {
        struct trial trial = make_trial();
        trial.speeds[7] = 1 / 3.0;
        check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0.2"));
        check_ok(taskpool_settings_set(&trial.settings, "skew", skew ? "true" : "false"));
        run_trial(&trial);
        /* static: 200 tasks in 0.6 s; ideal: 2400 tasks at 11.33 per ms, 0.212 s */
        for (int iteration = 0; iteration < 3; iteration++)
            assert_true(trial.makespan_s[iteration] < 0.235);
        assert_true(trial.tasks_moved[0] > 100);
        assert_true(trial.tasks_moved[1] < trial.tasks_moved[0] / 4);
    }
}

/* Tasks stay within groups, of a given size or of a node. */
static void test_groups(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct trial trial = make_trial();
        check_ok(taskpool_settings_set(&trial.settings, "group", by_node ? "0" : "5"));
        trial.machine.node_size = by_node ? 5 : 2;
        check_ok(taskpool_settings_set(&trial.settings, "static-fraction", "0"));
        trial.speeds[1] = trial.speeds[11] = 0.2;
        run_trial(&trial);
        for (int64_t task = 0; task < N_TASKS; task++)
            assert_int_equal(trial.ran_on[0][task] / 5, task / N_OWN / 5);
        assert_true(trial.tasks_moved[0] > 0);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasklets_hold_every_task),
        cmocka_unit_test(test_skewed_sizes),
        cmocka_unit_test(test_the_largest_pool),
        cmocka_unit_test(test_queue_prefers_what_ran_last_then_what_was_seeded),
        cmocka_unit_test(test_queue_without_locality_is_a_plain_queue),
        cmocka_unit_test(test_skewed_queue_gives_the_largest_of_another),
        cmocka_unit_test(test_the_static_part_never_leaves),
        cmocka_unit_test(test_equal_workers_keep_their_tasklets),
        cmocka_unit_test(test_a_slow_worker_is_relieved_for_good),
        cmocka_unit_test(test_groups),
    };
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return n_failed;
}
