/* SPDX-License-Identifier: BSD-3-Clause */
/* Several runs side by side. */
#ifndef BERYL_SCHED_REPORT_REPORT_COMPARE_H
#define BERYL_SCHED_REPORT_REPORT_COMPARE_H

#include "sched/lab/report/report_section.h"

#include <stdio.h>

/* The n modes of a comparison, from run number first on: a table with the ratio to the reference,
 * charts of their seconds, of where their time went, of utilisation and loads.
 * Errors: STATUS_NO_MEMORY. */
enum status report_compare_modes(FILE *page, const struct report_runs *runs, int64_t first,
                                 int64_t n);

/* A table of the runs, numbered from 1, and charts of where their time went,
 * of the seconds of an iteration and of the efficiency.
 * section  names the runs, or NULL
 * Errors: STATUS_NO_MEMORY. */
enum status report_compare(FILE *page, const struct report_runs *runs,
                           const struct report_section *section);

#endif
