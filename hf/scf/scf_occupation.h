/* SPDX-License-Identifier: BSD-3-Clause */
/* Occupation by maximum overlap with reference orbitals that stay as they are (initial maximum
 * overlap method, IMOM): of the eigenvectors U of a Fock matrix those are occupied that have the
 * largest projections onto the space of the reference's occupied orbitals R,
 *   p_j = sum_i <R_i|U_j>^2,
 * not those with the lowest energies (Aufbau). So an SCF by DIIS ends in the state of the
 * reference's character, which can be an excited one, a saddle point of the energy.
 * Source: Barca, Gilbert & Gill, J. Chem. Theory Comput. 14, 1501 (2018); the method whose reference
 * is the last iteration's: Gilbert, Besley & Gill, J. Phys. Chem. A 112, 13164 (2008). */
#pragma once

#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_state.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct scf_occupation {
    const struct scf_basis *basis; /* borrowed */
    bool is_set;                   /* whether R is the reference's */
    struct dense *R[2];            /* m x n_occupied: orthonormal */
    double *p;                     /* m: of the columns of U */
    int *order;                    /* m: columns of U, the occupied ones first */
    double *energies;              /* m: scratch */
};

/* Without a reference. Collective, like all that follows. On failure scf_occupation_destroy still has
 * to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_occupation_create(const struct scf_basis *basis,
                                  struct scf_occupation **occupation);
void scf_occupation_destroy(struct scf_occupation *occupation);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_occupation_bytes(const struct scf_basis *plan);

/* Takes the occupied orbitals of a state that has orbitals as the reference. */
void scf_occupation_set(struct scf_occupation *occupation, const struct scf_state *state);

/* Reorders the columns of U and their energies after scf_state_diagonalise, and sets U_o: those with
 * the largest p first, then the others, both in the order of their energies. Errors: as scf_state_split. */
enum status scf_occupation_keep(const struct scf_occupation *occupation, struct scf_state *state);

/* *least: the smallest p of any combination of the occupied orbitals of either spin, which is the
 * lowest eigenvalue of U_o^T R R^T U_o: 1 if they span the reference's space, 0 if one of them is
 * outside of it; 1 without electrons. Errors: as dense_eigen; STATUS_NO_MEMORY. */
enum status scf_occupation_overlap(const struct scf_occupation *occupation,
                                   const struct scf_state *state, double *least);
