/* The files that beryl-sched writes: the result and the page. */
#ifndef BERYL_SCHED_BERYL_SCHED_OUTPUTS_H
#define BERYL_SCHED_BERYL_SCHED_OUTPUTS_H

#include "sched/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <jansson.h>

/* That every output can be written, and in the place of no other. Not collective.
 * Errors: STATUS_USAGE, STATUS_IO. */
enum status beryl_sched_outputs_check(const struct beryl_sched_options *options);

/* That no output of options is an input of run, which may be the same or one of its sweep.
 * Not collective. Errors: STATUS_USAGE. */
enum status beryl_sched_outputs_check_inputs(const struct beryl_sched_options *options,
                                             const struct beryl_sched_options *run);

/* Writes what the options ask for. Not collective.
 * result  of a run or of a sweep
 * name    what the page calls it
 * Errors: STATUS_IO, STATUS_NO_MEMORY. */
enum status beryl_sched_outputs_write(const struct beryl_sched_options *options,
                                      const json_t *result, const char *name);

#endif
