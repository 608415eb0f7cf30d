/* What a run lost its time to, in words. */
#ifndef BERYL_SCHED_REPORT_REPORT_LOSSES_H
#define BERYL_SCHED_REPORT_REPORT_LOSSES_H

#include "sched/lab/report/report_run.h"

#include <stdio.h>

/* " static lost 47 % of its time to two overloaded workers.", with the blank. Nothing where the
 * file does not have the times. */
void report_loss(FILE *page, const struct report_run *run);

#endif
