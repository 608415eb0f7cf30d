/* Section of a report on a Hartree-Fock run: molecule, energies, convergence and orbitals. */
#ifndef BERYL_HF_HF_REPORT_H
#define BERYL_HF_HF_REPORT_H

#include "sched/lab/report/report_section.h"

/* For every result in QCSchema. */
extern const struct report_section hf_report;

#endif
