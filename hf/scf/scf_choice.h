/* SPDX-License-Identifier: BSD-3-Clause */
/* The decisions of an SCF: by which method the next step is taken, and where the iterations end.
 * Private to the solver. Collective. */
#pragma once

#include "hf/scf/scf_solver.h"

/* Whether the gradient of the state, which has orbitals, is as small as it has to be or can be, or
 * the energy is right to what the settings ask for. */
bool scf_choice_is_stationary(const struct scf_solver *solver);

/* Takes the result of a test of stability: where it leaves the energy's error open, or is itself
 * open, the iterations go on to the gradient that the settings ask for. */
void scf_choice_take_curvature(struct scf_solver *solver, const struct scf_curvature *curvature);

/* Remembers the best state and counts the iterations without progress. A stall close to convergence
 * is first taken as noise of incremental builds, which end then. */
void scf_choice_watch(struct scf_solver *solver);

/* Whether the next step is one of second order; else, one of quasi-Newton, not of DIIS. A kept
 * occupation is left by the descent from a saddle point only, if that is followed. */
bool scf_choice_second_order(const struct scf_solver *solver);
bool scf_choice_quasi_newton(const struct scf_solver *solver);

/* Whether quasi-Newton steps, which are in charge, no longer make progress. */
bool scf_choice_leaves_quasi_newton(const struct scf_solver *solver);

/* Where no step leads lower from an accurate state: sets is_flat if the state is as
 * good as converged. Errors: STATUS_NOT_CONVERGED. */
enum status scf_choice_judge_flatness(struct scf_solver *solver, const struct scf_step *step);

/* Whether a stationary state is to be tested: one nearby has not been, with a clear result. */
bool scf_choice_tests_minimum(const struct scf_solver *solver);
