/* SPDX-License-Identifier: BSD-3-Clause */
/* Converged amplitudes of a checkpoint in the place of iterations: what these would have left. */
#pragma once

#include "tce/methods/correlation.h"

#include <stdbool.h>

/* Whether amplitudes and their energy are all that the result, and what follows the iterations, need of
 * them: no other scalar, tensor or intermediate. Not collective. */
bool amplitude_solution_is_enough(const struct correlation *correlation);

/* The unknowns hold a solution: sets what they became to the same, and the energy. Collective. */
void amplitude_solution_resume(const struct correlation *correlation, double energy);

/* Sets the unknowns to what they became, as a solution has it: the energy is then that of the very
 * amplitudes which follow. Collective. */
void amplitude_solution_settle(const struct correlation *correlation);
