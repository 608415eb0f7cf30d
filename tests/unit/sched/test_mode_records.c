/* Modes whose results differ are named, nothing else fails a comparison; the JSON has what was
 * recorded. */
#include "sched/modes/mode_records.h"
#include "tests/check.h"

#include <string.h>

static void init_records(struct mode_records *records)
{
    static const char *const modes[] = {"static", "counter", "share"};
    *records = (struct mode_records){0};
    for (int m = 0; m < 3; m++) {
        struct mode_record *record = mode_records_begin(records, modes[m]);
        strcpy(record->sha256[0], "alpha");
        strcpy(record->sha256[1], "beta");
    }
}

static void test_equal_results_pass(void **state)
{
    (void)state;
    struct mode_records records, empty = {0};
    init_records(&records);
    check_ok(mode_records_check(&records, "Fock matrix"));
    check_ok(mode_records_check(&empty, "Fock matrix"));
    mode_records_fini(&records);
}

static void test_a_mode_of_another_result_is_named(void **state)
{
    (void)state;
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

static void test_iterations_are_recorded_in_order(void **state)
{
    (void)state;
    struct mode_records records;
    init_records(&records);
    struct mode_record *record = &records.list[1];
    for (int i = 0; i < 3; i++) {
        const struct statistics_iteration statistics = {.iteration = 7, .tasks = 10 + i};
        assert_non_null(mode_record_note(record, (double[]){3, 1, 2}[i], &statistics));
    }
    assert_true(record->first_s == 3 && record->best_s == 1 && record->last_s == 2);
    json_t *json = mode_records_to_json(&records, (const char *[]){"sha256", NULL});
    const json_t *mode = json_object_get(json, "counter");
    assert_int_equal(json_object_size(json), 3);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_results_pass),
        cmocka_unit_test(test_a_mode_of_another_result_is_named),
        cmocka_unit_test(test_iterations_are_recorded_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
