/* SPDX-License-Identifier: BSD-3-Clause */
/* A density for Fock builds, as of --fock-only and --compare. */
#ifndef BERYL_HF_HF_DENSITY_H
#define BERYL_HF_HF_DENSITY_H

#include "hf/calculation/hf_calculation.h"
#include "support/base/status.h"

#include <stdbool.h>

/* Sets the calculation's D after hf_calculation_prepare_build: the first density of its settings
 * or, converged, the one that an SCF makes of it. A converged one is that of the orbitals which a
 * checkpoint keeps, to the last bit; the Fock builds of its SCF are then in the records of the
 * calculation's fock. Collective.
 * *seconds  taken by reading a file, or by the SCF
 * Errors: those of hf_calculation_guess and hf_calculation_solve. */
enum status hf_density_find(struct hf_calculation *calculation, bool converged, double *seconds);

#endif
