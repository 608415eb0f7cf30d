/* SPDX-License-Identifier: BSD-3-Clause */
/* The options that every mode reads, but for --sched. Those that some modes read are in
 * taskpool/mode.h. */
#ifndef BERYL_SCHED_SETTINGS_H
#define BERYL_SCHED_SETTINGS_H

#include "taskpool/mode.h"

extern struct taskpool_mode_options common_options;

#endif
