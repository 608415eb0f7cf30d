/* The options that describe a simulated machine. */
#ifndef BERYL_SCHED_MACHINE_OPTIONS_H
#define BERYL_SCHED_MACHINE_OPTIONS_H

#include "support/options.h"

#include <stddef.h>
#include <stdint.h>

/* As given on the command line; see struct taskpool_machine. */
struct machine_settings {
    int64_t n_workers; /* 0: the run is real */
    int64_t node_size;
    double latency_s;
    double latency_spread_s;
    double overhead_s;
    double bandwidth; /* bytes per second */
};

/* What the settings have to be before parsing: all not given. */
extern const struct machine_settings machine_settings_unknown;

extern const struct option_row machine_option_rows[];
extern const size_t machine_n_option_rows;

/* That nothing of a machine is described where none is simulated. Errors: STATUS_USAGE. */
enum status machine_options_check(const struct machine_settings *settings);

/* What was not given becomes its default. */
void machine_options_set_defaults(struct machine_settings *settings);

#endif
