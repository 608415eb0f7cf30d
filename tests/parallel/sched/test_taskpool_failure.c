/* SPDX-License-Identifier: BSD-3-Clause */
/* A task that fails on one process, or a worker that cannot keep its tasks, ends the run everywhere
 * in the same way. So does a mode that loses a task or a record, or runs one twice. */
#include "tests/cases/pool_cases.h"
#include "tests/cases/sabotage_mode.h"

enum { n_tasks = 1000 };

struct failing {
    struct taskpool *pool;
    int rank;
    bool fails, failed;     /* whether tasks fail at all, and whether one has on this process */
    int64_t n_run, n_after; /* on this process, in all and after a failure */
};

/* Tasks 300, 301 and 700 fail. */
static int run(int64_t task, void *context)
{
    struct failing *failing = context;
    failing->n_run++;
    failing->n_after += failing->failed;
    taskpool_poll(failing->pool);
    if (!failing->fails || (task != 300 && task != 301 && task != 700))
        return STATUS_OK;
    failing->failed = true;
    return FAIL(STATUS_NUMERIC, "task %lld fails on rank %d", (long long)task, failing->rank);
}

/* Every process has the message of the lowest rank on which a task failed. The pool is as good as new
 * then. */
static void check_failure(const char *options)
{
    struct failing failing = {.fails = true};
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run,
                                       .owner = pool_case_owner,
                                       .cost = pool_case_cost,
                                       .context = &failing};
    struct taskpool_settings settings = pool_case_settings(options);
    char words[32];
    MPI_Comm_rank(MPI_COMM_WORLD, &failing.rank);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &failing.pool));
    check_status(STATUS_NUMERIC, taskpool_run(failing.pool));
    assert_int_equal(failing.n_after, 0);
    int first = failing.failed ? failing.rank : INT32_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    snprintf(words, sizeof words, "fails on rank %d", first);
    assert_non_null(strstr(status_text(), words));
    assert_true(taskpool_statistics(failing.pool, 0)->tasks < n_tasks);

    check_ok(taskpool_restore(failing.pool));
    failing = (struct failing){.pool = failing.pool, .rank = failing.rank};
    check_ok(taskpool_run(failing.pool));
    MPI_Allreduce(MPI_IN_PLACE, &failing.n_run, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(failing.n_run, n_tasks);
    taskpool_destroy(failing.pool);
}

TEST(first_failure_is_returned_everywhere)
{
    for (int i = 0; i < pool_case_count(true); i++)
        check_failure(pool_case_find(i, true));
}

/* --- modes that report failures --- */

static struct {
    struct taskpool_comm *comm; /* of this process's worker */
    bool in_next; /* when the last worker reports: at its first step, else in restore */
    bool reported;
} reporting;

static int reporting_init(void *state, const struct taskpool_mode_setup *mode_setup,
                          struct taskpool_comm *comm)
{
    reporting.comm = comm;
    reporting.reported = false;
    return sabotage_init(state, mode_setup, comm);
}

static void report_once(bool in_next)
{
    const struct taskpool_comm *comm = reporting.comm;
    if (reporting.reported || in_next != reporting.in_next || comm->rank < comm->size - 1)
        return;
    reporting.reported = true;
    taskpool_comm_report(reporting.comm,
                         FAIL(STATUS_NO_MEMORY, "no memory on rank %d", comm->rank));
}

static enum taskpool_mode_step next_and_report(void *state, struct taskpool_mode_work *work)
{
    report_once(true);
    return sabotage_of(state)->under->next(state, work);
}

static enum taskpool_mode_step restore_and_report(void *state)
{
    report_once(false);
    return sabotage_restore(state);
}

