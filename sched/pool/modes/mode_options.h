/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of all registered modes as one table. An option that the chosen mode does not read
 * is refused. */
#pragma once

#include "sched/pool/modes/modes.h"
#include "support/base/status.h"
#include "support/io/options.h"
#include "taskpool/mode.h"

/* The options that every mode reads, but for --sched. Those that some modes read are in
 * taskpool/mode.h. */
extern struct taskpool_mode_options common_options;

/* --sched, the options of all modes, and the options of single modes. Valid until a mode is
 * registered. Its fields lie in *settings, which must get its defaults by this table:
 * mode_options_check_made relies on that. */
struct option_table mode_options_table(struct taskpool_settings *settings);

/* The table for programs without simulated runs, where --sched refuses reference schedules. */
struct option_table mode_options_table_real(struct taskpool_settings *settings);

/* Sets all fields to the defaults of the options. */
void mode_options_default(struct taskpool_settings *settings);

/* Refuses an option that differs from its default, or from what --as-published sets it to, and
 * that the mode does not read, and a value that it cannot use. Not collective.
 * Errors: STATUS_USAGE, naming the option, the mode, and the modes that read it. */
enum status mode_options_check(const struct taskpool_settings *settings);

/* The check of mode_options_check for settings that several modes share, run one after another: one
 * of them must read the option. settings->mode is ignored. */
enum status mode_options_check_list(const struct taskpool_settings *settings,
                                    const struct mode_list *list);

/* Refuses modes that can only be simulated. Errors: STATUS_USAGE. */
enum status mode_options_check_real(const struct mode_list *list);

/* Refuses settings made before the mode was registered, where its options are without values.
 * Errors: STATUS_USAGE. */
enum status mode_options_check_made(const struct taskpool_settings *settings,
                                    const struct taskpool_mode *mode);

/* Refuses values of the options of the mode that no command line could have set.
 * Errors: STATUS_USAGE, naming the option. */
enum status mode_options_check_values(struct taskpool_settings *settings,
                                      const struct taskpool_mode *mode);

/* A hash of the values of these options, after mode_options_check_values; the same on every
 * process. */
uint64_t mode_options_hash(const struct taskpool_settings *settings,
                           const struct taskpool_mode *mode);

/* The row of an option in the tables of support/io/options.h. */
struct option_row mode_option_row(const struct taskpool_option *option);

/* The modes of a run, named by --compare, or by --sched if compare is NULL.
 * n_rounds  of --rounds
 * Errors: STATUS_USAGE (both options are given; several rounds of one mode), and as mode_list_parse
 * and the checks above. */
enum status mode_options_choose(const struct taskpool_settings *settings, const char *compare,
                                int64_t n_rounds, struct mode_list *modes);

/* The settings of one mode of such a list: options that it does not read get
 * their defaults. */
void mode_options_select(const struct taskpool_settings *settings, const char *mode,
                         struct taskpool_settings *selected);
