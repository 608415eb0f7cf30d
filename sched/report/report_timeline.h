/* The charts of a run's course: the key `timeline` of a result. Each is left out where the file
 * does not have its data. */
#ifndef BERYL_SCHED_REPORT_REPORT_TIMELINE_H
#define BERYL_SCHED_REPORT_REPORT_TIMELINE_H

#include "sched/report/report_run.h"
#include "support/base/status.h"

#include <stdio.h>

/* Utilisation over time, lanes of workers, durations of tasks, predicted against measured cost,
 * load before and after balancing. Errors: STATUS_NO_MEMORY. */
enum status report_timeline(FILE *page, const struct report_run *run);

/* The lanes alone: a row for a worker, with its tasks and steals. */
void report_lanes(FILE *page, const struct report_run *run);

/* Of the n runs from first on, at most SVG_MAX_SERIES of them: the iterations, utilisation over
 * time, and the sorted loads of the workers in the last iteration. Errors: STATUS_NO_MEMORY. */
enum status report_timeline_compare(FILE *page, const struct report_runs *runs, int64_t first,
                                    int64_t n);

/* Workers whose load is above the middle of mean and maximum in the last iteration, for which the
 * others wait; -1: not known. */
int64_t report_overloaded(const struct report_run *run);

#endif
