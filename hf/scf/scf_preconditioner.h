/* SPDX-License-Identifier: BSD-3-Clause */
/* The preconditioner of Newton steps, z = B^-1 r: the differences of orbital energies M, floored,
 * and directions x_i in which products with the Hessian are known from the step before,
 *
 *   B^-1 = A M^-1 A^T + sum_i x_i x_i^T / c_i,   A = 1 - sum_i x_i (H x_i)^T / c_i,   c_i = x_i . H x_i > 0.
 *
 * For conjugate directions it is the inverse of H on their span, where flat energy surfaces have
 * eigenvalues far below any difference of orbital energies.
 * Source: Morales & Nocedal, SIAM J. Optim. 10, 1079 (2000); for conjugate directions their
 * quasi-Newton matrix is this one. */
#pragma once

#include "hf/scf/scf_hessian.h"
#include "hf/scf/scf_state.h"
#include "support/base/status.h"

enum { SCF_KEPT_DIRECTIONS = 8 };

struct scf_preconditioner {
    const struct scf_basis *basis; /* borrowed */
    struct scf_energy_gap gap;     /* M of the state; its energies are borrowed */
    int n;                         /* directions of the last step */
    struct scf_rotation x[SCF_KEPT_DIRECTIONS], Hx[SCF_KEPT_DIRECTIONS];
    double curvature[SCF_KEPT_DIRECTIONS]; /* c_i */
    struct scf_rotation scratch;
    struct dense *U[2];            /* m x m: orbitals of the state of the directions */
    struct dense *W_v[2], *W_o[2]; /* scratch: n_virtual, n_occupied squared */
    struct dense *U_v[2], *V_v[2]; /* scratch, m x n_virtual */
};

/* Zeroed by the caller. Collective, like all that follows. On failure scf_preconditioner_fini still
 * has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_preconditioner_init(const struct scf_basis *basis,
                                    struct scf_preconditioner *preconditioner);
void scf_preconditioner_fini(struct scf_preconditioner *preconditioner);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_preconditioner_bytes(const struct scf_basis *plan);

/* Begins a step from a canonical state: directions that the last step kept are used in this one, in the
 * orbitals of this state, if their curvature is positive. floor: of M, hartree. */
void scf_preconditioner_begin(struct scf_preconditioner *preconditioner,
                              const struct scf_state *state, double floor);

/* z = B^-1 r. */
void scf_preconditioner_apply(const struct scf_preconditioner *preconditioner,
                              const struct scf_rotation *r, struct scf_rotation *z);

/* Keeps n <= SCF_KEPT_DIRECTIONS conjugate directions x[i] and H x[i] for the next step: exchanges
 * the matrices with the caller, who gets those in use before, so that this one can no longer apply it.
 * Not collective. */
void scf_preconditioner_keep(struct scf_preconditioner *preconditioner, int n,
                             struct scf_rotation x[], struct scf_rotation Hx[]);
