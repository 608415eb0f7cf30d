/* The table of a run's iterations. */
#ifndef BERYL_SCHED_REPORT_REPORT_ITERATIONS_H
#define BERYL_SCHED_REPORT_REPORT_ITERATIONS_H

#include "sched/report/report_run.h"

#include <stdio.h>

/* Every figure that the file has of every iteration (or group of them), folded away. */
void report_iterations(FILE *page, const struct report_run *run);

#endif
