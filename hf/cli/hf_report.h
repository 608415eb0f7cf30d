/* What a report says of a Hartree-Fock run beside its scheduling: the molecule, the
 * energies, the convergence and the orbitals. */
#ifndef BERYL_HF_HF_REPORT_H
#define BERYL_HF_HF_REPORT_H

#include "sched/report/report.h"

/* Of every result in QCSchema. */
extern const struct report_subject hf_report;

#endif
