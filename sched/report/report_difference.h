/* What changed between two recorded runs, as text. */
#ifndef BERYL_SCHED_REPORT_REPORT_DIFFERENCE_H
#define BERYL_SCHED_REPORT_REPORT_DIFFERENCE_H

#include "support/base/status.h"

#include <jansson.h>
#include <stdio.h>

/* Writes the options, inputs and results that differ, by their keys, then the seconds of an
 * iteration under each mode (of a sweep: each run) that both have, or of two runs under one mode
 * each whatever these are, and whether they are distinguishable: by the rank-sum test of their
 * rounds or, in a single round, of their iterations that count, with 98 % for all together (Holm).
 * More than 50 numbers are averaged to 50.
 * Not collective.
 * results  as --json writes them (RESULTS.md)
 * names    of the two files
 * Errors: STATUS_INPUT, with the name, if one is no result of a run; STATUS_NO_MEMORY. */
enum status report_difference(const json_t *const results[2], const char *const names[2],
                              FILE *stream);

#endif
