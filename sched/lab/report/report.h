/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded runs as one self-contained page of HTML (beryl-report, --report): no network; charts are
 * inline SVG, and the one script zooms the lanes of workers. */
#pragma once

#include "sched/lab/report/report_section.h"
#include "support/base/status.h"

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the page: answers in words, several files side by side, then each run, and each
 * comparison of modes as one section. The same runs give the same bytes. Not collective.
 * results  n >= 1 results as --json writes them (RESULTS.md); a comparison of modes counts as a
 *          run for each mode, a sweep as a run for each line
 * names    n names to show for them, any bytes
 * section  the application's part of the page, or NULL
 * Errors: STATUS_INPUT, with the name, if a result is something else; STATUS_IO,
 * naming the path; STATUS_NO_MEMORY. Nothing is written then. */
enum status report_write(const json_t *const results[], const char *const names[], int64_t n,
                         const struct report_section *section, const char *path);

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

/* main of the program beryl-report: reads the results, writes the page, prints errors.
 * section  the application's part of the page, or NULL
 * Returns the exit status. */
int report_program(int argc, char **argv, const struct report_section *section);
