/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-report --difference names what changed and only that, and calls a mode faster or slower
 * where rounds leave no doubt. */
#include "sched/lab/report/report.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* A result under a mode with ten iterations of these seconds, each a little more than the last. */
static json_t *make_result(const char *mode, int64_t chunk, double seconds)
{
    json_t *iterations = json_array();
    for (int i = 0; i < 10; i++)
        json_array_append_new(iterations, json_pack("{s:i, s:f}", "iteration", i,
                                                    "makespan_seconds", seconds * (1 + 0.01 * i)));
    return json_pack("{s:s, s:i, s:s, s:{s:s, s:I}, s:o}", "workload", "gauss", "workers", 2,
                     "sched", mode, "options", "victim", "random", "chunk", (json_int_t)chunk,
                     "iterations", iterations);
}

static json_t *make_comparison(double seconds)
{
    json_t *rounds = json_array();
    for (int i = 0; i < 10; i++)
        json_array_append_new(rounds, json_real(seconds + 0.01 * i));
    return json_pack("{s:s, s:{s:{s:s, s:[], s:o}, s:{s:s, s:[], s:[f]}}}", "workload", "gauss",
                     "compare", "auto", "sched", "auto", "iterations", "round_seconds", rounds,
                     "auto#2", "sched", "auto", "iterations", "round_seconds", seconds);
}

/* The text of the difference; takes the results. */
static char *difference_of(json_t *left, json_t *right)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    check_ok(report_difference((const json_t *const[]){left, right},
                               (const char *const[]){"A.json", "B.json"}, stream));
    fclose(stream);
    json_decref(left);
    json_decref(right);
    return text;
}

static void check_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fprintf(stderr, "no '%s' in:\n%s\n", words, text);
    assert_non_null(strstr(text, words));
}

static void test_what_changed_is_named(void **state)
{
    (void)state;
    json_t *right = make_result("steal", 4, 2);
    json_object_set_new(right, "nodes", json_integer(7));
    json_object_set_new(right, "trace", json_pack("{s:i}", "spans", 5));
    char *text = difference_of(make_result("steal", 1, 2), right);
    check_has(text, "From A.json to B.json:\n");
    check_has(text, "\n  options.chunk: 1 -> 4\n");
    check_has(text, "\n  nodes: absent -> 7\n");
    assert_null(strstr(text, "victim"));
    assert_null(strstr(text, "trace"));
    assert_null(strstr(text, "  iterations"));
    free(text);
}

/* Iterations of one run are not independent of each other, however many. */
static void test_single_runs_are_not_tested(void **state)
{
    (void)state;
    char *text = difference_of(make_result("steal", 1, 1), make_result("static", 1, 2));
    check_has(text, "  sched: \"steal\" -> \"static\"\n");
    check_has(text, "\nsteal -> static ");
    /* Medians of iterations 2 to 9 with 1 % more each; ratio and p. */
    check_has(
        text,
        " 1.055           -           -        2.11           -           -    2.0000         "
        "-   not tested: no rounds\n");
    free(text);
    text = difference_of(make_comparison(1), make_result("auto", 1, 2));
    check_has(text, "   not tested: no rounds\n");
    free(text);
}

static void test_rounds_of_other_work_are_not_tested(void **state)
{
    (void)state;
    json_t *right = make_comparison(3);
    json_object_set_new(right, "workload", json_string("exponential"));
    char *text = difference_of(make_comparison(1), right);
    check_has(text, "   not tested: other work\n");
    free(text);
}

static void test_no_mode_in_both(void **state)
{
    (void)state;
    json_t *left = make_comparison(1), *right = make_result("steal", 1, 1);
    char *text = difference_of(left, right);
    check_has(text, "There are no times of a mode in both");
    assert_null(strstr(text, "slower"));
    free(text);
}

/* A long command is shown around what changed. */
static void test_long_values(void **state)
{
    (void)state;
    char command[400];
    json_t *left = make_result("steal", 1, 1), *right = make_result("steal", 1, 1);
    snprintf(command, sizeof command, "beryl-sched %0300d --tasks 5", 0);
    json_object_set_new(left, "command", json_string("beryl-sched"));
    json_object_set_new(right, "command", json_string(command));
    char *text = difference_of(left, right);
    check_has(text, "0 --tasks 5\"\n");
    free(text);
}

static void test_modes_of_comparisons_are_paired(void **state)
{
    (void)state;
    char *text = difference_of(make_comparison(1), make_comparison(3));
    check_has(text, "nothing but times differs");
    check_has(text, "\nauto    ");
    check_has(text, "   slower\n");
    check_has(text, "\nauto#2  ");
    check_has(text, "   not tested: one round\n");
    free(text);
    text = difference_of(make_comparison(3), make_comparison(1));
    check_has(text, "   faster\n");
    free(text);
    text = difference_of(make_comparison(1), make_comparison(1));
    check_has(text, "   not distinguishable\n");
    free(text);
}

static void test_other_json_is_refused(void **state)
{
    (void)state;
    json_t *left = make_result("steal", 1, 1), *right = json_pack("{s:i}", "a", 1);
    check_status(STATUS_INPUT,
                 report_difference((const json_t *const[]){left, right},
                                   (const char *const[]){"A.json", "B.json"}, stderr));
    assert_non_null(strstr(status_text(), "B.json: not a result"));
    json_decref(left);
    json_decref(right);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_changed_is_named),
        cmocka_unit_test(test_single_runs_are_not_tested),
        cmocka_unit_test(test_rounds_of_other_work_are_not_tested),
        cmocka_unit_test(test_modes_of_comparisons_are_paired),
        cmocka_unit_test(test_no_mode_in_both),
        cmocka_unit_test(test_long_values),
        cmocka_unit_test(test_other_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
