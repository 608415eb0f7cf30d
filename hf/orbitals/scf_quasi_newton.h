/* SPDX-License-Identifier: BSD-3-Clause */
/* Quasi-Newton steps of the occupied orbitals, extrapolated by DIIS: near a minimum they take as
 * many Fock builds as diagonalisations do, and their products are with occupied orbitals only.
 *
 * The frame is the orbitals U of the state where the steps begin, canonical of a Fock matrix near
 * its own. The occupied space is that of U_o + U_v T, and a step is
 *
 *   T = sum_i c_i (T_i - R_i / (e_a - e_i)),   R_ai = (F_vo + F_vv T - T F_oo - T F_ov T)_ai
 *
 * where R, zero at a stationary point, is to first order the gradient, and c the coefficients of
 * DIIS with R for errors. Source: Fischer & Almlof, J. Phys. Chem. 96, 9768 (1992); Pulay, J.
 * Comput. Chem. 3, 556 (1982). */
#pragma once

#include "hf/orbitals/scf_basis.h"
#include "hf/orbitals/scf_fock.h"
#include "hf/orbitals/scf_state.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct scf_quasi_newton;

/* Whether every spin has both occupied and virtual orbitals. Not collective. */
bool scf_quasi_newton_applies(const struct scf_basis *basis);

/* From a state that was built last, whose U and energies are the frame; borrowed, and its U, U_o
 * must stay until scf_quasi_newton_finish. size: steps kept for DIIS. Collective, like all that
 * follows. On failure scf_quasi_newton_destroy still has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_quasi_newton_create(const struct scf_basis *basis, struct scf_fock *fock,
                                    struct scf_state *state, int64_t size,
                                    struct scf_quasi_newton **solver);
void scf_quasi_newton_destroy(struct scf_quasi_newton *solver);

/* Bytes that it takes of a process, at most, scf_quasi_newton_orbitals included (scf_basis_plan).
 * Not collective. */
int64_t scf_quasi_newton_bytes(const struct scf_basis *plan, int64_t size);

/* One step, at the price of a Fock build; sets the state's energies and gradient.
 * Errors: those of fock_build and dense_eigen. */
enum status scf_quasi_newton_step(struct scf_quasi_newton *solver);

/* Sets the state's U_o and F; its U is no longer that of its orbitals.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_quasi_newton_finish(struct scf_quasi_newton *solver);

/* After a step: C = orthonormal orbitals of a spin in the functions, n x m, the occupied ones and
 * virtual ones near those of the frame. Errors: STATUS_NO_MEMORY. */
enum status scf_quasi_newton_orbitals(struct scf_quasi_newton *solver, int spin, struct dense *C);
