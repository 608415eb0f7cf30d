/* The figures of one run as tables. */
#ifndef BERYL_SCHED_REPORT_REPORT_SUMMARY_H
#define BERYL_SCHED_REPORT_REPORT_SUMMARY_H

#include "sched/report/report_run.h"

#include <stdio.h>

/* What ran and what came out, as far as the file says: molecule, method,
 * workers, tasks, energies, ...; the error of a run that failed. */
void report_summary(FILE *page, const struct report_run *run);

/* The molecule's formula in Hill's order, or the workload's name. */
void report_formula(FILE *page, const struct report_run *run);

/* Energy of the lowest virtual orbital minus that of the highest occupied one,
 * hartree; NAN if not known. spin: 0 alpha, 1 beta. */
double report_gap(const struct report_run *run, int spin);

/* Orbital energies of one spin, NULL if there are none; n_occupied is out. */
const json_t *report_orbital_energies(const struct report_run *run, int spin, int64_t *n_occupied);

#endif
