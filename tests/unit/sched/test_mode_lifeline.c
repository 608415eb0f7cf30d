/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode lifeline, simulated: work reaches every worker, for any number of workers, and a worker
 * that waits for work sends no message. */
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

#include <stdio.h>

enum { MAX_WORKERS = 40 };

static double time_of_task(int64_t task, const void *record, const void *context)
{
    (void)record;
    const double *first_s = context;
    return task == 0 ? *first_s : 1e-3;
}

static int first_worker(int64_t task, int n_workers, void *context)
{
    (void)task, (void)n_workers, (void)context;
    return 0;
}

/* All tasks are worker 0's in the beginning; the first of them takes first_s, the others 1 ms. */
static struct taskpool *simulate(int n_workers, int64_t n_tasks, double first_s)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks, .owner = first_worker};
    static struct taskpool_machine machine;
    static double context;
    struct taskpool_settings settings;
    struct taskpool *pool;
    context = first_s;
    machine = (struct taskpool_machine){
        .n_workers = n_workers, .latency_s = 1e-6, .time = time_of_task, .context = &context};
    taskpool_settings_default(&settings);
    settings.mode = "lifeline";
    settings.seeding = TASKPOOL_SEEDING_OWNER;
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    return pool;
}

TEST(work_reaches_all_workers)
{
    for (int n_workers = 1; n_workers <= MAX_WORKERS; n_workers++) {
        struct taskpool *pool = simulate(n_workers, 100 * n_workers, 1e-3);
        for (int i = 0; i < 2; i++) {
            check_ok(taskpool_run(pool));
            const struct taskpool_iteration *figures = taskpool_statistics(pool, i);
            assert_int_equal(figures->tasks, 100 * n_workers);
            assert_true(figures->makespan_s < 0.2); /* 0.1 s each at best */
            check_ok(taskpool_restore(pool));
        }
        taskpool_destroy(pool);
    }
}

/* While one long task runs, only refusals, acknowledgements and the end are exchanged: their
 * number does not depend on how long it takes. */
TEST(a_worker_that_waits_sends_nothing)
{
    int64_t messages[2];
    for (int i = 0; i < 2; i++) {
        struct taskpool *pool = simulate(32, 1, i == 0 ? 1e-2 : 10);
        check_ok(taskpool_run(pool));
        messages[i] = taskpool_statistics(pool, 0)->messages;
        taskpool_destroy(pool);
    }
    assert_int_equal(messages[0], messages[1]);
    /* For each worker a random request and five calls, answered; an acknowledgement; the end. */
    assert_true(messages[0] <= 32 * (2 * (1 + 5) + 2));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
