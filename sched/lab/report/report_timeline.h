/* SPDX-License-Identifier: BSD-3-Clause */
/* The charts of a run's course: the key `timeline` of a result. Each is left out where the file
 * does not have its data. */
#ifndef BERYL_SCHED_REPORT_REPORT_TIMELINE_H
#define BERYL_SCHED_REPORT_REPORT_TIMELINE_H

#include "sched/lab/report/report_run.h"
#include "support/base/status.h"

#include <stdio.h>

/* Utilisation over time, lanes of workers, durations of tasks, predicted against measured cost,
 * load before and after balancing. Within a <div class="charts">, which it may end to begin
 * another. Errors: STATUS_NO_MEMORY. */
enum status report_timeline(FILE *page, const struct report_run *run);

/* The lanes alone: a row for a worker, with its tasks and steals. */
void report_lanes(FILE *page, const struct report_run *run);

/* Workers whose load is above the middle of mean and maximum in the last iteration, for which the
 * others wait; -1: not known. */
int64_t report_overloaded(const struct report_run *run);

/* Seconds that the longest task of the last iteration took, or more, as a class of the histogram
 * begins there; NAN: not known. */
double report_longest_task(const struct report_run *run);

/* Reads the edges of the n bins of utilisation over time, n + 1 of them, into edges. */
void report_find_edges(const struct report_run *run, int64_t n, double *edges);

#endif
