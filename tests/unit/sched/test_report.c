/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of recorded runs escapes text, puts ticks at round numbers, shows the measurements of
 * runs, comparisons and sweeps with the application's section, and refuses other JSON. */
#include "sched/lab/report/report.h"
#include "tests/cases/file_bytes.h"
#include "tests/cases/quoted_json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char page_path[] = "test_report.html";

/* Checks the output of html_text_cut, or with max < 0 of html_number. */
static void check_written(const char *expected, const char *text, int64_t max, double number,
                          int decimals)
{
    char *written = NULL;
    size_t length;
    FILE *page = open_memstream(&written, &length);
    assert_non_null(page);
    if (max >= 0)
        html_text_cut(page, text, max);
    else
        html_number(page, number, decimals);
    fclose(page);
    assert_string_equal(written, expected);
    free(written);
}

static void test_text_is_escaped_and_cut_between_characters(void **state)
{
    (void)state;
    check_written("a&lt;b&gt; &amp; &quot;c&quot; &#39;", "a<b> & \"c\" '", 100, 0, 0);
    check_written("Schr\u00f6d\u2026", "Schr\u00f6dinger", 7, 0, 0);
    check_written("\u00f6\u00f6", "\u00f6\u00f6", 2, 0, 0);
    check_written("a b", "a\001b", 9, 0, 0);
    check_written("a  b", "a\302\233b", 9, 0, 0);
    check_written("", NULL, 9, 0, 0);
}

static void test_numbers_have_commas_and_a_true_minus(void **state)
{
    (void)state;
    check_written("84,934,656", NULL, -1, 84934656, 0);
    check_written("\u2212230.6235", NULL, -1, -230.62350715, 4);
    check_written("\u22121,234.50", NULL, -1, -1234.5, 2);
    check_written("0.00", NULL, -1, -1e-9, 2);
    check_written("999", NULL, -1, 999, 0);
    check_written("\u2013", NULL, -1, NAN, 3);
}

static void test_ticks_are_round_and_cover_the_values(void **state)
{
    (void)state;
    const double ranges[][2] = {{0, 0.31}, {0, 7}, {-20.6, 3}, {0, 1e-7}, {3, 1e9}, {0, 99.9}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct axis axis = axis_linear(ranges[i][0], ranges[i][1], 6);
        double lead = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
        assert_true(fabs(lead - 1) < 1e-9 || fabs(lead - 2) < 1e-9 || fabs(lead - 5) < 1e-9);
        int n = axis_n_ticks(&axis);
        assert_in_range(n, 3, 8);
        assert_true(axis_tick(&axis, 0) <= ranges[i][0] && axis_tick(&axis, n - 1) >= ranges[i][1]);
    }
}

static void test_tick_texts_have_the_decimals_of_the_step(void **state)
{
    (void)state;
    char text[AXIS_TEXT_SIZE];
    struct axis axis = axis_linear(-0.5, 1, 6);
    axis_tick_text(&axis, 0, text);
    assert_string_equal(text, "\u22120.5");
    axis_tick_text(&axis, axis_n_ticks(&axis) - 1, text);
    assert_string_equal(text, "1.0");
    axis = axis_logarithmic(3e-12, 0.7, 6);
    axis_tick_text(&axis, 0, text);
    assert_string_equal(text, "10\u207b\u00b9\u00b2");
    axis.from = 0;
    axis.to = 1;
    check_close(axis_place(&axis, 1e-6), 0.5, 1e-12);
}

static void test_empty_and_infinite_ranges_give_an_axis(void **state)
{
    (void)state;
    const double ranges[][2] = {{0, 0}, {5, 5}, {NAN, 1}, {0, INFINITY}, {1e15, 1e15 + 1}, {2, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        struct axis axis = axis_linear(ranges[i][0], ranges[i][1], 6);
        assert_true(axis.step > 0 && axis.high > axis.low && isfinite(axis.high));
        assert_in_range(axis_n_ticks(&axis), 2, 8);
    }
}

static const char run_text[] =
    "{'schema_name':'qcschema_output','success':false,"
    "'error':{'error_message':'not < converged'},"
    "'extras':{'beryl':{'workers':2,'sched':'counter','tasks':84934656,'non_null':213144,"
    "'iterations':[{'fock_seconds':0.5,'task_seconds':0.75,'idle_seconds':0.25,"
    "'makespan_seconds':0.5,'efficiency':0.75,'imbalance':0.125}]}}}";

/* --- a section that names the run and adds a table and two charts --- */

static bool write_section_name(FILE *page, const struct report_run *run)
{
    return run->workers > 1 && fprintf(page, "[%lld]", (long long)run->workers) > 0;
}

static bool write_section_table(FILE *page, const struct report_run *run)
{
    (void)run;
    return fputs("<table class=\"section\"></table>", page) >= 0;
}

static enum status draw_section_chart(FILE *page, const struct report_run *run)
{
    (void)run;
    fputs("<p>chart</p>", page);
    return STATUS_OK;
}

static const struct report_section section = {.name = write_section_name,
                                              .tables = write_section_table,
                                              .first_charts = draw_section_chart,
                                              .last_charts = draw_section_chart};

static void check_page_has(const char *page, const char *text)
{
    if (strstr(page, text))
        return;
    fail_msg("the page lacks %s", text);
}

static void test_page_shows_the_measurements_and_the_section(void **state)
{
    (void)state;
    json_t *run = parse_quoted(run_text);
    check_ok(report_write((const json_t *const[]){run}, (const char *const[]){"<b>.json"}, 1,
                          &section, page_path));
    char *page = file_bytes_read(page_path, NULL);
    const char *const expected[] = {"&lt;b&gt;.json",
                                    "84,934,656",
                                    "213,144",
                                    "12.5\u00a0%",
                                    "not &lt; converged",
                                    "prefers-color-scheme:dark",
                                    "<table class=\"section\">",
                                    "<p>chart</p>"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_page_has(page, expected[i]);
    assert_null(strstr(page, "<b>.json"));
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "src="));
    free(page);
    json_decref(run);
    unlink(page_path);
}

