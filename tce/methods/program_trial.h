/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a user's program with a few orbitals of random energies, integrals and amplitudes, before anything
 * of the molecule is computed: a statement that lacks a declared symmetry (symmetry_trial.h), or an ordered
 * loop whose sum is not symmetric, is refused then, and not when it runs after the iterations. */
#pragma once

#include "support/base/status.h"
#include "tce/methods/correlation.h"

/* planned  by correlation_init; a program that shows all its symmetries, or that would take long for a trial,
 *          is left alone
 * Collective. Errors: STATUS_INPUT, with the place; those of executor_create and executor_run. */
enum status program_trial(const struct correlation *planned);
