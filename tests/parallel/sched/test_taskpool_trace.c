/* SPDX-License-Identifier: BSD-3-Clause */
/* A trace over MPI says the same as the statistics, in every mode. */
#include "sched/pool/core/statistics.h"
#include "support/base/clock.h"
#include "tests/cases/pool_cases.h"
#include "tests/cases/trace_case.h"

enum { n_tasks = 200, n_iterations = 3, n_levels = 6 };

struct traced {
    struct taskpool *pool;
};

/* Waits for 0, 5, 10 or 15 microseconds, with a poll. */
static int run(int64_t task, void *context)
{
    struct traced *traced = context;
    double start_s = clock_now_s();
    taskpool_poll(traced->pool);
    while (clock_now_s() - start_s < 5e-6 * (double)(task % 4))
        ;
    return STATUS_OK;
}

/* A record is a level of a binary tree. */
static int run_record(void *record, void *context)
{
    struct traced *traced = context;
    int64_t level = *(int64_t *)record + 1;
    for (int child = 0; child < 2 && level < n_levels; child++)
        TRY(taskpool_add(traced->pool, &level));
    return run(level, context);
}

static void check_trace(const struct taskpool_trace *trace, const struct taskpool_iteration *sum)
{
    struct trace_totals totals = trace_case_totals(trace);
    MPI_Allreduce(MPI_IN_PLACE, &totals, TRACE_TOTALS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    char why[256];
    if (!trace_case_agrees(&totals, sum, why, sizeof why))
        fail_msg("%s", why);
    if (totals.dropped == 0)
        assert_true(totals.sent >= totals.received);
    assert_true(trace_case_is_ordered(trace, &trace->logs[0]));
}

enum tasks { TASKS_WAIT, TASKS_COMPUTE, TASKS_ADDED };

/* limit  of records; 0: the trace's own */
static void check_pool(const char *options, enum tasks tasks, int64_t limit)
{
    bool dynamic = tasks == TASKS_ADDED;
    struct traced traced = {0};
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run,
                                       .computes = tasks == TASKS_COMPUTE,
                                       .owner = pool_case_owner,
                                       .cost = pool_case_cost,
                                       .context = &traced};
    if (dynamic)
        problem = (struct taskpool_problem){
            .record_size = sizeof(int64_t), .run_record = run_record, .context = &traced};
    struct taskpool_settings settings = pool_case_settings(options);
    settings.trace = trace_case_create();
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &traced.pool));
    if (limit > 0)
        trace_case_limit(settings.trace, limit);
    const int64_t root = 0;
    if (dynamic && rank == 0)
        check_ok(taskpool_add(traced.pool, &root));
    struct taskpool_iteration sum = {0};
    for (int i = 0; i < n_iterations; i++) {
        check_ok(taskpool_run(traced.pool));
        statistics_add(&sum, taskpool_statistics(traced.pool, i));
        check_trace(settings.trace, &sum);
        check_ok(taskpool_restore(traced.pool));
    }
    taskpool_destroy(traced.pool);
    taskpool_trace_destroy(settings.trace);
}

TEST(trace_agrees_with_statistics)
{
    for (int i = 0; i < pool_case_count(true); i++) {
        check_pool(pool_case_find(i, true), TASKS_WAIT, 0);
        check_pool(pool_case_find(i, true), TASKS_COMPUTE, 0);
    }
}

TEST(full_logs_count_what_they_drop)
{
    check_pool("--sched=steal", TASKS_WAIT, 7);
    check_pool("--sched=counter", TASKS_WAIT, 7);
    check_pool("--sched=persist", TASKS_WAIT, 1);
}

TEST(added_tasks)
{
    for (int i = 0; i < mode_count(); i++) {
        char options[64];
        snprintf(options, sizeof options, "--sched=%s", mode_at(i)->name);
        if (mode_at(i)->add)
            check_pool(options, TASKS_ADDED, 0);
    }
}
