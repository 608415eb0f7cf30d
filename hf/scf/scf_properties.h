/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a converged density. */
#ifndef BERYL_HF_SCF_PROPERTIES_H
#define BERYL_HF_SCF_PROPERTIES_H

#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_state.h"
#include "support/base/status.h"

/* dipole = sum_A Z_A R_A - trace(D r), e Bohr, about the origin. D: density tiles of each
 * spin. Collective. Errors: STATUS_NO_MEMORY; the same everywhere. */
enum status scf_dipole(const struct scf_problem *problem, struct darray *const D[],
                       double dipole[3]);

/* What scf_dipole takes of each of n_processes while it runs, at most. Not collective. */
struct memory_need scf_dipole_bytes(const struct scf_problem *problem, int n_processes);

/* charges[A] = Z_A - sum over functions m of A of (D S)_mm, e, per centre of the
 * molecule, on every process. D: density tiles of each spin. Collective.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_mulliken(const struct scf_basis *basis, struct darray *const D[], double *charges);

/* <S^2> = (Na - Nb)/2 ((Na - Nb)/2 + 1) + Nb - trace(P_a P_b); 0 for RHF. Collective.
 * Source: Szabo & Ostlund (1996), eq. 2.271. */
double scf_s2(const struct scf_basis *basis, const struct scf_state *state);

#endif
