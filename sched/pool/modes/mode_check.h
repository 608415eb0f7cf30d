/* A mode that is about to be registered, checked by itself. */
#ifndef BERYL_SCHED_MODE_CHECK_H
#define BERYL_SCHED_MODE_CHECK_H

#include "sched/pool/core/mode.h"
#include "support/base/status.h"

/* Its name, functions and options, apart from other modes.
 * Errors: STATUS_USAGE, STATUS_LIMIT (options larger than the settings have room for). */
enum status mode_check(const struct taskpool_mode *mode);

#endif
