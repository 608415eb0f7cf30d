/* The molecule as a picture. */
#ifndef BERYL_HF_HF_REPORT_MOLECULE_H
#define BERYL_HF_HF_REPORT_MOLECULE_H

#include "sched/lab/report/report_section.h"

/* Atoms and bonds, seen along the direction in which the molecule extends least. Nothing without a
 * molecule. Errors: STATUS_NO_MEMORY. */
enum status hf_report_molecule(FILE *page, const struct report_run *run);

#endif
