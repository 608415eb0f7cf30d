/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: code, text, origin, and the exit status of a program. */
#include "support/base/status.h"
#include "tests/check.h"
#include "tests/unit/support/captured.h"

#include <pthread.h>
#include <string.h>

static enum status half(int n, int *result)
{
    if (n % 2 != 0)
        return FAIL(STATUS_INPUT, "%d is odd", n);
    *result = n / 2;
    return STATUS_OK;
}

static enum status quarter(int n, int *result)
{
    TRY(half(n, result));
    TRY(half(*result, result));
    return STATUS_OK;
}

TEST(a_failure_is_passed_on_with_its_text_and_origin)
{
    int result = 0;
    assert_int_equal(quarter(8, &result), STATUS_OK);
    assert_int_equal(result, 2);
    assert_int_equal(quarter(6, &result), STATUS_INPUT);
    assert_string_equal(status_text(), "3 is odd");
    assert_memory_equal(status_origin(), "half (", 6);
    assert_non_null(strstr(status_origin(), "test_status.c:"));
}

TEST(a_long_text_is_cut_not_overrun)
{
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    FAIL(STATUS_IO, "%s", text);
    assert_int_equal(strlen(status_text()), STATUS_TEXT_SIZE - 1);
    status_set_text("runs.txt:%d: %s", 3, status_text());
    status_set_origin(text);
    assert_memory_equal(status_text(), "runs.txt:3: xxx", 15);
    assert_int_equal(strlen(status_text()), STATUS_TEXT_SIZE - 1);
    assert_int_equal(strlen(status_origin()), STATUS_ORIGIN_SIZE - 1);
}

TEST(a_failure_without_a_text_gets_one)
{
    int result;
    check_status(STATUS_INPUT, half(7, &result));
    int64_t n_before = status_n_failures();
    assert_int_equal(status_explain(STATUS_OK, n_before, "nothing"), STATUS_OK);
    assert_string_equal(status_text(), "7 is odd");
    assert_int_equal(status_explain(STATUS_IO, n_before, "returned %d", 3), STATUS_IO);
    assert_string_equal(status_text(), "returned 3");
    n_before = status_n_failures();
    assert_int_equal(status_explain(half(9, &result), n_before, "no text"), STATUS_INPUT);
    assert_string_equal(status_text(), "9 is odd");
    /* One that was dealt with, and another without a text. */
    assert_int_equal(status_explain(STATUS_IO, n_before, "returned %d", 4), STATUS_IO);
    assert_string_equal(status_text(), "returned 4");
}

TEST(a_failure_is_kept_while_others_happen)
{
    FAIL(STATUS_IO, "the first");
    struct status_kept kept = status_keep();
    FAIL(STATUS_INPUT, "another");
    status_set_origin("elsewhere");
    status_restore(&kept);
    assert_string_equal(status_text(), "the first");
    assert_non_null(strstr(status_origin(), "test_status.c"));
}

static void *fail_often(void *letter)
{
    char text[900];
    memset(text, *(char *)letter, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 20000; i++)
        FAIL(STATUS_PROTOCOL, "%s", text);
    return NULL;
}

/* As of a task and of the progress thread, which receives a message meanwhile. */
TEST(threads_do_not_mix_their_texts)
{
    char letters[4] = "abcd";
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fail_often, &letters[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(strlen(status_text()), 899);
    assert_int_equal(strspn(status_text(), (char[]){status_text()[0], '\0'}), 899);
}

static void print_failure(void)
{
    status_print("beryl-test");
}

TEST(the_origin_is_printed_for_developers_only)
{
    FAIL(STATUS_INPUT, "odd");
    status_set_origin("half (file.c:1)");
    unsetenv("BERYL_DEBUG");
    assert_string_equal(captured(STDERR_FILENO, print_failure), "beryl-test: odd\n");
    setenv("BERYL_DEBUG", "0", 1);
    assert_string_equal(captured(STDERR_FILENO, print_failure), "beryl-test: odd\n");
    setenv("BERYL_DEBUG", "1", 1);
    assert_string_equal(captured(STDERR_FILENO, print_failure),
                        "beryl-test: odd\nberyl-test: failed in half (file.c:1)\n");
}

TEST(exit_codes_tell_usage_from_failure)
{
    const enum status usage[] = {STATUS_USAGE, STATUS_INPUT, STATUS_IO, STATUS_LIMIT};
    const enum status failures[] = {STATUS_NO_MEMORY, STATUS_NUMERIC, STATUS_NOT_CONVERGED,
                                    STATUS_LIBRARY, (enum status)999};
    assert_int_equal(status_exit_code(STATUS_OK), 0);
    for (size_t i = 0; i < sizeof usage / sizeof usage[0]; i++)
        assert_int_equal(status_exit_code(usage[i]), 2);
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        assert_int_equal(status_exit_code(failures[i]), 1);
    assert_string_equal(status_words((enum status)999), "unknown status");
}