static void test_a_comparison_counts_as_a_run_for_each_mode(void **state)
{
    (void)state;
    json_t *run =
        parse_quoted("{'extras':{'beryl':{'workers':3,'iterations':[],'compare':{"
                     "'static':{'sched':'static','iterations':[{'makespan_seconds':2}]},"
                     "'steal':{'sched':'steal','iterations':[{'makespan_seconds':1}]}}}}}");
    json_t *workload =
        parse_quoted("{'workload':'uts T1','workers':1,'sched':'share','iterations':[]}");
    check_ok(report_write((const json_t *const[]){run, workload},
                          (const char *const[]){"caf\xe9", "uts"}, 2, &section, page_path));
    char *page = file_bytes_read(page_path, NULL);
    check_page_has(page, "3 recorded runs");
    check_page_has(page, "Comparison of 2 modes: caf?<");
    assert_null(strstr(page, "Run 1:"));
    check_page_has(page, "Run 3: <span>uts</span>");
    check_page_has(page, "<b>steal</b> was fastest, 2.00 \u00d7 as fast as static: "
                         "1.000 s against 2.000 s in an iteration.");
    check_page_has(page, "2 \u00b7 steal, 3 workers");
    check_page_has(page, "<td class=\"word\">[3]</td>");
    check_page_has(page, "<td class=\"word\"><span>uts</span> <span>T1</span></td>");
    free(page);
    json_decref(workload);
    json_decref(run);
    unlink(page_path);
}

static const char course_text[] =
    "{'workload':'w','workers':4,'command':'beryl-sched --gauss 1,2','hardware':"
    "{'processor':'P <9>','cores':8,'nodes':1},'compare':{"
    "'static':{'sched':'static','iterations':[{'makespan_seconds':2,'task_seconds':4.24,"
    "'idle_seconds':3.76,'imbalance':0.9}],'timeline':{'makespan_seconds':2,'utilisation':"
    "{'seconds':2,'bin_seconds':1,'starts_seconds':[0],'task':[1,0.06],'search':[0,0],"
    "'scheduler':[0,0],'communication':[0,0]},'durations':{'edges_seconds':[0.5,1,2],"
    "'tasks':[3,1]},'sample':{'task':[0,1],'seconds':[1,2],'cost':[3,1]},'lanes':[{'worker':0,"
    "'uses':'ts','from_seconds':[0,1],'to_seconds':[1,2],'tasks':[7,0],'steals_seconds':[0.5]}],"
    "'first_loads':{'seconds':[2,1]},'loads':{'seconds':[2,1],'overloaded':2}}},"
    "'steal':{'sched':'steal','iterations':[{'makespan_seconds':1.9,'task_seconds':6.08,"
    "'idle_seconds':0.1,'search_seconds':1.42,'imbalance':0.2}]}}}";

static void test_the_course_is_drawn(void **state)
{
    (void)state;
    json_t *run = parse_quoted(course_text);
    check_ok(report_write((const json_t *const[]){run}, (const char *const[]){"r.json"}, 1, NULL,
                          page_path));
    char *page = file_bytes_read(page_path, NULL);
    const char *const expected[] = {
        "<code>mpirun -np 4 <span>beryl-sched</span> <span>--gauss</span> <span>1,2</span></code>",
        "<span>P</span> <span>&lt;9&gt;</span>",
        "<title>task 100 % at 0</title>",
        "<title>task 0\u20131 s, 7 tasks</title>",
        "<title>steal 0.5 s</title>",
        "<title>3 tasks at 0.5</title>",
        "data-chart=\"costs\"",
        "<title>static 100 % at 0</title>",
        "data-chart=\"compared-loads\""};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_page_has(page, expected[i]);
    free(page);
    json_decref(run);
    unlink(page_path);
}

