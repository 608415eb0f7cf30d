/* SPDX-License-Identifier: BSD-3-Clause */
/* Section of a report on a Hartree-Fock run: molecule, energies, convergence and orbitals. */
#pragma once

#include "sched/lab/report/report_section.h"

#include <stdio.h>

/* For every result in QCSchema. */
extern const struct report_section hf_report;

/* --- its parts --- */

/* Atoms and bonds, seen along the direction in which the molecule extends least. Nothing without a
 * molecule. Errors: STATUS_NO_MEMORY. */
enum status hf_report_molecule(FILE *page, const struct report_run *run);

/* A row for the gap between occupied and virtual orbitals of each spin, where it is known. */
void hf_report_orbital_gaps(FILE *page, const struct report_run *run);

/* The orbital energies as a ladder: levels around the gap, a column for each spin; a line
 * below says which are beyond the picture. Nothing if the file has none. STATUS_OK. */
enum status hf_report_orbital_ladder(FILE *page, const struct report_run *run);
