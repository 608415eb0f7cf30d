/* SPDX-License-Identifier: BSD-3-Clause */
/* A mode that is about to be registered, checked by itself. */
#ifndef BERYL_SCHED_MODE_CHECK_H
#define BERYL_SCHED_MODE_CHECK_H

#include "support/base/status.h"
#include "taskpool/mode.h"

/* Its name, functions and options, apart from other modes.
 * Errors: STATUS_USAGE, STATUS_LIMIT (options larger than the settings have room for). */
enum status mode_check(const struct taskpool_mode *mode);

#endif
