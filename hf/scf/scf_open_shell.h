/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations of ROHF (scf_hessian.h). Closed (c), open (o) and virtual (v) orbitals, U, of both spins are turned
 * together by exp(X), with blocks x_vc, x_vo and x_oc of the antisymmetric X. In
 *
 *   kappa[0] = (sqrt(2) x_vc, x_vo),   kappa[1] = x_oc
 *
 * a rotation has the norm that it has as a pair of rotations of UHF, and the curvature of each element is
 * about a difference of orbital energies. With P_s the projector on the occupied orbitals of a spin,
 * and G_s the two-electron matrix of the densities [X, P_s],
 *
 *   g = sum_s [P_s, F_s],   H X = sum_s [[X, P_s], F_s] / 2 + [P_s, [F_s, X] / 2 + G_s],
 *
 * of which the same blocks count. H does not need canonical orbitals of each spin, which ROHF lacks.
 * Source: the second-order expansion of the energy by exp(X) P exp(-X), Helgaker, Jorgensen & Olsen,
 * Molecular Electronic-Structure Theory (2000), sect. 10.1.2. All functions are for ROHF alone, and
 * collective. */
#pragma once

#include "hf/digestion/density_kind.h"
#include "hf/scf/scf_hessian.h"
#include "hf/scf/scf_state.h"
#include "support/base/status.h"

/* Multiplies the closed columns of kappa[0] by a factor, sqrt(2) from x to kappa; nothing unless the
 * problem is ROHF. */
void scf_open_scale(const struct scf_basis *basis, double factor, struct scf_rotation *kappa);

/* As scf_hessian_multiply_several. kind: of the densities. */
enum status scf_open_multiply(struct scf_hessian *hessian, const struct density_kind *kind,
                              const struct scf_rotation *const kappa[],
                              struct scf_rotation *const product[]);

/* As scf_rotate, for U_o of both spins. */
enum status scf_open_rotate(const struct scf_basis *basis, const struct scf_state *state,
                            const struct scf_rotation *kappa, struct scf_state *trial);

/* Bytes that either takes of a process while it runs, at most (scf_basis_plan). Not collective. */
int64_t scf_open_bytes(const struct scf_basis *plan);
