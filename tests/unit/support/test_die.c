/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that cannot go on says why, after the program's name, and ends with a failure. */
#include "support/base/die.h"
#include "tests/check.h"
#include "tests/unit/support/captured.h"

#include <string.h>
#include <sys/wait.h>

static int n_ends, how;

static void end_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        if (n_ends++ == 0)
            die("worker %d is lost", 7);
        die_no_memory("no memory for %d tasks", 12);
    }
    n_ends++;
    waitpid(child, &how, 0);
}

TEST(the_program_and_the_reason_are_printed)
{
    static const char *const last_words[] = {
        "test_die: worker 7 is lost\n", "test_die: no memory for 12 tasks: use fewer processes on "
                                        "the node, or a smaller problem\n"};
    for (int i = 0; i < 2; i++) {
        assert_non_null(strstr(captured(STDERR_FILENO, end_child), last_words[i]));
        assert_false(WIFEXITED(how) && WEXITSTATUS(how) == 0);
    }
}
