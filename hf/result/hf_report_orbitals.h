/* The orbital energies of one run, in a report. */
#ifndef BERYL_HF_HF_REPORT_ORBITALS_H
#define BERYL_HF_HF_REPORT_ORBITALS_H

#include "sched/lab/report/report_section.h"

#include <stdio.h>

/* A row for the gap between occupied and virtual orbitals of each spin, where it is known. */
void hf_report_orbital_gaps(FILE *page, const struct report_run *run);

/* The orbital energies as a ladder: levels around the gap, a column for each spin; a line
 * below says which are beyond the picture. Nothing if the file has none. STATUS_OK. */
enum status hf_report_orbital_ladder(FILE *page, const struct report_run *run);

#endif
