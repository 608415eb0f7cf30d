/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that cannot go on says why, after the program's name, and ends with a failure. */
#include "support/base/die.h"
#include "tests/check.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Standard error of a child process until it ends. */
static void read_last_words(void (*end)(void), char *text, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        end();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t more = 1; more > 0 && n + 1 < size; n += more > 0 ? (size_t)more : 0)
        more = read(ends[0], text + n, size - 1 - n);
    text[n] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void end_of_protocol(void)
{
    die("worker %d is lost", 7);
}

static void end_of_memory(void)
{
    die_no_memory("no memory for %d tasks", 12);
}

TEST(the_program_and_the_reason_are_printed)
{
    char text[4096];
    read_last_words(end_of_protocol, text, sizeof text);
    assert_non_null(strstr(text, "test_die: worker 7 is lost\n"));
    read_last_words(end_of_memory, text, sizeof text);
    assert_non_null(strstr(text, "test_die: no memory for 12 tasks: use fewer processes on the "
                                 "node, or a smaller problem\n"));
}
