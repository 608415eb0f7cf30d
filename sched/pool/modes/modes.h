/* SPDX-License-Identifier: BSD-3-Clause */
/* The registry of scheduling modes: first the library's, then the modes that a program registered,
 * in their order. Names, --help and lists of all modes come from here; bounds are found by name,
 * but are not listed. Not thread-safe; the same calls in the same order on every process. */
#pragma once

#include "support/base/status.h"
#include "taskpool/mode.h"

enum { MODES_MAX = 64 }; /* that can be registered, or named */

int mode_count(void);

/* Mode i of [0, mode_count). */
const struct taskpool_mode *mode_at(int i);

/* The mode or the bound (mode.h, is_bound) of a name; NULL if it is unknown or NULL. */
const struct taskpool_mode *mode_find(const char *name);

/* The mode that runs a pool: another one for dynamic pools if the mode names it (`dynamic` in
 * mode.h). */
const struct taskpool_mode *mode_for(const char *name, bool dynamic);

/* Bytes of taskpool_settings.of_modes that the options of all modes take. */
size_t mode_settings_size(void);

/* "static,counter,...": valid until a mode is registered. */
const char *mode_names(void);

/* Names of the modes, then of the bounds: what --sched takes. */
const char *mode_choices(void);

/* The names of those modes for which holds() is true, separated by ", ": for messages.
 * holds  NULL: all modes
 * names  of size bytes; returned */
const char *mode_names_where(bool (*holds)(const struct taskpool_mode *mode, const void *context),
                             const void *context, char *names, size_t size);

/* Refuses a bound, for runs that are not simulated. Errors: STATUS_USAGE. */
enum status mode_check_real(const struct taskpool_mode *mode);

/* Adds a mode; it and its options must exist until the end of the program.
 * Errors: STATUS_USAGE (NULL, a name that is taken or no word, a function that every mode needs
 * is missing, a bad row of options), STATUS_LIMIT (too many modes, no room in the settings);
 * nothing is changed then. */
enum status mode_register(const struct taskpool_mode *mode);

/* Several modes, named by one option: --compare M1,M2,... */
struct mode_list {
    int n;
    const char *modes[MODES_MAX]; /* their names; one may be there several times */
    bool by_all[MODES_MAX];       /* whether "all" stands for it */
};

/* text    names separated by commas; one of them may be "all", which stands for all modes that the
 *         others do not name, in the order of mode_names
 * option  named in messages, without the dashes
 * Errors: STATUS_USAGE (no mode, an unknown one, too many, "all" twice). */
enum status mode_list_parse(const char *option, const char *text, struct mode_list *list);
