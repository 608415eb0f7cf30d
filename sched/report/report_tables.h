/* The figures of one run as tables. */
#ifndef BERYL_SCHED_REPORT_REPORT_SUMMARY_H
#define BERYL_SCHED_REPORT_REPORT_SUMMARY_H

#include "sched/report/report_run.h"
#include "sched/report/report_section.h"

#include <stdio.h>

/* What ran and what came out, as far as the file says: what the subject (NULL for none)
 * tells of, workers, tasks, ...; the error of a run that failed. */
void report_summary(FILE *page, const struct report_run *run, const struct report_subject *subject);

/* What the run is called: by the subject, or the workload's name. */
void report_name(FILE *page, const struct report_run *run, const struct report_subject *subject);

#endif
