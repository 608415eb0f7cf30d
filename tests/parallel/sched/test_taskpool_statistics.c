/* SPDX-License-Identifier: BSD-3-Clause */
/* The statistics of a pool agree with the tasks, times and messages of its run. */
#include "sched/lab/profiles/profile.h"
#include "sched/pool/pool_timeline.h"
#include "support/base/clock.h"
#include "support/io/text_file.h"
#include "tests/cases/pool_cases.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

enum { n_tasks = 300, n_iterations = 3 };

struct busy {
    struct taskpool *pool;
    double spent_s;        /* in bodies on this process, by its own clock */
    double least_progress; /* of what was seen from inside tasks */
    double most_progress;
};

/* Waits for 0, 10, 20 or 30 microseconds. */
static int run(int64_t task, void *context)
{
    struct busy *busy = context;
    double progress = taskpool_progress(busy->pool);
    busy->least_progress = fmin(busy->least_progress, progress);
    busy->most_progress = fmax(busy->most_progress, progress);
    taskpool_poll(busy->pool); /* counts as communication */
    double start_s = clock_now_s(), now_s;
    do
        now_s = clock_now_s();
    while (now_s - start_s < 1e-5 * (double)(task % 4));
    busy->spent_s += now_s - start_s;
    return STATUS_OK;
}

/* Tasks that compute wait for a core where processes share cores, and have no more of these than there are. */
static void check_task_time(const struct taskpool_iteration *sum, double spent_s, bool computes,
                            int size)
{
    double n_cores = (double)sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Allreduce(MPI_IN_PLACE, &spent_s, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (!computes || size == 1)
        assert_true(sum->task_s >= spent_s);
    else if (size > n_cores)
        assert_true(sum->task_s <= n_cores * sum->makespan_s);
}

static void check_sums(const struct taskpool_iteration *sum, int size)
{
    assert_int_equal(sum->n_workers, size);
    assert_int_equal(sum->tasks, n_tasks);
    check_close(sum->task_s + sum->idle_s + sum->search_s + sum->scheduler_s + sum->communication_s,
                size * sum->makespan_s, 1e-9);
    check_close(sum->efficiency, sum->task_s / (size * sum->makespan_s), 1e-12);
    check_close(sum->load_mean, sum->task_s / size, 1e-12);
    check_close(sum->imbalance, sum->load_max / sum->load_mean - 1, 1e-9);
    assert_true(sum->load_max <= sum->makespan_s * (1 + 1e-12));
    assert_true(sum->idle_s >= 0 && sum->search_s >= 0 && sum->scheduler_s >= 0 &&
                sum->communication_s >= 0);
}

/* Every task has one entry, on the process that ran it. */
static void check_history(const struct taskpool_history *history, double task_s, int rank)
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

static void check_messages(const struct taskpool_iteration *sum, const char *options, int size)
{
    if (strstr(options, "=static")) {
        assert_int_equal(sum->messages, 0);
        check_close(sum->search_s, 0, 0);
    }
    if (strstr(options, "=counter"))
        assert_true(sum->search_s > 0);
    if (strcmp(options, "--sched=counter") == 0)
        assert_in_range(sum->messages, n_tasks, n_tasks + size);
    if (strstr(options, "=static") || strstr(options, "=counter")) {
        assert_int_equal(sum->bytes, 8 * sum->messages);
        assert_int_equal(sum->tasks_moved, 0);
        check_close(sum->steals_attempted.mean, 0, 0);
    }
    assert_true(sum->steals_successful.mean <= sum->steals_attempted.mean);
}

static double sum_numbers(const json_t *array)
{
    double sum = 0;
    for (size_t i = 0; i < json_array_size(array); i++)
        sum += json_number_value(json_array_get(array, i));
    return sum;
}

/* task_s  of all iterations; the bins have the polls from inside tasks as well */
static void check_timeline(const struct taskpool *pool, double task_s, int rank, int size)
{
    json_t *timeline;
    check_ok(pool_timeline(pool, &timeline));
    if (rank > 0) {
        assert_null(timeline);
        return;
    }
    const json_t *utilisation = json_object_get(timeline, "utilisation");
    double bin_s = json_number_value(json_object_get(utilisation, "bin_seconds"));
    double noted_s = sum_numbers(json_object_get(utilisation, "task")) * bin_s * size;
    assert_true(noted_s >= 0.98 * task_s &&
                noted_s <= size * bin_s +
                               size * json_number_value(json_object_get(utilisation, "seconds")));
    check_close(sum_numbers(json_object_get(json_object_get(timeline, "durations"), "tasks")),
                n_tasks, 0);
    assert_int_equal(json_array_size(json_object_get(timeline, "lanes")), size < 16 ? size : 16);
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(timeline, "first_loads"), "seconds")),
        size);
    json_decref(timeline);
}

