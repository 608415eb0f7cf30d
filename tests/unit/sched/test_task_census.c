/* SPDX-License-Identifier: BSD-3-Clause */
/* The census of tasks: closed forms against sums one by one, up to the largest numbers, and
 * simulated pools whose mode is wrong. */
#include "sched/pool/core/task_census.h"
#include "tests/cases/sabotage_mode.h"
#include "tests/cases/simulated_pool.h"

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

static void check_simulated(const char *line, int64_t n_tasks, bool dynamic, const char *words)
{
    static struct simulated pool;
    pool = (struct simulated){
        .command_line = line, .n_tasks = n_tasks, .dynamic = dynamic, .machine.n_workers = 5};
    simulated_create(&pool);
    check_status(STATUS_PROTOCOL, taskpool_run(pool.pool));
    assert_non_null(strstr(status_text(), strchr(line, '=') + 1));
    assert_non_null(strstr(status_text(), words));
    check_status(STATUS_USAGE, taskpool_restore(pool.pool));
    taskpool_destroy(pool.pool);
}

/* Each of five workers loses one. */
TEST(simulated_modes_that_are_wrong_are_found_out)
{
    check_simulated("--sched=loses-static", 10, false, "ran 5 tasks of 10");
    check_simulated("--sched=loses-static", 100, false, "ran 95 tasks of 100");
    check_simulated("--sched=swaps-static", 10, false, "each once");
    check_simulated("--sched=swaps-static", 100, false, "each once");
    check_simulated("--sched=forgets-steal", 199, true, "");
}

static void start(void)
{
    check_begin_mpi();
    register_sabotages();
}

TEST_SETUP(start)
TEST_TEARDOWN(check_end_mpi)
