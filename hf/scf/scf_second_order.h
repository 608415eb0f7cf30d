/* SPDX-License-Identifier: BSD-3-Clause */
/* Second-order optimisation of orbitals: Newton steps within a trust region. The subspace of a step
 * begins with soft directions of the last one. A step is accepted only if the energy falls.
 * Converges where DIIS does not, at the price of several passes over the integrals for a step.
 * Source: Nocedal & Wright, Numerical Optimization (2006), algorithm 4.1. */
#pragma once

#include "hf/scf/scf_preconditioner.h"
#include "hf/scf/scf_state.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_second_order {
    const struct scf_basis *basis; /* borrowed */
    struct scf_fock *fock;         /* borrowed */
    struct scf_state *trial;       /* owned */
    struct scf_preconditioner preconditioner;
    int n_products; /* with the Hessian in a pass over the integrals, at most */
    double radius;  /* of the trust region, in the metric of the orbital energies */
};

/* n_matrices >= n_densities: those that a pass over the integrals may take. Collective, like all that
 * follows. On failure scf_second_order_destroy still has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_second_order_create(const struct scf_basis *basis, struct scf_fock *fock,
                                    int n_matrices, struct scf_second_order **solver);
void scf_second_order_destroy(struct scf_second_order *solver);

/* Bytes that it takes of a process, at most, steps included (scf_basis_plan). Not collective. */
int64_t scf_second_order_bytes(const struct scf_basis *plan, int n_matrices);

/* One step from *state, a determinant with F built and orbitals canonical; on return
 * *state is the next one, of lower energy, also built, canonical and with its gradient
 * (*state and the trial are swapped). step->moved is false if none found is better: the energy
 * does not fall, or where its change drowns in noise, the gradient does not.
 * Errors: as fock_build; STATUS_NO_MEMORY. */
struct scf_step {
    bool moved;
    double predicted; /* change of the energy by the whole step, hartree, <= 0 */
};
enum status scf_second_order_step(struct scf_second_order *solver, struct scf_state **state,
                                  struct scf_step *step);

/* The direction in which the last step found the lowest positive curvature, in the orbitals of the state,
 * which are canonical; lent until the next step. NULL: none. */
const struct scf_rotation *scf_second_order_soft_mode(struct scf_second_order *solver,
                                                      const struct scf_state *state);

/* Leaves a saddle point along direction, of norm 1 and of negative curvature (scf_hessian.h),
 * by steps that are shortened until one leads down: *state becomes one of lower energy, as above. *moved is
 * false if none is found. *state has to be accurate, so that small differences count. */
enum status scf_second_order_descend(struct scf_second_order *solver,
                                     const struct scf_rotation *direction, struct scf_state **state,
                                     bool *moved);