static void check_pool(const char *options, bool keep_history, bool computes)
{
    struct busy busy = {0};
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run,
                                       .computes = computes,
                                       .owner = pool_case_owner,
                                       .cost = pool_case_cost,
                                       .context = &busy};
    struct taskpool_settings settings = pool_case_settings(options);
    settings.keep_history = settings.keep_timeline = keep_history;
    double task_s = 0;
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &busy.pool));
    for (int i = 0; i < n_iterations; i++) {
        busy = (struct busy){.pool = busy.pool, .least_progress = 1};
        check_ok(taskpool_run(busy.pool));
        assert_int_equal(taskpool_n_iterations(busy.pool), i + 1);
        const struct taskpool_iteration *sum = taskpool_statistics(busy.pool, i);
        assert_int_equal(sum->iteration, i);
        check_sums(sum, size);
        task_s += sum->task_s;
        check_messages(sum, options, size);
        check_task_time(sum, busy.spent_s, computes, size);
        assert_true(busy.least_progress >= 0 && busy.most_progress <= 1);
        if (keep_history)
            check_history(taskpool_history(busy.pool), sum->task_s, rank);
        else
            assert_int_equal(taskpool_history(busy.pool)->n_entries, 0);
        check_ok(taskpool_restore(busy.pool));
    }
    if (keep_history)
        check_timeline(busy.pool, task_s, rank, size);
    taskpool_destroy(busy.pool);
}

TEST(parts_make_up_the_makespan)
{
    for (int i = 0; i < pool_case_count(true); i++) {
        check_pool(pool_case_find(i, true), false, false);
        check_pool(pool_case_find(i, true), true, false);
        check_pool(pool_case_find(i, true), i % 2 == 0, true);
    }
}

static int count_lines(const char *path)
{
    struct text_file file;
    int n_lines = 0;
    check_ok(text_file_read_all(path, MPI_COMM_WORLD, &file));
    for (size_t i = 0; i < file.length; i++)
        n_lines += file.bytes[i] == '\n';
    text_file_fini(&file);
    MPI_Barrier(MPI_COMM_WORLD);
    return n_lines;
}

TEST(files)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char path[64];
    snprintf(path, sizeof path, "test_taskpool_statistics_%d.csv", size);
    struct busy busy = {0};
    struct taskpool_problem problem = {.n_tasks = n_tasks, .run = run, .context = &busy};
    struct taskpool_settings settings = pool_case_settings("--sched=counter");
    settings.keep_history = true;
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &busy.pool));
    for (int i = 0; i < n_iterations; i++) {
        check_ok(taskpool_run(busy.pool));
        check_ok(taskpool_restore(busy.pool));
    }
    check_ok(taskpool_write_statistics(busy.pool, path));
    assert_int_equal(count_lines(path), 1 + n_iterations * size);
    check_ok(profile_write(MPI_COMM_WORLD, taskpool_history(busy.pool), path));
    assert_int_equal(count_lines(path), 1 + n_tasks);
    check_status(STATUS_IO, taskpool_write_statistics(busy.pool, "no_such_folder/statistics.csv"));
    taskpool_destroy(busy.pool);
    if (rank == 0)
        remove(path);
}
