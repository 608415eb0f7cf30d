/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics, history, timeline and trace of a pool agree with its tasks and with one another, in every
 * mode. */
#include "sched/lab/profiles/profile.h"
#include "sched/pool/core/statistics.h"
#include "sched/pool/pool_timeline.h"
#include "support/base/clock.h"
#include "tests/cases/file_bytes.h"
#include "tests/cases/pool_cases.h"
#include "tests/cases/trace_case.h"

#include <unistd.h>

enum {
    n_tasks = 300,
    n_iterations = 3,
    n_levels = 6,
    n_records = 63 /* a binary tree of so many levels */
};

struct busy {
    struct taskpool *pool;
    double spent_s;                       /* in bodies on this process, by its own clock */
    double least_progress, most_progress; /* seen from inside tasks */
};

static int rank, size;

/* Waits for 0, 10, 20 or 30 microseconds, with a poll, which counts as communication. */
static int run(int64_t task, void *context)
{
    struct busy *busy = context;
    double progress = taskpool_progress(busy->pool);
    busy->least_progress = fmin(busy->least_progress, progress);
    busy->most_progress = fmax(busy->most_progress, progress);
    taskpool_poll(busy->pool);
    double start_s = clock_now_s(), now_s;
    do
        now_s = clock_now_s();
    while (now_s - start_s < 1e-5 * (double)(task % 4));
    busy->spent_s += now_s - start_s;
    return STATUS_OK;
}

/* A record is its level in a binary tree. */
static int run_record(void *record, void *context)
{
    struct busy *busy = context;
    int64_t level = *(int64_t *)record + 1;
    for (int child = 0; child < 2 && level < n_levels; child++)
        TRY(taskpool_add(busy->pool, &level));
    return run(level, context);
}

/* Tasks that compute wait for a core where processes share cores, and have no more of these than there
 * are. */
static void check_sums(const struct taskpool_iteration *sum, double spent_s, bool computes)
{
    double n_cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Allreduce(MPI_IN_PLACE, &spent_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!computes || size == 1)
        assert_true(sum->task_s >= spent_s);
    else if (size > n_cores)
        assert_true(sum->task_s <= n_cores * sum->makespan_s);
    assert_int_equal(sum->n_workers, size);
    check_close(sum->task_s + sum->idle_s + sum->search_s + sum->scheduler_s + sum->communication_s,
                size * sum->makespan_s, 1e-9);
    assert_true(sum->load_max <= sum->makespan_s * (1 + 1e-12));
    assert_true(
        fmin(fmin(sum->idle_s, sum->search_s), fmin(sum->scheduler_s, sum->communication_s)) >= 0);
    assert_true(sum->steals_successful.mean <= sum->steals_attempted.mean);
}

/* Every task has one entry, on the process that ran it. */
static void check_history(const struct taskpool_history *history, double task_s)
{
    int seen[n_tasks] = {0};
    double entries_s = 0;
    for (int64_t i = 0; i < history->n_entries; i++) {
        assert_int_equal(history->entries[i].worker, rank);
        seen[history->entries[i].task]++;
        entries_s += history->entries[i].time_s;
    }
    MPI_Allreduce(MPI_IN_PLACE, seen, n_tasks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int task = 0; task < n_tasks; task++)
        assert_int_equal(seen[task], 1);
    MPI_Allreduce(MPI_IN_PLACE, &entries_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check_close(entries_s, task_s, 1e-6 * task_s);
}

static double sum_numbers(const json_t *array)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        sum += json_number_value(json_array_get(array, i));
    return sum;
}

