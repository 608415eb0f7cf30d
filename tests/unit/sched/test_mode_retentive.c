/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode retentive keeps the order of the tasks, by hand, and the workers that ran them, in
 * simulation. */
#include "taskpool/simulation.h"
#include "tests/cases/stealing_case.h"

/* Runs all that two workers have between them, without a message; the tasks of
 * each in the order of running. */
static void run_out_in_order(int64_t order[2][128], int64_t n_tasks[2])
{
    struct taskpool_range range;
    for (int worker = 0; worker < 2; worker++)
        while (task_deque_n_tasks(&workers[worker].stealing->deque) > 0) {
            assert_int_equal(next(worker, 3, &range), TASKPOOL_MODE_RUN);
            for (int64_t task = range.first; task < range.last; task += range.step) {
                order[worker][n_tasks[worker]++] = task;
                mode->finished(workers[worker].stealing, task, 1e-6);
            }
        }
    assert_int_equal(n_messages, 0);
}

TEST(retentive_runs_the_same_in_the_same_order)
{
    static int64_t order[4][2][128];
    int64_t n_tasks[4][2] = {{0}};
    struct taskpool_range range;
    hire(2, "--sched=retentive --as-published");
    load(0, 120, 40);
    next(0, 1, &range);
    order[0][0][n_tasks[0][0]++] = range.first;
    mode->finished(workers[0].stealing, range.first, 1e-6);
    assert_true(steal() > 0);
    run_out_in_order(order[0], n_tasks[0]);
    assert_int_equal(n_tasks[0][0] + n_tasks[0][1], 120);
    for (int i = 1; i < 4; i++) {
        for (int worker = 0; worker < 2; worker++)
            assert_int_equal(mode->restore(workers[worker].stealing), TASKPOOL_MODE_DONE);
        run_out_in_order(order[i], n_tasks[i]);
        assert_memory_equal(n_tasks[i], n_tasks[0], sizeof n_tasks[0]);
        assert_memory_equal(order[i], order[0], sizeof order[0]);
    }
    dismiss(2);
}

/* One worker, whose task t takes t seconds: in the second iteration the first task that runs. */
static int64_t first_retained(const char *command_line)
{
    struct taskpool_mode_work work = {.n_wanted = 1, .tasks_are_long = true};
    hire(1, command_line);
    load(0, 8, 8);
    while (mode->next(workers[0].stealing, &work) == TASKPOOL_MODE_RUN)
        mode->finished(workers[0].stealing, work.range.first, (double)work.range.first);
    assert_int_equal(mode->restore(workers[0].stealing), TASKPOOL_MODE_DONE);
    assert_int_equal(mode->next(workers[0].stealing, &work), TASKPOOL_MODE_RUN);
    int64_t first = work.range.first;
    dismiss(1);
    return first;
}

TEST(the_longest_come_first_or_the_order_stays)
{
    assert_in_range(first_retained("--sched=retentive"), 40, 70); /* by powers of two */
    assert_int_equal(first_retained("--sched=retentive --as-published"), 0);
}

/* A task runs where it ran in the last iteration, unless it was stolen. Thefts become fewer from
 * iteration to iteration. Without imbalance nothing is stolen. */
TEST(retentive_starts_where_the_tasks_ran)
{
    static struct run run;
    static int before[MAX_TASKS];
    const int n_workers[] = {16, 64};
    for (int i = 0; i < 2; i++) {
        struct taskpool_machine machine = {.latency_s = 1e-5, .time = uneven};
        run = (struct run){.n_workers = n_workers[i], .n_tasks = 300 * n_workers[i]};
        struct taskpool *pool = simulate(&run, "--sched=retentive", &machine);
        double first = 0;
        for (int iteration = 0; iteration < 5; iteration++) {
            memcpy(before, run.worker, sizeof before);
            iterate(&run, pool, iteration);
            int64_t n_changed = 0;
            for (int64_t task = 0; task < run.n_tasks; task++)
                n_changed += run.worker[task] != before[task];
            if (iteration == 0)
                first = run.figures.steals_successful.mean;
            else
                assert_true(n_changed <= run.figures.tasks_moved);
        }
        assert_true(run.figures.steals_successful.mean < 0.1 * first);
        taskpool_destroy(pool);
    }
}

enum { BLOCK = 1250, N_LONG = 25 };
#define LOAD_S 0.0125

/* Blocks of workers with short tasks alone, and blocks that begin with long ones, as much in all. */
static double short_or_long(int64_t task, const void *record, const void *context)
{
    (void)record;
    (void)context;
    if (task / BLOCK % 2 == 0)
        return LOAD_S / BLOCK;
    return task % BLOCK < N_LONG ? LOAD_S / N_LONG : 0;
}

/* Loads are even from the beginning. */
TEST(short_tasks_count_as_load)
{
    static struct run run;
    struct taskpool_machine machine = {.latency_s = 1e-6, .time = short_or_long};
    run = (struct run){.n_workers = 16, .n_tasks = 16 * BLOCK};
    struct taskpool *pool = simulate(&run, "--sched=retentive", &machine);
    for (int iteration = 0; iteration < 4; iteration++) {
        iterate(&run, pool, iteration);
        assert_true(run.figures.makespan_s < 1.05 * LOAD_S);
        for (int64_t task = BLOCK; task < run.n_tasks; task += 2 * (int64_t)BLOCK)
            for (int64_t i = 0; i < N_LONG - 2; i++)
                assert_int_equal(run.worker[task + i], task / BLOCK);
    }
    taskpool_destroy(pool);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
