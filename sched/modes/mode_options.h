/* Which options belong to which mode: one that the chosen mode would ignore is refused. */
#ifndef BERYL_SCHED_MODE_OPTIONS_H
#define BERYL_SCHED_MODE_OPTIONS_H

#include "sched/modes/mode_list.h"
#include "sched/taskpool.h"
#include "support/base/status.h"

/* Looks at the options that differ from their defaults. Not collective.
 * Errors: STATUS_USAGE, naming the option, the mode, and the modes that it is for;
 * STATUS_NO_MEMORY. */
enum status mode_options_check(const struct taskpool_settings *settings);

/* The same for settings with which several modes are run, one after another: an option
 * must be for one of them. settings->mode is not looked at. */
enum status mode_options_check_list(const struct taskpool_settings *settings,
                                    const struct mode_list *list);

/* The settings with which a mode of such a list runs: the options that are not for it have
 * their defaults. */
void mode_options_select(const struct taskpool_settings *settings, int mode,
                         struct taskpool_settings *selected);

#endif
