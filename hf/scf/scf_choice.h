/* SPDX-License-Identifier: BSD-3-Clause */
/* The decisions of an SCF: by which method the next step is taken, and where the iterations end.
 * Private to the solver. Collective. */
#pragma once

#include "hf/scf/scf_solver.h"

/* Whether the gradient of the state, which has orbitals, is as small as it has to be or can be. */
bool scf_choice_is_stationary(const struct scf_solver *solver);

/* Remembers the best state and counts the iterations without progress. A stall close to convergence
 * is first taken as noise of incremental builds, which end then. */
void scf_choice_watch(struct scf_solver *solver);

/* Whether the next step is one of second order; else, one of quasi-Newton, not of DIIS. */
bool scf_choice_second_order(const struct scf_solver *solver);
bool scf_choice_quasi_newton(const struct scf_solver *solver);

/* Whether quasi-Newton steps, which are in charge, no longer make progress. */
bool scf_choice_leaves_quasi_newton(const struct scf_solver *solver);

/* Where no step leads lower from a state that was built in full: sets is_flat if the state is as
 * good as converged. Errors: STATUS_NOT_CONVERGED. */
enum status scf_choice_judge_flatness(struct scf_solver *solver, const struct scf_step *step);

/* Whether a stationary state is tested to be a minimum. */
bool scf_choice_tests_minimum(const struct scf_solver *solver);
