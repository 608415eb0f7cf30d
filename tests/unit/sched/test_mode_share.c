/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode share: managers run no task, chunks pass through them, and surplus is
 * released only as often as the release interval allows. */
#include "taskpool/simulation.h"
#include "tests/cases/pool_cases.h"
#include "tests/check.h"

#include <mpi.h>
#include <stdlib.h>

struct share_run {
    struct taskpool *pool;
    int64_t n_records; /* of a dynamic pool's tree, in which i adds 2 i + 1 and 2 i + 2 */
    int64_t per_worker[64];
};

static double one_millisecond(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    (void)context;
    return 1e-3;
}

static int run_record(void *record, void *context)
{
    struct share_run *run = context;
    int64_t task = *(int64_t *)record;
    for (int64_t child = 2 * task + 1; child <= 2 * task + 2 && child < run->n_records; child++)
        TRY(taskpool_add(run->pool, &child));
    return STATUS_OK;
}

/* Runs a pool of so many tasks and counts them by worker. */
static struct taskpool_iteration simulate(const char *command_line, int n_workers, int64_t n_tasks,
                                          bool dynamic, struct share_run *run)
{
    struct taskpool_settings settings = pool_case_settings(command_line);
    struct taskpool_machine machine = {
        .n_workers = n_workers, .latency_s = 1e-6, .time = one_millisecond};
    struct taskpool_problem problem = {.n_tasks = n_tasks, .context = run};
    settings.keep_history = true;
    *run = (struct share_run){.n_records = n_tasks};
    if (dynamic)
        problem = (struct taskpool_problem){
            .record_size = sizeof(int64_t), .run_record = run_record, .context = run};
    check_ok(taskpool_simulate(&problem, &settings, &machine, &run->pool));
    const int64_t root = 0;
    if (dynamic)
        check_ok(taskpool_add(run->pool, &root));
    check_ok(taskpool_run(run->pool));
    const struct taskpool_history *history = taskpool_history(run->pool);
    assert_int_equal(history->n_entries, n_tasks);
    for (int64_t i = 0; i < history->n_entries; i++)
        run->per_worker[history->entries[i].worker]++;
    struct taskpool_iteration figures = *taskpool_statistics(run->pool, 0);
    taskpool_destroy(run->pool);
    return figures;
}

/* Groups of 10 workers under 3 managers begin at 0, 3 and 6. */
TEST(managers_run_no_task)
{
    struct share_run run;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        simulate("--sched=share --managers=3 --chunk=1 --release-every=1", 10, 5000, dynamic, &run);
        for (int worker = 0; worker < 10; worker++) {
            bool is_manager = worker == 0 || worker == 3 || worker == 6;
            assert_true(is_manager == (run.per_worker[worker] == 0));
        }
    }
}

TEST(one_worker_has_no_manager)
{
    struct share_run run;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        struct taskpool_iteration figures =
            simulate("--sched=share --managers=3", 1, 100, dynamic, &run);
        assert_int_equal(run.per_worker[0], 100);
        assert_int_equal(figures.messages, 0);
    }
}

/* At most half of all are managers. */
TEST(every_manager_has_a_worker)
{
    struct share_run run;
    for (int n_workers = 2; n_workers < 10; n_workers++) {
        simulate("--sched=share --managers=100 --chunk=1", n_workers, 1000, false, &run);
        int n_managers = 0;
        for (int worker = 0; worker < n_workers; worker++)
            n_managers += run.per_worker[worker] == 0;
        assert_int_equal(n_managers, n_workers / 2);
    }
}

/* A request and a grant for each chunk; a request and the end for each worker. */
TEST(messages_of_a_static_pool)
{
    struct share_run run;
    struct taskpool_iteration figures = simulate("--sched=share", 8, 1001, false, &run);
    assert_int_equal(figures.messages, 2 * 51 + 2 * 7);
    assert_int_equal(figures.tasks_moved, 1001);
    figures = simulate("--sched=share --chunk=7", 8, 700, false, &run);
    assert_int_equal(figures.messages, 2 * 100 + 2 * 7);
}

/* A manager out of tasks gets half of another's: with groups of 2 and 8 tasks
 * would else be done by one worker and by the other in equal shares. */
TEST(surplus_passes_between_managers)
{
    struct share_run run;
    struct taskpool_iteration figures =
        simulate("--sched=share --managers=2 --chunk=1 --release-every=1", 8, 4000, true, &run);
    assert_true(figures.steals_successful.mean > 0);
    for (int worker = 0; worker < 8; worker++)
        assert_true((worker % 4 == 0) == (run.per_worker[worker] == 0));
    assert_true(figures.load_max < 2 * 4.0 / 6);
}

TEST(release_interval)
{
    struct share_run run;
    /* Never allowed: the root goes to one worker, and all stays there. */
    struct taskpool_iteration figures =
        simulate("--sched=share --chunk=1 --release-every=4000", 8, 4000, true, &run);
    assert_int_equal(figures.tasks_moved, 1);
    /* Each chunk of two is moved twice; no more releases than intervals. */
    figures = simulate("--sched=share --chunk=2 --release-every=100", 8, 4000, true, &run);
    assert_in_range(figures.tasks_moved, 3, 1 + 2 * 2 * 4000 / 100);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
