/* The options that name a workload and describe it. */
#ifndef BERYL_SCHED_WORKLOADS_WORKLOAD_OPTIONS_H
#define BERYL_SCHED_WORKLOADS_WORKLOAD_OPTIONS_H

#include "sched/workloads/workload.h"
#include "support/io/options.h"

#include <stddef.h>

/* What the settings have to be before parsing: all not given. */
extern const struct workload_settings workload_settings_unknown;

extern const struct option_row workload_option_rows[];
extern const size_t workload_n_option_rows;

/* What was not given becomes its default. */
void workload_options_set_defaults(struct workload_settings *settings);

/* Workloads that are named. */
int workload_options_count(const struct workload_settings *settings);

/* That there is one workload and nothing that does nothing with it. Errors: STATUS_USAGE. */
enum status workload_options_check(const struct workload_settings *settings);

#endif
