/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker three times slower than the others loses no task in any mode, and the modes of this
 * library that balance the load relieve it from the first iteration on. */
#include "sched/pool/modes/modes.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <string.h>

enum { N_WORKERS = 16, N_TASKS = 1600, N_ITERATIONS = 4, SLOW = 5 };

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

static int count_run(int64_t task, void *context)
{
    int *n_runs = context;
    n_runs[task]++;
    return STATUS_OK;
}

/* The cost is known, but not how slow that worker is. */
static double equal_cost(int64_t task, void *context)
{
    (void)task;
    (void)context;
    return 1;
}

/* makespan_s of each iteration. */
static void simulate(const char *mode, int progress, double makespan_s[N_ITERATIONS])
{
    double speeds[N_WORKERS];
    int n_runs[N_TASKS] = {0};
    for (int i = 0; i < N_WORKERS; i++)
        speeds[i] = i == SLOW ? 1 / 3.0 : 1;
    struct taskpool_problem problem = {
        .n_tasks = N_TASKS, .run = count_run, .cost = equal_cost, .context = n_runs};
    struct taskpool_machine machine = {
        .n_workers = N_WORKERS, .latency_s = 1e-5, .speeds = speeds, .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    settings.progress = progress;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    for (int i = 0; i < N_ITERATIONS; i++) {
        if (i > 0)
            check_ok(taskpool_restore(pool));
        check_ok(taskpool_run(pool));
        makespan_s[i] = taskpool_statistics(pool, i)->makespan_s;
        for (int task = 0; task < N_TASKS; task++)
            assert_int_equal(n_runs[task], i + 1);
    }
    taskpool_destroy(pool);
}

/* Whether a mode promises to; a mode that was added need not. */
static bool balances(const char *mode)
{
    static const char *const names[] = {"counter", "factoring", "trapezoid", "share",
                                        "steal",   "lifeline",  "retentive", "persist",
                                        "dtree",   "hybrid",    "auto"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(mode, names[i]) == 0)
            return true;
    return false;
}

TEST(a_slow_worker_loses_no_task_and_is_relieved)
{
    for (int progress = TASKPOOL_PROGRESS_POLL; progress <= TASKPOOL_PROGRESS_THREAD; progress++)
        for (int mode = 0; mode < mode_count(); mode++) {
            double makespan_s[N_ITERATIONS];
            const char *name = mode_at(mode)->name;
            simulate(name, progress, makespan_s);
            for (int i = 0; i < N_ITERATIONS; i++) {
                /* 100 tasks of 3 ms; at best 1600 tasks at 15.33 in a ms: 0.104 s */
                if (strcmp(name, "static") == 0)
                    check_close(makespan_s[i], 0.3, 1e-9);
                else if (balances(name))
                    assert_true(makespan_s[i] < 0.6 * 0.3);
            }
        }
}

/* On two nodes thieves pass over a slow worker of their own, and the others refuse at once. */
TEST(thieves_pause_while_a_slow_worker_runs_its_task)
{
    enum { N = 32 };
    double speeds[N];
    int n_runs[N] = {0};
    for (int i = 0; i < N; i++)
        speeds[i] = i == N - 1 ? 1e-3 : 1;
    struct taskpool_problem problem = {.n_tasks = N, .run = count_run, .context = n_runs};
    struct taskpool_machine machine = {.n_workers = N,
                                       .node_size = N / 2,
                                       .latency_s = 1e-6,
                                       .speeds = speeds,
                                       .time = one_millisecond};
    struct taskpool_settings settings;
    struct taskpool *pool;
    taskpool_settings_default(&settings);
    settings.mode = "steal";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_ok(taskpool_run(pool));
    /* 30 to 70 attempts of each, and the search for the end */
    assert_in_range(taskpool_statistics(pool, 0)->messages, N, 300 * N);
    taskpool_destroy(pool);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
