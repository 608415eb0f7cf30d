/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a sweep are split as in a shell and extend the command line; a bad line is refused with
 * its number. */
#include "sched/lab/cli/sweep_file.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

static const char path[] = "test_sched_sweep_file.txt";
static char program[] = "beryl-sched", sweep[] = "--sweep",
            sweep_path[] = "test_sched_sweep_file.txt", simulate[] = "--simulate", workers[] = "16";

/* Reads a file of this text as beryl-sched --sweep FILE --simulate 16 does. */
static enum status read_text(const char *text, bool simulated, struct sweep_file *file)
{
    static char *argv[6] = {program, sweep, sweep_path, simulate, workers, NULL};
    static struct beryl_sched_options common;
    enum option_request request;
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
    check_ok(beryl_sched_options_parse(simulated ? 5 : 3, argv, &common, &request));
    enum status status = sweep_file_read(&common, MPI_COMM_WORLD, file);
    unlink(path);
    return status;
}

static void test_lines_add_to_the_command_line(void **state)
{
    (void)state;
    struct sweep_file file;
    check_ok(read_text("# a comment\r\n\n  --uts \"-t 1 -a 3\" --sched steal \t\r\n"
                       "--gauss '1e-3,'1e-4\t--tasks=\"\"7 --simulate \\32 --sched share",
                       true, &file));
    assert_int_equal(file.n_runs, 2);
    const struct sweep_run *run = file.runs;
    assert_int_equal(run[0].line, 3);
    assert_string_equal(run[0].text, "--uts \"-t 1 -a 3\" --sched steal");
    assert_string_equal(run[0].options.workload.uts, "-t 1 -a 3");
    assert_int_equal(run[0].options.machine.n_workers, 16);
    assert_int_equal(run[1].line, 4);
    assert_string_equal(run[1].options.workload.gauss, "1e-3,1e-4");
    assert_int_equal(run[1].options.workload.n_tasks, 7);
    assert_int_equal(run[1].options.machine.n_workers, 32);
    assert_string_not_equal(run[0].options.pool.mode, run[1].options.pool.mode);
    sweep_file_fini(&file);
}

static void test_a_byte_order_mark_is_left_out(void **state)
{
    (void)state;
    struct sweep_file file;
    check_ok(read_text("\xEF\xBB\xBF# a comment\n--uts T1 --sched steal\n", true, &file));
    assert_int_equal(file.n_runs, 1);
    assert_int_equal(file.runs[0].line, 2);
    sweep_file_fini(&file);
}

static void check_refused(const char *line, bool simulated, const char *word)
{
    struct sweep_file file;
    char text[200];
    snprintf(text, sizeof text, "\n--uts T1 --sched steal --simulate 2\n%s\n", line);
    assert_int_not_equal(read_text(text, simulated, &file), STATUS_OK);
    sweep_file_fini(&file);
    if (strncmp(status_text(), "test_sched_sweep_file.txt:3: ", 29) != 0 ||
        !strstr(status_text(), word))
        fail_msg("%s: %s", line, status_text());
}

static void test_bad_lines_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *word;
    } cases[] = {
        {"--nonsense", "--nonsense"},
        {"--sched steal", "one workload"},
        {"--uts T1 --gauss 1,1 --tasks 2", "one workload only"},
        {"--uts T1 --latency -1", "--latency"},
        {"--uts T1 again", "again"},
        {"--uts T1 --help", "--help"},
        {"--uts T1 --version", "--version"},
        {"--uts T1 --sweep x", "--sweep"},
        {"--uts T1 --json x", "--json"},
        {"--uts T1 --report x", "--report"},
        {"--uts T1 --write-statistics x", "--write-statistics"},
        {"--uts T1 --simulate 0", "--simulate"},
        {"--uts \"-t 1", "unclosed quote"},
        {"--uts T1 > x", "outside its quotes"},
        {"--uts $(ls)", "outside its quotes"},
        {"--uts `ls`", "outside its quotes"},
        {"--uts \"`ls`\"", "outside single quotes"},
        {"--uts $HOME", "outside its quotes"},
        {"--uts \"$((1))\"", "outside single quotes"},
        {"--uts /*/*/*/*/*/*", "outside its quotes"},
        {"--uts \\", "a backslash"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_refused(cases[i].line, true, cases[i].word);
    check_refused("--uts T1", false, "--simulate");
}

static void test_a_file_without_runs_is_refused(void **state)
{
    (void)state;
    struct sweep_file file;
    check_status(STATUS_INPUT, read_text("# nothing\n \n", true, &file));
    sweep_file_fini(&file);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_add_to_the_command_line),
        cmocka_unit_test(test_a_byte_order_mark_is_left_out),
        cmocka_unit_test(test_bad_lines_are_refused),
        cmocka_unit_test(test_a_file_without_runs_is_refused),
    };
    return check_run_parallel(tests, &argc, &argv);
}