/* Every process has the failure of the last one, and the pool cannot go on. */
static void check_reporting_mode(const char *options, bool in_next)
{
    struct failing failing = {.fails = false};
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = run, .context = &failing};
    struct taskpool_settings settings = pool_case_settings(options);
    char text[64];
    reporting.in_next = in_next;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &failing.pool));
    int status = taskpool_run(failing.pool);
    bool is_last = reporting.comm->rank == reporting.comm->size - 1;
    if (!in_next) {
        check_ok(status);
        failing.n_run = 0;
        status = taskpool_restore(failing.pool);
        status = status == STATUS_OK ? taskpool_run(failing.pool) : status;
    }
    check_status(STATUS_NO_MEMORY, status);
    snprintf(text, sizeof text, "no memory on rank %d", reporting.comm->size - 1);
    assert_string_equal(status_text(), text);
    assert_true(failing.n_run == 0 || (in_next && !is_last));
    check_status(STATUS_USAGE, taskpool_restore(failing.pool));
    check_status(STATUS_USAGE, taskpool_run(failing.pool));
    taskpool_destroy(failing.pool);
}

/* After the test above, which runs all modes that there are. */
TEST(what_a_mode_reports_is_returned_everywhere)
{
    static const char *const lines[] = {"--sched=reports-static",   "--sched=reports-counter",
                                        "--sched=reports-share",    "--sched=reports-steal",
                                        "--sched=reports-lifeline", "--sched=reports-persist",
                                        "--sched=reports-dtree",    "--sched=reports-hybrid"};
    static struct taskpool_mode modes[sizeof lines / sizeof lines[0]];
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const char *name = strchr(lines[i], '=') + 1;
        modes[i] = sabotage_make(name, next_and_report);
        modes[i].init = reporting_init;
        modes[i].restore = restore_and_report;
        check_ok(mode_register(&modes[i]));
        check_reporting_mode(lines[i], false);
        check_reporting_mode(lines[i], true);
    }
}

/* --- modes that lose tasks --- */

static int change_record(void *record, void *context)
{
    (void)context;
    *(int64_t *)record = 0;
    return STATUS_OK;
}

static void check_found(const char *mode, bool has_records, enum status expected)
{
    struct failing failing = {.fails = false};
    const struct taskpool_problem problem = {.n_tasks = has_records ? 0 : n_tasks,
                                             .run = run,
                                             .record_size = has_records ? sizeof(int64_t) : 0,
                                             .run_record = change_record,
                                             .context = &failing};
    struct taskpool_settings settings;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &failing.pool));
    for (int64_t record = 0; has_records && record < 50; record++)
        check_ok(taskpool_add(failing.pool, &record));
    check_status(expected, taskpool_run(failing.pool));
    if (expected != STATUS_OK)
        assert_non_null(strstr(status_text(), mode));
    taskpool_destroy(failing.pool);
}

/* After the tests above, which run all modes that there are. */
TEST(wrong_modes_are_found_out)
{
    register_sabotages();
    check_found("steal", true, STATUS_OK);
    for (int i = 0; i < N_SABOTAGES; i++)
        check_found(sabotages[i], sabotages[i][0] == 'f', STATUS_PROTOCOL);
}

/* --- pools that are refused --- */

/* Only the process that looks at the last task sees that its cost is wrong. */
static double bad_last_cost(int64_t task, void *context)
{
    (void)context;
    return task == n_tasks - 1 ? -1 : 1;
}

TEST(impossible_pools_are_refused_everywhere)
{
    static const struct {
        const char *options;
        int64_t n_tasks;
        double (*cost)(int64_t, void *);
        enum status status;
    } rows[] = {
        {"--sched=static --seeding=owner", n_tasks, NULL, STATUS_USAGE},
        {"--sched=static --seeding=cost", n_tasks, NULL, STATUS_USAGE},
        {"--sched=static --seeding=cost", n_tasks, bad_last_cost, STATUS_USAGE},
        {"--sched=counter", TASKPOOL_MAX_TASKS + 1, NULL, STATUS_LIMIT},
        {"--sched=static", -1, NULL, STATUS_LIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct taskpool_problem problem = {
            .n_tasks = rows[i].n_tasks, .run = run, .cost = rows[i].cost};
        struct taskpool_settings settings = pool_case_settings(rows[i].options);
        struct taskpool *pool = NULL;
        check_status(rows[i].status, taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
        assert_null(pool);
        assert_true(strlen(status_text()) > 0);
    }
}
