/* SPDX-License-Identifier: BSD-3-Clause */
/* The scalar product of errors e = FP - PF in which the square of one is the energy that it costs, to
 * second order and without the answer of F to the orbitals:
 *
 *   e . M e = sum_pq e_pq^2 / d_pq,   d_pq = max(|epsilon_p - epsilon_q|, floor)
 *
 * over orbitals that are near the final ones and do not change during a run. DIIS that minimises it lets
 * errors of high virtual orbitals count as little as they matter. Far from the final orbitals it
 * is no better than the plain product, and leads elsewhere where there are several solutions.
 * Source of the energy: Helgaker, Jorgensen & Olsen (2000), sect. 10.8, with the orbital energies for
 * the Hessian (scf_hessian.h). */
#pragma once

#include "hf/orbitals/scf_basis.h"
#include "hf/orbitals/scf_state.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdint.h>

struct scf_metric {
    const struct scf_basis *basis; /* borrowed */
    struct dense *U[2];            /* m x m, columns: the orbitals */
    double *energies[2];           /* m */
    double floor;                  /* hartree */
    struct dense *Me[2];           /* m x m: of the last scf_metric_apply */
};

/* Collective, like all that follows. On failure scf_metric_destroy still has to be called.
 * Errors: STATUS_NO_MEMORY. */
enum status scf_metric_create(const struct scf_basis *basis, struct scf_metric **metric);
void scf_metric_destroy(struct scf_metric *metric);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_metric_bytes(const struct scf_basis *plan);

/* Takes the orbitals of a state, which are canonical; the floor is the smallest gap between occupied
 * and virtual ones of either spin, if that is not too small for a curvature. */
void scf_metric_set(struct scf_metric *metric, const struct scf_state *state);

/* A = U epsilon U^T of a spin, which with the floor is the metric; scf_metric_set_operator takes it, and
 * destroys A. Errors: those of dense_eigen. */
void scf_metric_operator(const struct scf_metric *metric, int spin, struct dense *A);
enum status scf_metric_set_operator(struct scf_metric *metric, int spin, struct dense *A);

/* M e of each spin, borrowed until the next call; e itself where metric is NULL. */
struct dense *const *scf_metric_apply(struct scf_metric *metric, struct dense *const e[]);
