/* SPDX-License-Identifier: BSD-3-Clause */
/* One state of the SCF: a set of occupied orbitals, and its Fock matrix and energy. Its density
 * and two-electron matrix pass through the Fock build only. The last index is the spin; matrices
 * over orbitals are in the orthonormal basis of scf_basis (m).
 *
 * ROHF is UHF under the constraint that the beta orbitals are the first of the alpha ones. Closed (c), open (o)
 * and virtual (v) orbitals are the same columns of both U. It is stationary where F_a is zero between
 * o and v, F_b between c and o, and their mean between c and v, so that "F of a spin" below has the mean there
 * (scf_state_constrain). Source: Tsuchimochi & Scuseria, J. Chem. Phys. 133, 141102 (2010). */
#pragma once

#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_fock.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_state {
    struct dense *U[2];      /* m x m, columns: orbitals, the occupied ones first; of a density
                                  * that is not of orbitals: its projection P */
    struct dense *U_o[2];    /* m x n_occupied: the occupied ones of U */
    struct dense *FU_o[2];   /* F U_o, set by scf_state_gradient */
    struct dense *work_o[2]; /* scratch, m x n_occupied */
    struct dense *C_o[2];    /* scratch, n x n_occupied: X U_o */
    struct dense *F[2];      /* m x m: X^T (H + G) X */
    /* m: of the columns of U, as far as known. Of ROHF eigenvalues of the mean of both F, to which open
     * orbitals add half the difference of alpha's F and beta's, or subtract it: then differences of energies
     * are curvatures (scf_state_orbital_energy has the mean). */
    double *orbital_energies[2];
    double one_electron_energy, two_electron_energy;
    double energy;   /* total, with the nuclear repulsion */
    double gradient; /* max |F_ia|, i occupied, a virtual, any spin */
    double norm;     /* root of the sum of F_ia^2 of all spins; INFINITY without orbitals */
    bool accurate;   /* G came from a build with the least cutoff (scf_fock.h) */
    bool idempotent; /* a determinant's density, with its U_o known */
};

/* Collective, like all that follows. On failure scf_state_destroy still has to be called. Errors:
 * STATUS_NO_MEMORY. */
enum status scf_state_create(const struct scf_basis *basis, struct scf_state **state);
void scf_state_destroy(struct scf_state *state);

/* Bytes that it takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_state_bytes(const struct scf_basis *plan);

/* The state of a density given as tiles, which is set in fock for scf_state_build_density.
 * Errors: as dense_eigen; STATUS_NO_MEMORY. */
enum status scf_state_from_tiles(const struct scf_basis *basis, struct darray *const D[],
                                 struct scf_fock *fock, struct scf_state *state);

/* Gives a state that scf_state_from_tiles has left without orbitals the natural ones of its
 * density, the largest occupations in U_o. The density that is set in fock stays.
 * Errors: as dense_eigen. */
enum status scf_state_take_natural(const struct scf_basis *basis, struct scf_state *state);

/* Sets F and the energies from U_o. Errors: as fock_build. */
enum status scf_state_build(const struct scf_basis *basis, struct scf_fock *fock,
                            struct scf_state *state);

/* scf_state_build from the densities that are set in fock. */
enum status scf_state_build_density(const struct scf_basis *basis, struct scf_fock *fock,
                                    struct scf_state *state);

/* work_nn of the basis = the density of U_o in the functions. */
void scf_state_density(const struct scf_basis *basis, struct scf_state *state, int spin);

/* Sets the gradient, its norm and FU_o from F and U. Of a state that is not idempotent, which has no
 * orbitals: max |(FP - PF)_kl|. */
void scf_state_gradient(const struct scf_basis *basis, struct scf_state *state);

/* error = FP - PF of a spin, zero at a stationary point, by FU_o. */
void scf_state_commutator(const struct scf_basis *basis, const struct scf_state *state, int spin,
                          struct dense *error);

/* Of ROHF: F of both spins get their mean between closed and virtual orbitals; after
 * scf_state_gradient. */
void scf_state_constrain(const struct scf_basis *basis, struct scf_state *state);

/* Sets U, U_o and the orbital energies to the eigenvectors of F, which is destroyed; of ROHF, to those
 * of alpha F, and scf_state_split. Errors: those of dense_eigen. */
enum status scf_state_diagonalise(const struct scf_basis *basis, struct scf_state *state);

/* Of ROHF: turns the orbitals of the alpha electrons among themselves, so that beta F is diagonal there and
 * its lowest are closed. Errors: as dense_eigen. */
enum status scf_state_split(const struct scf_basis *basis, struct scf_state *state);

/* Turns the occupied orbitals U_o among themselves, and the virtual ones, so that
 * F is diagonal within each; of ROHF the mean of both F, within closed, open and virtual ones. Sets U, U_o
 * and the orbital energies.
 * Errors: as dense_eigen. */
enum status scf_state_canonicalise(const struct scf_basis *basis, struct scf_state *state);

/* The orbitals of a spin, U: m x m, and their energies as scf_state_canonicalise finds those of UHF; the
 * state keeps its own. Overwrites FU_o of the spin. Errors: as dense_eigen. */
enum status scf_state_semicanonicalise(const struct scf_basis *basis, struct scf_state *state,
                                       int spin, double *energies, struct dense *U);

/* The energy of a canonical orbital, hartree. Not collective. */
double scf_state_orbital_energy(const struct scf_basis *basis, const struct scf_state *state,
                                int spin, int orbital);

/* Turns an occupied and a virtual column of U, numbered from 0, into each other and sets U_o,
 *   U_i' = cosine U_i + sine U_a,  U_a' = cosine U_a - sine U_i:
 * a sine of 1 exchanges them. The canonical orbitals must be known; F, the energy and the orbital
 * energies stay as they are. Errors: STATUS_NO_MEMORY. */
enum status scf_state_turn(const struct scf_basis *basis, struct scf_state *state, int spin,
                           int occupied, int virtual, double cosine, double sine);