static void test_a_sweep_counts_as_a_run_for_each_line(void **state)
{
    (void)state;
    json_t *sweep =
        parse_quoted("{'runs':[{'workload':'uts T1','workers':4,'sched':'steal','nodes':4130071,"
                     "'machine':{'latency':5e-6,'<':true},'options_text':'--uts <T1>',"
                     "'options':{'speeds':'s.txt'},"
                     "'iterations':[{'makespan_seconds':2e-3,'steals_attempted':{'mean':7.5},"
                     "'steals_successful':{'mean':0.5}}]},"
                     "{'workload':'gauss 1,2','workers':8,'iterations':[]}]}");
    check_ok(report_write((const json_t *const[]){sweep}, (const char *const[]){"s.json"}, 1, NULL,
                          page_path));
    char *page = file_bytes_read(page_path, NULL);
    const char *const expected[] = {
        "2 recorded runs",
        "<span>s.json:</span> <span>--uts</span> <span>&lt;T1&gt;</span>",
        "4,130,071",
        "--latency",
        "5e-06",
        "--&lt;",
        "--speeds</th><td class=\"text\"><span>s.txt</span>",
        "0.002000\u00a0s",
        "<b>Steals</b>",
        "<span>gauss</span> <span>1,2</span>"};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        check_page_has(page, expected[i]);
    assert_null(strstr(page, "Fock"));
    free(page);
    json_decref(sweep);
    unlink(page_path);
}

#define ERROR_TEXT "'error':{'error_type':'t','error_message':'the <deque> is full'}"

/* The text of the page with an iteration that was completed, or of the refusal without. */
static void check_failure_is_shown(const char *text, const char *expected)
{
    json_t *failed = parse_quoted(text);
    enum status status = report_write((const json_t *const[]){failed},
                                      (const char *const[]){"f.json"}, 1, NULL, page_path);
    if (status == STATUS_OK) {
        char *page = file_bytes_read(page_path, NULL);
        check_page_has(page, expected);
        free(page);
        unlink(page_path);
    } else {
        check_status(STATUS_INPUT, status);
        assert_string_equal(status_text(), expected);
    }
    json_decref(failed);
}

static void test_why_a_run_failed_is_shown(void **state)
{
    (void)state;
    check_failure_is_shown("{'workload':'w','sched':'steal','iterations':[]," ERROR_TEXT "}",
                           "<b>Failed</b>: the &lt;deque&gt; is full");
    check_failure_is_shown(
        "{'workload':'w','compare':{'steal':{'sched':'steal','iterations':[]}}," ERROR_TEXT "}",
        "<b>Failed</b>: the &lt;deque&gt; is full");
    check_failure_is_shown("{'runs':[{'workload':'w','iterations':[]}]," ERROR_TEXT "}",
                           "runs of f.json are missing: the &lt;deque&gt; is full");
    check_failure_is_shown(
        "{'runs':[]," ERROR_TEXT "}",
        "f.json: this run has no iterations to show, as it failed: the <deque> is full");
    check_failure_is_shown(
        "{'workload':'w','compare':{}," ERROR_TEXT "}",
        "f.json: this run has no iterations to show, as it failed: the <deque> is full");
}

static void test_other_json_is_refused(void **state)
{
    (void)state;
    const char *const texts[] = {"{}",
                                 "[1,2]",
                                 "{'iterations':3}",
                                 "{'extras':{'beryl':7}}",
                                 "{'extras':{'beryl':{'compare':{'static':[]}}}}",
                                 "{'runs':[]}",
                                 "{'runs':[3]}",
                                 "{'traceEvents':[]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *other = parse_quoted(texts[i]);
        check_status(STATUS_INPUT,
                     report_write((const json_t *const[]){other}, (const char *const[]){"o.json"},
                                  1, NULL, page_path));
        assert_non_null(strstr(status_text(), "o.json"));
        assert_int_not_equal(access(page_path, F_OK), 0);
        json_decref(other);
    }
    json_t *run = parse_quoted(run_text);
    check_status(STATUS_IO,
                 report_write((const json_t *const[]){run}, (const char *const[]){"o.json"}, 1,
                              NULL, "no/folder/p.html"));
    json_decref(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_escaped_and_cut_between_characters),
        cmocka_unit_test(test_numbers_have_commas_and_a_true_minus),
        cmocka_unit_test(test_ticks_are_round_and_cover_the_values),
        cmocka_unit_test(test_tick_texts_have_the_decimals_of_the_step),
        cmocka_unit_test(test_empty_and_infinite_ranges_give_an_axis),
        cmocka_unit_test(test_page_shows_the_measurements_and_the_section),
        cmocka_unit_test(test_a_comparison_counts_as_a_run_for_each_mode),
        cmocka_unit_test(test_the_course_is_drawn),
        cmocka_unit_test(test_a_sweep_counts_as_a_run_for_each_line),
        cmocka_unit_test(test_why_a_run_failed_is_shown),
        cmocka_unit_test(test_other_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
