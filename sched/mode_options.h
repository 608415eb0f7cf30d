/* Which options belong to which mode: one that the chosen mode would ignore is refused. */
#ifndef BERYL_SCHED_MODE_OPTIONS_H
#define BERYL_SCHED_MODE_OPTIONS_H

#include "sched/taskpool.h"
#include "support/status.h"

/* Looks at the options that differ from their defaults. Not collective.
 * Errors: STATUS_USAGE, naming the option, the mode, and the modes that it is for;
 * STATUS_NO_MEMORY. */
enum status mode_options_check(const struct taskpool_settings *settings);

#endif
