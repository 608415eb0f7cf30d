/* SPDX-License-Identifier: BSD-3-Clause */
/* The results and measurements of one run as tables. */
#ifndef BERYL_SCHED_REPORT_REPORT_TABLES_H
#define BERYL_SCHED_REPORT_REPORT_TABLES_H

#include "sched/lab/report/report_section.h"

#include <stdio.h>

/* Name of the run: by the section (NULL for none), or that of the workload. */
void report_name(FILE *page, const struct report_run *run, const struct report_section *section);

/* Outcome, tables of the section (NULL for none) or the workload, workers, tasks, ..., as far as
 * the file has them; the error of a run that failed. */
void report_summary(FILE *page, const struct report_run *run, const struct report_section *section);

/* Table of all measurements of every iteration, or group of iterations, folded. */
void report_iterations(FILE *page, const struct report_run *run);

#endif
