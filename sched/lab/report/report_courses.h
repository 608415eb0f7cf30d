/* The courses of the modes of a comparison, side by side. */
#ifndef BERYL_SCHED_REPORT_REPORT_COURSES_H
#define BERYL_SCHED_REPORT_REPORT_COURSES_H

#include "sched/lab/report/report_run.h"
#include "support/base/status.h"

#include <stdint.h>
#include <stdio.h>

/* Of the n runs from first on: the iterations as lines, of at most SVG_MAX_SERIES of them, the
 * first and the fastest; and of all, a row for each, utilisation over time and the sorted
 * loads of the workers in the last iteration. Each is left out where the file does not have its
 * data. Errors: STATUS_NO_MEMORY. */
enum status report_courses(FILE *page, const struct report_runs *runs, int64_t first, int64_t n);

#endif
