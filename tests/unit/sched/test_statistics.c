/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics of an iteration follow from its workers' statistics. */
#include "sched/pool/core/statistics_report.h"
#include "tests/cases/file_bytes.h"

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

/* Also where nothing was done, and where the mean rounds up: -0.00 % was printed then. */
TEST(equal_loads_are_balanced)
{
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum = {0}, phases = {0};
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < n_workers; i++)
            workers[i] =
                (struct statistics_worker){.task_s = 0.1 * k, .elapsed_s = k > 0 ? 100 : 0};
        for (int n = 1; n <= n_workers; n++) {
            struct statistics_totals totals = statistics_totals_of(workers, n);
            statistics_summarize(&totals, workers, n, &sum);
            assert_true(sum.imbalance >= 0 && (k > 0 || sum.imbalance == 0));
            statistics_add(&phases, &sum);
            assert_true(phases.imbalance >= 0 && (k > 0 || sum.efficiency == 1));
        }
    }
}

/* As JSON: idle_s has the wait for the slowest worker, so that the parts make up its makespan. */
TEST(summary)
{
    static const struct {
        const char *key;
        double expected, sd;
    } rows[] = {
        {"iteration", 3, 0},
        {"tasks_run", 60, 0},
        {"task_seconds", 10, 0},
        {"efficiency", 0.5, 0},
        {"imbalance", 0.6, 0},
        {"steals_attempted", 3, 2.23606797749979},
        {"steals_successful", 1, 0},
        {"makespan_seconds", 5, 0},
        {"idle_seconds", 8, 0},
        {"search_seconds", 1, 0},
        {"scheduler_seconds", 0.5, 0},
        {"communication_seconds", 0.5, 0},
        {"balance_seconds", 0.3, 0},
        {"load_max", 4, 0},
        {"load_mean", 2.5, 0},
        {"tasks_moved", 28, 0},
        {"messages", 6, 0},
        {"bytes", 600, 0},
    };
    struct statistics_worker workers[n_workers];
    struct taskpool_iteration sum = {.iteration = 3};
    fill(workers);
    summarize(workers, &sum);
    assert_int_equal(sum.n_workers, n_workers);
    for (int i = 0; i < n_workers; i++) {
        const struct statistics_worker *w = &workers[i];
        check_close(w->task_s + w->idle_s + w->search_s + w->scheduler_s + w->communication_s,
                    sum.makespan_s, 1e-14);
    }
    json_t *json = statistics_to_json(&sum);
    assert_int_equal(json_object_size(json), sizeof rows / sizeof rows[0]);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *value = json_object_get(json, rows[i].key);
        if (json_is_object(value)) {
            check_close(json_number_value(json_object_get(value, "sd")), rows[i].sd, 1e-14);
            value = json_object_get(value, "mean");
        }
        assert_true(json_is_number(value));
        check_close(json_number_value(value), rows[i].expected, 1e-14);
    }
    json_decref(json);
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

TEST(csv)
{
    static const char path[] = "test_sched_statistics.csv";
    struct statistics_worker workers[2 * n_workers];
    fill(workers);
    fill(workers + n_workers);
    check_ok(statistics_write_csv(MPI_COMM_SELF, workers, 2, n_workers, path));
    char *bytes = file_bytes_read(path, NULL);
    int n_lines = 0;
    for (const char *end = bytes; (end = strchr(end, '\n')); end++)
        n_lines++;
    assert_int_equal(n_lines, 1 + 2 * n_workers);
    assert_non_null(strstr(bytes, "\n1,3,30,4,0.5,0.25,0.125,0.125,5,0.3,3,300,6,1,7\n"));
    free(bytes);
    remove(path);
    check_status(STATUS_IO, statistics_write_csv(MPI_COMM_SELF, workers, 2, n_workers,
                                                 "no_such_folder/statistics.csv"));
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
