/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of an iteration follow from its workers' statistics. */
#include "sched/pool/core/statistics_report.h"
#include "support/io/text_file.h"
#include "tests/check.h"

#include <string.h>

enum { n_workers = 4 };

static void fill(struct statistics_worker *workers)
{
    for (int i = 0; i < n_workers; i++)
        workers[i] = (struct statistics_worker){
            .tasks = 10 * i,
            .task_s = i + 1,
            .idle_s = 0.5,
            .search_s = 0.25,
            .scheduler_s = 0.125,
            .communication_s = 0.125,
            .elapsed_s = i + 2,
            .balance_s = 0.1 * i,
            .messages = i,
            .bytes = 100 * i,
            .steals_attempted = 2 * i, /* 0 2 4 6: mean 3, sd sqrt(5) */
            .steals_successful = 1,
            .tasks_moved = 7,
        };
}

static void summarize(struct statistics_worker *workers, struct taskpool_iteration *sum)
{
    struct statistics_totals totals = statistics_totals_of(workers, n_workers);
    statistics_summarize(&totals, workers, n_workers, sum);
}

/* Equal loads whose mean rounds up: -0.00 % was printed of such. */
TEST(equal_loads_are_balanced)
{
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum = {0}, phases = {0};
    for (int k = 1; k < 200; k++) {
        for (int i = 0; i < n_workers; i++)
            workers[i] = (struct statistics_worker){.task_s = 0.1 * k, .elapsed_s = 100};
        for (int n = 1; n <= n_workers; n++) {
            struct statistics_totals totals = statistics_totals_of(workers, n);
            statistics_summarize(&totals, workers, n, &sum);
            assert_true(sum.imbalance >= 0);
            statistics_add(&phases, &sum);
            assert_true(phases.imbalance >= 0);
        }
    }
}

TEST(summary)
{
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum = {.iteration = 3};
    fill(workers);
    summarize(workers, &sum);

    assert_int_equal(sum.iteration, 3);
    assert_int_equal(sum.n_workers, n_workers);
    assert_int_equal(sum.tasks, 60);
    check_close(sum.makespan_s, 5, 0);
    check_close(sum.task_s, 10, 1e-15);
    check_close(sum.load_mean, 2.5, 1e-15);
    check_close(sum.load_max, 4, 0);
    check_close(sum.imbalance, 0.6, 1e-15);
    check_close(sum.efficiency, 0.5, 1e-15);
    check_close(sum.balance_s, 0.3, 1e-15);
    check_close(sum.steals_attempted.mean, 3, 0);
    check_close(sum.steals_attempted.sd, sqrt(5), 1e-15);
    check_close(sum.steals_successful.mean, 1, 0);
    check_close(sum.steals_successful.sd, 0, 0);
    assert_int_equal(sum.tasks_moved, 28);
    assert_int_equal(sum.messages, 6);
    assert_int_equal(sum.bytes, 600);
}

TEST(parts_make_up_the_makespan)
{
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum;
    fill(workers);
    summarize(workers, &sum);
    for (int i = 0; i < n_workers; i++) {
        const struct statistics_worker *w = &workers[i];
        check_close(w->task_s + w->idle_s + w->search_s + w->scheduler_s + w->communication_s,
                    sum.makespan_s, 1e-14);
    }
    check_close(sum.task_s + sum.idle_s + sum.search_s + sum.scheduler_s + sum.communication_s,
                n_workers * sum.makespan_s, 1e-14);
}

/* Workers that share a core: the second starts when the first has ended. None took longer than 2 s, and
 * together they took 4. */
TEST(the_makespan_begins_with_the_first_start)
{
    struct statistics_worker workers[] = {
        {.task_s = 2, .started_s = 1000.5, .elapsed_s = 2},
        {.task_s = 1.5, .idle_s = 0.25, .started_s = 1002.5, .elapsed_s = 1.75}};
    struct statistics_totals totals = statistics_totals_of(&workers[0], 1);
    struct statistics_totals second = statistics_totals_of(&workers[1], 1);
    struct taskpool_iteration sum;
    statistics_totals_add(&totals, &second);
    statistics_summarize(&totals, workers, 2, &sum);
    check_close(sum.makespan_s, 3.75, 1e-12);
    check_close(sum.efficiency, 3.5 / 7.5, 1e-12);
    check_close(sum.idle_s, 4, 1e-12);
    check_close(workers[0].idle_s, 1.75, 1e-12);
    check_close(workers[1].idle_s, 2.25, 1e-12);
}

/* A reduction adds them in another order on each process, and all must get the same bits. */
TEST(order_of_parts_does_not_matter)
{
    for (int i = 0; i < 1000; i++) {
        const struct statistics_worker early = {.idle_s = 0.1 + 0.00317 * i, .elapsed_s = 1.3};
        const struct statistics_worker late = {.idle_s = 0.33 + 0.0071 * i, .elapsed_s = 2.9};
        struct statistics_totals a = statistics_totals_of(&early, 1);
        struct statistics_totals b = statistics_totals_of(&late, 1);
        struct statistics_totals ab = a, ba = b;
        statistics_totals_add(&ab, &b);
        statistics_totals_add(&ba, &a);
        assert_memory_equal(&ab, &ba, sizeof ab);
    }
}

TEST(nothing_done)
{
    struct statistics_worker workers[n_workers] = {{0}};
    struct taskpool_iteration sum = {0};
    summarize(workers, &sum);
    check_close(sum.imbalance, 0, 0);
    check_close(sum.efficiency, 1, 0);
}

TEST(json_keys)
{
    const char *keys[] = {"iteration",         "tasks_run",         "task_seconds",
                          "efficiency",        "imbalance",         "steals_attempted",
                          "steals_successful", "makespan_seconds",  "idle_seconds",
                          "search_seconds",    "scheduler_seconds", "communication_seconds",
                          "balance_seconds",   "load_max",          "load_mean",
                          "tasks_moved",       "messages",          "bytes"};
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum = {0};
    fill(workers);
    summarize(workers, &sum);
    json_t *json = statistics_to_json(&sum);
    assert_non_null(json);
    assert_int_equal(json_object_size(json), sizeof keys / sizeof keys[0]);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_non_null(json_object_get(json, keys[i]));
    json_t *attempted = json_object_get(json, "steals_attempted");
    check_close(json_number_value(json_object_get(attempted, "mean")), 3, 0);
    check_close(json_number_value(json_object_get(attempted, "sd")), sqrt(5), 1e-15);
    check_close(json_number_value(json_object_get(json, "load_max")), 4, 0);
    json_decref(json);
}

TEST(csv)
{
    const char *path = "test_sched_statistics.csv";
    struct statistics_worker workers[2 * n_workers];
    fill(workers);
    fill(workers + n_workers);
    check_ok(statistics_write_csv(MPI_COMM_SELF, workers, 2, n_workers, path));
    struct text_file file;
    check_ok(text_file_read(path, &file));
    int n_lines = 0;
    for (size_t i = 0; i < file.length; i++)
        n_lines += file.bytes[i] == '\n';
    assert_int_equal(n_lines, 1 + 2 * n_workers);
    assert_non_null(strstr(file.bytes, "\n1,3,30,4,0.5,0.25,0.125,0.125,5,0.3,3,300,6,1,7\n"));
    text_file_fini(&file);
    remove(path);
    check_status(STATUS_IO, statistics_write_csv(MPI_COMM_SELF, workers, 2, n_workers,
                                                 "no_such_folder/statistics.csv"));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
