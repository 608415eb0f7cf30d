/* The stages of a Hartree-Fock calculation as text, by the process that log.h names. Not
 * collective where they do not say so. */
#ifndef BERYL_HF_HF_PRINT_H
#define BERYL_HF_HF_PRINT_H

#include "hf/calculation/hf_calculation.h"

/* Molecule, basis, processes, scheduling modes and kernels of BLAS, after hf_calculation_read.
 * Collective. */
void hf_print_input(const struct hf_calculation *calculation);

/* Number of tasks of a Fock build, after hf_calculation_prepare_build. */
void hf_print_tasks(const struct hf_calculation *calculation);

/* Which density the builds of --fock-only are from, and that a guess is not one of an SCF; seconds:
 * taken by finding it. */
void hf_print_density(const struct hf_calculation *calculation, double seconds);

/* Energies, orbitals and the time of the builds, after hf_calculation_solve. */
void hf_print_result(const struct hf_calculation *calculation);

#endif
