/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that beryl-sched writes: the result and the page. */
#pragma once

#include "sched/lab/cli/beryl_sched_options.h"
#include "support/base/status.h"

#include <jansson.h>

/* Checks that every output can be written, to a file of its own that is no input. Not collective.
 * Errors: STATUS_USAGE, STATUS_IO. */
enum status beryl_sched_outputs_check(const struct beryl_sched_options *options);

/* Write the outputs that the options name, before and after all others: the result first, because a
 * disk may have no room for all and the page can be made again, of the result; but a result that
 * goes to a stream last, because it can be written only once, an error in it. Not collective.
 * Errors: STATUS_IO, STATUS_NO_MEMORY. */
enum status beryl_sched_outputs_write_first(const struct beryl_sched_options *options,
                                            const json_t *result);
enum status beryl_sched_outputs_write_last(const struct beryl_sched_options *options,
                                           const json_t *result);

/* Both. */
enum status beryl_sched_outputs_write(const struct beryl_sched_options *options,
                                      const json_t *result);

/* Writes the file of --json after a failure; the status and text of the failure become its `error`.
 * No page is written. Errors of writing are ignored, because the first failure is reported. Not
 * collective.
 * result  the known part, taken; NULL when out of memory: no file is written then */
void beryl_sched_outputs_write_failed(const struct beryl_sched_options *options, json_t *result,
                                      enum status status);
