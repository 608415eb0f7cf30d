/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings: each time, or once as long as a condition lasts. */
#include "support/base/log.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

/* Standard error goes to a file from here on. */
static FILE *file;
static int kept;

static void begin(void)
{
    file = tmpfile();
    kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    log_enable(true);
}

static void end(void)
{
    log_enable(false);
    log_warn_end();
    dup2(kept, STDERR_FILENO);
    close(kept);
    fclose(file);
}

static void check_printed(const char *expected)
{
    char text[1000];
    ssize_t n = pread(fileno(file), text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    assert_string_equal(text, expected);
}

TEST(a_lasting_condition_is_one_warning)
{
    begin();
    for (int i = 8; i < 12; i++)
        log_warn_once("run.h5: %.1f MB are left", 1.0 * i);
    check_printed("warning: run.h5: 8.0 MB are left\n");
    end();
}

TEST(another_cause_and_the_same_after_its_end_are_warnings)
{
    begin();
    log_warn_once("disk %d full", 1);
    log_warn_once("folder gone");
    log_warn_end();
    log_warn_once("folder gone");
    log_warn_once("folder gone, really");
    check_printed("warning: disk 1 full\nwarning: folder gone\nwarning: folder gone\n"
                  "warning: folder gone, really\n");
    end();
}

TEST(other_warnings_are_all_printed)
{
    begin();
    log_warn("%s", "the same");
    log_warn("%s", "the same");
    check_printed("warning: the same\nwarning: the same\n");
    end();
}
