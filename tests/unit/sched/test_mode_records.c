/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes whose results differ are named, nothing else fails a comparison; the JSON has what was
 * recorded. */
#include "sched/lab/comparison/mode_records.h"
#include "tests/check.h"

#include <string.h>

static void init_records(struct mode_records *records)
{
    static const struct mode_list modes = {.n = 3, .modes = {"static", "counter", "share"}};
    *records = (struct mode_records){0};
    mode_records_start(records, &modes);
    for (int m = 0; m < 3; m++) {
        struct mode_record *record = mode_records_begin(records, m);
        strcpy(record->sha256[0], "alpha");
        strcpy(record->sha256[1], "beta");
    }
}

TEST(equal_results_pass)
{
    struct mode_records records, empty = {0};
    init_records(&records);
    check_ok(mode_records_check(&records, "Fock matrix"));
    check_ok(mode_records_check(&empty, "Fock matrix"));
    mode_records_fini(&records);
}

TEST(a_mode_of_another_result_is_named)
{
    for (int i = 0; i < MODE_RECORD_DIGESTS; i++) {
        struct mode_records records;
        init_records(&records);
        strcpy(records.list[2].sha256[i], "other");
        check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
        assert_int_equal(status_exit_code(STATUS_PROTOCOL), 1);
        assert_non_null(
            strstr(status_text(), "the Fock matrix of share differs from that of static"));
        strcpy(records.list[1].sha256[i], "third");
        check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
        assert_non_null(strstr(status_text(), "of counter, share differs from that of static"));
        mode_records_fini(&records);
    }
}

TEST(iterations_are_recorded_in_order)
{
    struct mode_records records;
    init_records(&records);
    const struct mode_record *record = &records.list[1];
    for (int i = 0; i < 3; i++) {
        const struct taskpool_iteration statistics = {.iteration = 7, .tasks = 10 + i};
        assert_non_null(mode_records_note(&records, 1, (double[]){3, 1, 2}[i], &statistics));
    }
    check_ok(mode_records_end(&records, 1));
    assert_true(record->first_s == 3 && record->best_s == 1 && record->last_s == 2);
    json_t *json = mode_records_to_json(&records, (const char *[]){"sha256", NULL});
    const json_t *mode = json_object_get(json, "counter");
    assert_int_equal(json_object_size(json), 1); /* the others have not run */
    assert_string_equal(json_string_value(json_object_get(mode, "sched")), "counter");
    assert_int_equal(json_integer_value(json_object_get(mode, "tasks")), 12);
    assert_string_equal(json_string_value(json_object_get(mode, "sha256")), "alpha");
    const json_t *iterations = json_object_get(mode, "iterations");
    assert_int_equal(json_array_size(iterations), 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            json_integer_value(json_object_get(json_array_get(iterations, i), "iteration")),
            (int)i);
    json_decref(json);
    mode_records_fini(&records);
}

static json_t *run_round(struct mode_records *records, int position, double seconds,
                         const char *digest)
{
    const struct taskpool_iteration statistics = {.tasks = 1};
    struct mode_record *record = mode_records_begin(records, position);
    json_t *entry = mode_records_note(records, position, seconds, &statistics);
    strcpy(record->sha256[0], digest);
    check_ok(mode_records_end(records, position));
    return entry;
}

static const struct mode_list copies = {.n = 2, .modes = {"auto", "auto"}};

static void check_seeds_and_orders(const json_t *summary)
{
    const json_t *seeds = json_object_get(summary, "seeds");
    const json_t *orders = json_object_get(summary, "orders");
    assert_int_equal(json_integer_value(json_object_get(seeds, "auto")), 5);
    assert_int_equal(json_integer_value(json_object_get(seeds, "auto#2")), 1005);
    assert_int_equal(json_array_size(orders), 8);
    int n_first = 0;
    for (size_t round = 0; round < 8; round++) {
        const json_t *order = json_array_get(orders, round);
        const char *name = json_string_value(json_array_get(order, 0));
        const char *other = json_string_value(json_array_get(order, 1));
        assert_int_equal(json_array_size(order), 2);
        n_first += strcmp(name, "auto") == 0;
        assert_string_equal(other, strcmp(name, "auto") == 0 ? "auto#2" : "auto");
    }
    assert_in_range(n_first, 1, 7);
}

