/* SPDX-License-Identifier: BSD-3-Clause */
/* Warnings: each time, or once as long as a condition lasts. */
#include "support/base/log.h"
#include "tests/check.h"
#include "tests/unit/support/captured.h"

static void warn(void)
{
    log_warn("disabled");
    log_enable(true);
    for (int i = 8; i < 12; i++)
        log_warn_once("run.h5: %.1f MB are left", 1.0 * i);
    log_warn_once("folder gone");
    log_warn_end();
    log_warn_once("folder gone");
    log_warn_once("folder gone, really");
    log_warn_end();
    for (int i = 0; i < 2; i++)
        log_warn("%s", "each time");
    assert_true(log_enable(false));
}

TEST(a_lasting_condition_is_one_warning)
{
    assert_string_equal(captured(STDERR_FILENO, warn), "warning: run.h5: 8.0 MB are left\n"
                                                       "warning: folder gone\n"
                                                       "warning: folder gone\n"
                                                       "warning: folder gone, really\n"
                                                       "warning: each time\n"
                                                       "warning: each time\n");
}
