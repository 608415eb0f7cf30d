/* What changed between two recorded runs, as text. */
#ifndef BERYL_SCHED_REPORT_REPORT_DIFFERENCE_H
#define BERYL_SCHED_REPORT_REPORT_DIFFERENCE_H

#include "support/base/status.h"

#include <jansson.h>
#include <stdio.h>

/* Writes the options, inputs and results that differ, by their keys, then the seconds of an
 * iteration under each mode (of a sweep: each run) that both have, or of two runs under one mode
 * each whatever these are. Rounds of the same work are tested for a difference: by the rank-sum
 * test, of the last 50 where there are more, with 98 % for all together (Holm).
 * Not collective.
 * results  as --json writes them (RESULTS.md)
 * names    of the two files
 * Errors: STATUS_INPUT, with the name, if one is no result of a run; STATUS_NO_MEMORY. */
enum status report_difference(const json_t *const results[2], const char *const names[2],
                              FILE *stream);

#endif
