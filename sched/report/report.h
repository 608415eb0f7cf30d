/* Recorded runs as one page of HTML that needs nothing else: no network, no
 * scripts; charts are inline SVG. */
#ifndef BERYL_SCHED_REPORT_REPORT_H
#define BERYL_SCHED_REPORT_REPORT_H

#include "sched/report/report_section.h"
#include "support/base/status.h"

#include <jansson.h>
#include <stdint.h>

/* Writes the page; with several runs it compares them first. The same runs give
 * the same bytes. Not collective.
 * results  n >= 1 results as --json writes them (interface.md); a result with a
 *          comparison of modes, or a sweep, counts as a run for each
 * names    n names that the page calls them by, any bytes
 * subject  what the page tells of beside the scheduling, or NULL
 * Errors: STATUS_INPUT, with the name, if a result is something else; STATUS_IO,
 * naming the path; STATUS_NO_MEMORY. Nothing is written then. */
enum status report_write(const json_t *const results[], const char *const names[], int64_t n,
                         const struct report_subject *subject, const char *path);

#endif