/* task_s  of all iterations; the bins have the polls from inside tasks as well */
static void check_timeline(const struct taskpool *pool, double task_s)
{
    json_t *timeline;
    double bin_s, seconds;
    const json_t *durations, *lanes, *noted, *loads;
    check_ok(pool_timeline(pool, &timeline));
    if (rank > 0) {
        assert_null(timeline);
        return;
    }
    assert_int_equal(json_unpack(timeline, "{s{sF sF so} s{so} so s{so}}", "utilisation",
                                 "bin_seconds", &bin_s, "seconds", &seconds, "task", &noted,
                                 "durations", "tasks", &durations, "lanes", &lanes, "first_loads",
                                 "seconds", &loads),
                     0);
    double noted_s = sum_numbers(noted) * bin_s * size;
    assert_true(noted_s >= 0.98 * task_s && noted_s <= size * (bin_s + seconds));
    check_close(sum_numbers(durations), n_tasks, 0);
    assert_int_equal(json_array_size(lanes), size < 16 ? size : 16);
    assert_int_equal(json_array_size(loads), size);
    json_decref(timeline);
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

struct kind {
    bool computes, adds; /* tasks of their own, of a pool that starts with one */
    bool keeps;          /* history and timeline */
    int64_t limit;       /* of the trace's records; 0: no trace, -1: its own */
};

static void check_pool(const char *options, struct kind kind)
{
    struct busy busy = {0};
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run,
                                       .computes = kind.computes,
                                       .owner = pool_case_owner,
                                       .cost = pool_case_cost,
                                       .context = &busy};
    if (kind.adds)
        problem = (struct taskpool_problem){
            .record_size = sizeof(int64_t), .run_record = run_record, .context = &busy};
    struct taskpool_settings settings = pool_case_settings(options);
    struct taskpool_iteration all = {0};
    const int64_t root = 0;
    settings.keep_history = settings.keep_timeline = kind.keeps;
    settings.trace = kind.limit ? trace_case_create() : NULL;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &busy.pool));
    if (kind.limit > 0)
        trace_case_limit(settings.trace, kind.limit);
    if (kind.adds && rank == 0)
        check_ok(taskpool_add(busy.pool, &root));
    for (int i = 0; i < n_iterations; i++) {
        busy = (struct busy){.pool = busy.pool, .least_progress = 1};
        check_ok(taskpool_run(busy.pool));
        assert_int_equal(taskpool_n_iterations(busy.pool), i + 1);
        const struct taskpool_iteration *sum = taskpool_statistics(busy.pool, i);
        assert_int_equal(sum->iteration, i);
        assert_int_equal(sum->tasks, kind.adds ? n_records : n_tasks);
        statistics_add(&all, sum);
        check_sums(sum, busy.spent_s, kind.computes);
        assert_true(busy.least_progress >= 0 && busy.most_progress <= 1);
        if (kind.keeps)
            check_history(taskpool_history(busy.pool), sum->task_s);
        else
            assert_int_equal(taskpool_history(busy.pool)->n_entries, 0);
        if (kind.limit)
            check_trace(settings.trace, &all);
        check_ok(taskpool_restore(busy.pool));
    }
    if (kind.keeps)
        check_timeline(busy.pool, all.task_s);
    taskpool_destroy(busy.pool);
    taskpool_trace_destroy(settings.trace);
}

TEST(everything_agrees_in_every_mode)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < pool_case_count(true); i++) {
        const char *options = pool_case_find(i, true);
        check_pool(options, (struct kind){.keeps = false});
        check_pool(options, (struct kind){.keeps = true, .limit = -1});
        check_pool(options, (struct kind){.computes = true, .keeps = i % 2 == 0, .limit = -1});
    }
    for (int i = 0; i < mode_count(); i++) {
        char options[64];
        snprintf(options, sizeof options, "--sched=%s", mode_at(i)->name);
        if (mode_at(i)->add)
            check_pool(options, (struct kind){.adds = true, .limit = -1});
    }
}

TEST(full_logs_count_what_they_drop)
{
    check_pool("--sched=steal", (struct kind){.limit = 7});
    check_pool("--sched=counter", (struct kind){.limit = 7});
    check_pool("--sched=persist", (struct kind){.limit = 1});
}

static void check_lines(const char *path, int n_lines)
{
    if (rank == 0) {
        char *bytes = file_bytes_read(path, NULL);
        for (char *end = bytes; (end = strchr(end, '\n')); end++)
            n_lines--;
        free(bytes);
        unlink(path);
        assert_int_equal(n_lines, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST(files_have_the_rows_of_all_processes)
{
    char path[64];
    struct busy busy = {0};
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = run, .context = &busy};
    struct taskpool_settings settings = pool_case_settings("--sched=counter");
    settings.keep_history = true;
    snprintf(path, sizeof path, "test_taskpool_statistics_%d.csv", size);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &busy.pool));
    check_ok(taskpool_run(busy.pool));
    check_ok(taskpool_restore(busy.pool));
    check_ok(taskpool_run(busy.pool));
    check_ok(taskpool_write_statistics(busy.pool, path));
    check_lines(path, 1 + 2 * size);
    check_ok(profile_write(MPI_COMM_WORLD, taskpool_history(busy.pool), path));
    check_lines(path, 1 + n_tasks);
    check_status(STATUS_IO, taskpool_write_statistics(busy.pool, "no_such_folder/statistics.csv"));
    taskpool_destroy(busy.pool);
}
