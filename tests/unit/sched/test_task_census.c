/* SPDX-License-Identifier: BSD-3-Clause */
/* The census of tasks: closed forms against sums one by one, up to the largest numbers, and
 * simulated pools whose mode is wrong. With an argument, a simulated pool of that many tasks too.
 */
#include "sched/pool/core/task_census.h"
#include "tests/cases/sabotage_mode.h"
#include "tests/cases/simulated_pool.h"

static int64_t n_of_large_pool;

static void check_equal(const struct task_census *a, const struct task_census *b)
{
    assert_true(a->n == b->n && a->sum == b->sum && a->squares == b->squares);
}

static void check_range(struct taskpool_range range)
{
    struct task_census closed = {0}, counted = {0};
    task_census_add_range(&closed, &range);
    for (int64_t task = range.first; task < range.last; task += range.step)
        task_census_add(&counted, (uint64_t)task);
    check_equal(&counted, &closed);
}

TEST(ranges_are_the_sum_of_their_tasks)
{
    for (int64_t first = 0; first < 8; first++)
        for (int64_t last = 0; last < 40; last++)
            for (int64_t step = 1; step < 5; step++)
                check_range((struct taskpool_range){first, last, step});
    int64_t far = TASKPOOL_MAX_TASKS - 1000;
    check_range((struct taskpool_range){far, TASKPOOL_MAX_TASKS, 1});
    check_range((struct taskpool_range){far, TASKPOOL_MAX_TASKS, 7});
    check_range((struct taskpool_range){0, TASKPOOL_MAX_TASKS, TASKPOOL_MAX_TASKS / 100});
}

/* For any cuts, into blocks or in steps, the parts of the largest pools sum up to the whole. */
TEST(parts_sum_up_to_the_whole)
{
    const int64_t pools[] = {22000000000, 22000000001, TASKPOOL_MAX_TASKS, 1, 0};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        for (int64_t n_parts = 1; n_parts < 50; n_parts += 6) {
            struct task_census whole = {0}, blocks = {0}, steps = {0};
            task_census_add_range(&whole, &(struct taskpool_range){0, pools[i], 1});
            for (int64_t part = 0; part < n_parts; part++) {
                struct taskpool_range block = taskpool_range_block(pools[i], n_parts, part);
                struct taskpool_range step = {part, pools[i], n_parts};
                task_census_add_range(&blocks, &block);
                task_census_add_range(&steps, &step);
            }
            check_equal(&whole, &blocks);
            check_equal(&whole, &steps);
        }
}

TEST(every_byte_of_a_record_counts)
{
    unsigned char record[20] = {0};
    struct task_census first = {0};
    task_census_add_record(&first, record, sizeof record);
    for (size_t i = 0; i < sizeof record; i++) {
        struct task_census changed = {0};
        record[i]++;
        task_census_add_record(&changed, record, sizeof record);
        record[i]--;
        assert_true(changed.sum != first.sum);
    }
}

/* A microsecond; null tasks, which are simulated in some 10 ns, a picosecond. */
static double time_of(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record;
    return context ? 1e-12 : 1e-6;
}

static bool all_null(int64_t first, int64_t last, const void *context)
{
    (void)first, (void)last, (void)context;
    return true;
}

static void check_simulated(const char *mode, int64_t n_tasks, const char *words)
{
    bool large = n_tasks > 1000;
    struct taskpool_problem problem = {.n_tasks = n_tasks};
    struct taskpool_machine machine = {.n_workers = 5,
                                       .time = time_of,
                                       .are_null = large ? all_null : NULL,
                                       .context = large ? "null tasks" : NULL};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_status(STATUS_PROTOCOL, taskpool_run(pool));
    assert_non_null(strstr(status_text(), mode));
    assert_non_null(strstr(status_text(), words));
    check_status(STATUS_USAGE, taskpool_restore(pool));
    taskpool_destroy(pool);
}

TEST(simulated_modes_that_are_wrong_are_found_out)
{
    const int64_t n_tasks[] = {10, 100, n_of_large_pool};
    for (int i = 0; i < (n_of_large_pool > 0 ? 3 : 2); i++) {
        char words[64];
        snprintf(words, sizeof words, "ran %lld tasks of %lld", (long long)n_tasks[i] - 1,
                 (long long)n_tasks[i]);
        check_simulated("loses", n_tasks[i], words);
        check_simulated("swaps", n_tasks[i], "each once");
    }
}

TEST(records_that_get_lost_are_found_out)
{
    static struct simulated tree = {
        .command_line = "--sched=forgets", .n_tasks = 199, .dynamic = true, .machine.n_workers = 5};
    simulated_create(&tree);
    check_status(STATUS_PROTOCOL, taskpool_run(tree.pool));
    check_status(STATUS_USAGE, taskpool_restore(tree.pool));
    taskpool_destroy(tree.pool);
}

static void start(void)
{
    check_begin_mpi();
    n_of_large_pool = check_argc > 1 ? atoll(check_argv[1]) : 0;
    register_sabotage();
}

TEST_SETUP(start)
TEST_TEARDOWN(check_end_mpi)
