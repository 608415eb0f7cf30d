/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings: each time, or once as long as a condition lasts. */
#include "support/base/log.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

/* Standard error goes to a file from here on. */
static FILE *file;
static int kept;

static int begin(void **state)
{
    (void)state;
    file = tmpfile();
    kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    log_enable(true);
    return 0;
}

static int end(void **state)
{
    (void)state;
    log_enable(false);
    log_warn_end();
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(file);
    return 0;
}

static void check_printed(const char *expected)
{
    char text[1000];
    ssize_t n = pread(fileno(file), text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    assert_string_equal(text, expected);
}

static void test_a_lasting_condition_is_one_warning(void **state)
{
    (void)state;
    for (int i = 8; i < 12; i++)
        log_warn_once("run.h5: %.1f MB are left", 1.0 * i);
    check_printed("warning: run.h5: 8.0 MB are left\n");
}

static void test_another_cause_and_the_same_after_its_end_are_warnings(void **state)
{
    (void)state;
    log_warn_once("disk %d full", 1);
    log_warn_once("folder gone");
    log_warn_end();
    log_warn_once("folder gone");
    log_warn_once("folder gone, really");
    check_printed("warning: disk 1 full\nwarning: folder gone\nwarning: folder gone\n"
                  "warning: folder gone, really\n");
}

static void test_other_warnings_are_all_printed(void **state)
{
    (void)state;
    log_warn("%s", "the same");
    log_warn("%s", "the same");
    check_printed("warning: the same\nwarning: the same\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_lasting_condition_is_one_warning, begin, end),
        cmocka_unit_test_setup_teardown(test_another_cause_and_the_same_after_its_end_are_warnings,
                                        begin, end),
        cmocka_unit_test_setup_teardown(test_other_warnings_are_all_printed, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
