/* SPDX-License-Identifier: BSD-3-Clause */
/* The state with which the iterations of an SCF begin. Private to the solver. */
#pragma once

#include "hf/scf/scf_solver.h"
#include "support/arrays/darray.h"
#include "support/base/status.h"

/* Name of the first iteration. Not collective. */
const char *scf_first_state_name(const struct scf_settings *settings);

/* Sets the solver's state to that of the guess density D, its orbitals mixed or swapped as the settings
 * say, with its Fock matrix and gradient; and the reference of a kept occupation, unless that is from
 * a restart. Collective. Errors: STATUS_INPUT (settings->swap names no such orbitals),
 * STATUS_NO_MEMORY, those of fock_build and dense_eigen. */
enum status scf_first_state_find(struct scf_solver *solver, struct darray *const D[]);
