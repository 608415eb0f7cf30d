/* SPDX-License-Identifier: BSD-3-Clause */
/* Failures: code, text, origin, and the exit status of a program. */
#include "support/base/status.h"
#include "tests/check.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

TEST(fail_yields_the_code_and_keeps_the_text)
{
    int result = 0;
    assert_int_equal(half(7, &result), STATUS_INPUT);
    assert_string_equal(status_text(), "7 is odd");
    assert_non_null(strstr(status_origin(), "half"));
    assert_non_null(strstr(status_origin(), "test_status.c:"));
}

TEST(try_passes_a_failure_on_and_nothing_else)
{
    int result = 0;
    assert_int_equal(quarter(8, &result), STATUS_OK);
    assert_int_equal(result, 2);
    assert_int_equal(quarter(6, &result), STATUS_INPUT);
    assert_string_equal(status_text(), "3 is odd");
}

TEST(a_long_text_is_cut_not_overrun)
{
    char *text = malloc(5000);
    memset(text, 'x', 4999);
    text[4999] = '\0';
    FAIL(STATUS_IO, "%s", text);
    assert_in_range(strlen(status_text()), 500, 4998);
    status_set_text("%s", text);
    status_set_origin(text);
    assert_in_range(strlen(status_origin()), 100, 4998);
    assert_in_range(strlen(status_text()), 500, 4998);
    free(text);
    status_set_text("short");
    status_set_origin("here");
    assert_string_equal(status_text(), "short");
    assert_string_equal(status_origin(), "here");
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

TEST(context_is_put_before_the_text)
{
    FAIL(STATUS_IO, "no room");
    status_set_text("%s:%d: %s", "runs.txt", 3, status_text());
    assert_string_equal(status_text(), "runs.txt:3: no room");
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

/* The lines that status_print writes with this value of BERYL_DEBUG, NULL for none. */
static void capture(const char *debug, char *text, size_t size)
{
    if (debug)
        setenv("BERYL_DEBUG", debug, 1);
    else
        unsetenv("BERYL_DEBUG");
    FILE *file = tmpfile();
    int terminal = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    status_print("beryl-test");
    dup2(terminal, STDERR_FILENO);
    close(terminal);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(the_origin_is_printed_for_developers_only)
{
    char text[2048];
    int result;
    check_status(STATUS_INPUT, half(7, &result));
    capture(NULL, text, sizeof text);
    assert_string_equal(text, "beryl-test: 7 is odd\n");
    capture("0", text, sizeof text);
    assert_string_equal(text, "beryl-test: 7 is odd\n");
    capture("1", text, sizeof text);
    assert_memory_equal(text, "beryl-test: 7 is odd\nberyl-test: failed in half (", 48);
    assert_non_null(strstr(text, "test_status.c:"));
    assert_true(text[strlen(text) - 1] == '\n');
}

TEST(exit_codes_tell_usage_from_failure)
{
    const struct {
        enum status status;
        int code;
    } cases[] = {{STATUS_OK, 0},       {STATUS_USAGE, 2},         {STATUS_INPUT, 2},
                 {STATUS_IO, 2},       {STATUS_LIMIT, 2},         {STATUS_NO_MEMORY, 1},
                 {STATUS_NUMERIC, 1},  {STATUS_NOT_CONVERGED, 1}, {STATUS_LIBRARY, 1},
                 {(enum status)999, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(status_exit_code(cases[i].status), cases[i].code);
        assert_true(strlen(status_words(cases[i].status)) > 0);
    }
}
