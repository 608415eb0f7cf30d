/* The orbital energies of one run as a ladder. */
#ifndef BERYL_SCHED_REPORT_REPORT_ORBITALS_H
#define BERYL_SCHED_REPORT_REPORT_ORBITALS_H

#include "sched/report/report_run.h"

#include <stdio.h>

/* Levels around the gap, a column for each spin; a line below says which are
 * beyond the picture. Nothing if the file has no orbital energies. */
void report_orbitals(FILE *page, const struct report_run *run);

#endif