TEST(rounds_of_a_mode_named_twice)
{
    static struct mode_records records = {.n_rounds = 8, .comparison = {.seed = 5}};
    mode_records_start(&records, &copies);
    for (int round = 0; round < 8; round++)
        for (int m = 0; m < 2; m++) {
            const json_t *entry = run_round(&records, m, m + 1, "alpha");
            assert_int_equal(json_integer_value(json_object_get(entry, "round")), round);
            assert_int_equal(json_integer_value(json_object_get(entry, "iteration")), 0);
        }
    check_ok(mode_records_check(&records, "Fock matrix"));
    mode_records_print(&records, "Fock build");
    json_t *json = mode_records_to_json(&records, (const char *[]){"sha256", NULL});
    const json_t *first = json_object_get(json, "auto"), *second = json_object_get(json, "auto#2");
    const json_t *ratio = json_object_get(second, "ratio");
    assert_null(json_object_get(first, "ratio"));
    assert_string_equal(json_string_value(json_object_get(second, "sched")), "auto");
    assert_int_equal(json_array_size(json_object_get(second, "iterations")), 8);
    assert_int_equal(json_array_size(json_object_get(second, "round_seconds")), 8);
    check_close(json_real_value(json_object_get(second, "median_seconds")), 2, 0);
    assert_string_equal(json_string_value(json_object_get(ratio, "to")), "auto");
    assert_string_equal(json_string_value(json_object_get(ratio, "verdict")), "slower");
    check_close(json_real_value(json_object_get(ratio, "p")), 2.0 / 256, 1e-15);
    json_decref(json);
    json = mode_records_summary_to_json(&records);
    assert_int_equal(json_integer_value(json_object_get(json, "rounds")), 8);
    check_seeds_and_orders(json);
    json_decref(json);
    records.comparison.simulated = true;
    json = mode_records_summary_to_json(&records);
    assert_null(json_object_get(json, "orders"));
    json_decref(json);
    mode_records_fini(&records);
}

/* A failure may end the comparison in the middle of a round. */
TEST(orders_are_of_rounds_that_began)
{
    static struct mode_records records = {.n_rounds = 8};
    mode_records_start(&records, &copies);
    for (int turn = 0; turn < 3; turn++)
        run_round(&records, turn % 2, 1, "alpha");
    json_t *json = mode_records_summary_to_json(&records);
    assert_int_equal(json_integer_value(json_object_get(json, "rounds")), 8);
    assert_int_equal(json_array_size(json_object_get(json, "orders")), 2);
    json_decref(json);
    mode_records_fini(&records);
}

TEST(a_mode_without_an_iteration_has_no_number_of_tasks)
{
    static struct mode_records records = {.n_rounds = 1};
    mode_records_start(&records, &copies);
    mode_records_begin(&records, 0);
    json_t *json = mode_record_to_json(&records, 0, (const char *[]){"sha256", NULL});
    assert_null(json_object_get(json, "tasks"));
    assert_int_equal(json_array_size(json_object_get(json, "iterations")), 0);
    json_decref(json);
    mode_records_fini(&records);
}

TEST(a_round_of_another_result_is_named)
{
    static struct mode_records records = {.n_rounds = 3};
    mode_records_start(&records, &copies);
    for (int round = 0; round < 3; round++)
        for (int m = 0; m < 2; m++)
            run_round(&records, m, 1, round == 1 && m == 1 ? "other" : "alpha");
    check_status(STATUS_PROTOCOL, mode_records_check(&records, "Fock matrix"));
    assert_non_null(strstr(status_text(), "of auto#2 differs from that of auto"));
    mode_records_fini(&records);
}
