/* SPDX-License-Identifier: BSD-3-Clause */
/* The charts of one run. */
#ifndef BERYL_SCHED_REPORT_REPORT_CHARTS_H
#define BERYL_SCHED_REPORT_REPORT_CHARTS_H

#include "sched/lab/report/markup/svg_chart.h"
#include "sched/lab/report/report_run.h"

#include <stdio.h>

/* Breakdown of the workers' time: one series for each use of the makespan, in
 * the order of enum report_column from REPORT_TASK, with its name and colour. */
enum { REPORT_N_TIMES = REPORT_COMMUNICATION - REPORT_TASK + 1 };
extern const struct svg_series report_times[REPORT_N_TIMES];

/* Which blocks of a tensor exist: the key `blocks` of a result, if it has one. */
void report_blocks(FILE *page, const struct report_run *run);

/* Per iteration: where the workers' time went, seconds, efficiency and
 * imbalance, steals. Series that the file does not have are left out. */
void report_charts(FILE *page, const struct report_run *run);

#endif
