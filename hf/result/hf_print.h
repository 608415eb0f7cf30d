/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a Hartree-Fock calculation as text, by the process that log.h names. Not
 * collective where they do not say so. */
#pragma once

#include "basis/quartets/class_costs.h"
#include "hf/calculation/hf_calculation.h"
#include "hf/result/hf_qcschema.h"

#include <stdbool.h>

/* Molecule, basis, processes, scheduling modes and kernels of BLAS, after hf_calculation_read.
 * compared: modes, as --compare names them, or NULL. Collective. */
void hf_print_input(const struct hf_calculation *calculation, const char *compared);

/* Number of tasks of a Fock build, after hf_calculation_prepare_build. */
void hf_print_tasks(const struct hf_calculation *calculation);

/* Which density the builds of --fock-only are from, and that a guess is not one of an SCF.
 * Arguments: hf_calculation_find_density. */
void hf_print_density(const struct hf_calculation *calculation, bool converged, double seconds);

/* Energies, orbitals and the time of the builds, after hf_calculation_solve. */
void hf_print_result(const struct hf_calculation *calculation, bool all_orbitals);

/* A table of the classes that occurred (--profile-classes). */
void hf_print_class_costs(const struct class_costs *costs);

/* The counts and the prediction of --dry-run. */
void hf_print_prediction(const struct hf_prediction *prediction);
