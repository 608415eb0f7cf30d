/* SPDX-License-Identifier: BSD-3-Clause */
/* Several modes, named by one option: --compare M1,M2,...|all. */
#ifndef BERYL_SCHED_MODE_LIST_H
#define BERYL_SCHED_MODE_LIST_H

#include "support/base/status.h"

enum { MODES_MAX = 64 }; /* that can be registered, or named */

struct mode_list {
    int n;
    const char *modes[MODES_MAX]; /* their names; one may be there several times */
};

/* text    "all", in the order of mode_names, or names separated by commas
 * option  named in messages, without the dashes
 * Errors: STATUS_USAGE (no mode, an unknown one, too many). */
enum status mode_list_parse(const char *option, const char *text, struct mode_list *list);

#endif
