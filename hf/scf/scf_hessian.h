/* SPDX-License-Identifier: BSD-3-Clause */
/* Rotations between occupied and virtual orbitals, kappa[a][i], and the vector space
 * that they form. A spin without occupied or without virtual orbitals
 * has none: its matrix is NULL.
 *
 * The energy as a function of orbital rotations about a state, to second order:
 *
 *   E(kappa) = E + w [ g . kappa + 1/2 kappa . H kappa ],   w = 4 restricted, 2 unrestricted
 *   g_ai = F_ai,   (H kappa)_ai = sum_b F_ab kappa_bi - sum_j kappa_aj F_ji + G[d(kappa)]_ai
 *   d(kappa) = occupation (C_v kappa C_o^T + its transpose)
 *
 * The orbitals are canonical within the occupied and within the virtual ones.
 *
 * About a restricted state these are rotations alike for both spins (the singlet block). Opposite
 * ones, kappa of alpha and -kappa of beta, lead to unrestricted determinants (the triplet block):
 * their gradient is zero, w is the same, and G loses its Coulomb part,
 *
 *   (H_t kappa)_ai = sum_b F_ab kappa_bi - sum_j kappa_aj F_ji - K[d(kappa)]_ai / 2.
 *
 * The two blocks are the Hessian of UHF there, (A + B) of singlet and triplet excitations. Since
 * H - H_t = 4 (ai|bj) has no negative eigenvalue, H_t has the lowest one of UHF.
 *
 * Of ROHF kappa[0] turns closed and open orbitals into virtual ones, kappa[1] closed ones into open ones
 * (scf_open_shell.c).
 * Source: Helgaker, Jorgensen & Olsen, Molecular Electronic-Structure Theory (2000),
 * sects. 10.1.2 and 10.8; the product with a vector as a Fock build as in sect. 10.7; Seeger &
 * Pople, J. Chem. Phys. 66, 3045 (1977). */
#pragma once

#include "hf/digestion/density_kind.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_state.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

/* --- rotations --- */

struct scf_rotation {
    struct dense *kappa[2]; /* scf_rotation_rows x n_occupied of each spin */
};

/* n_virtual of a spin; of ROHF's second matrix, the number of open orbitals: in either case the columns of U
 * that follow the spin's occupied ones. Not collective. */
int scf_rotation_rows(const struct scf_basis *basis, int spin);

/* Whether there is anything to rotate. Not collective. */
bool scf_rotation_exists(const struct scf_basis *basis);

/* n rotations of zeros. Collective. Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status scf_rotations_init(const struct scf_basis *basis, int n,
                               struct scf_rotation rotations[]);

/* Zeroed ones, which were never initialised, are fine. Not collective. */
void scf_rotations_fini(int n, struct scf_rotation rotations[]);

/* Bytes that a rotation takes of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_rotation_bytes(const struct scf_basis *plan);

/* y = alpha x + beta y. Not collective; beta 0 copies. */
void scf_rotation_add(double alpha, const struct scf_rotation *x, double beta,
                      struct scf_rotation *y);

/* sum over spins of x . y; collective. */
double scf_rotation_dot(const struct scf_rotation *x, const struct scf_rotation *y);

/* dots[j * n + i] = x[i] . y[j] for n and m rotations, in one reduction. */
void scf_rotation_dot_products(int n, const struct scf_rotation x[], int m,
                               const struct scf_rotation y[], double dots[]);

/* The differences of orbital energies, M_ai = max(e_a - e_i + shift, floor), by the energies of each
 * spin's orbitals, occupied ones first. */
struct scf_energy_gap {
    const double *orbital_energies[2];
    double shift, floor;
};

/* y = M x + beta y, or M^-1 x + beta y; y may be x where beta is 0. Not collective. */
enum scf_gap_power { SCF_TIMES_GAP, SCF_OVER_GAP };
void scf_rotation_scale(const struct scf_energy_gap *gap, enum scf_gap_power power,
                        const struct scf_rotation *x, double beta, struct scf_rotation *y);

/* Numbers in [-1, 1] without structure, others for each stream, the same for any number of
 * processes. */
void scf_rotation_set_noise(int stream, struct scf_rotation *x);

/* --- the Hessian --- */

struct scf_hessian {
    const struct scf_basis *basis; /* borrowed */
    struct scf_fock *fock;         /* borrowed */
    const struct scf_state *state; /* borrowed */
    struct scf_rotation gradient;
    struct scf_energy_gap gap;     /* of the state, without a floor; its energies are borrowed */
    double weight;                 /* w above */
    struct dense *C_o[2], *C_v[2]; /* n x n_occupied, n x scf_rotation_rows */
    struct dense *half[2];         /* scratch, n x n_occupied */
    struct dense *d[FOCK_MAX_MATRICES], *G[FOCK_MAX_MATRICES]; /* scratch, n x n, by need */
};

/* state: as scf_state_canonicalise and scf_state_gradient leave it; borrowed, and must not change
 * before scf_hessian_fini. Collective, like all that follows. scf_rotation_exists must hold.
 * Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status scf_hessian_init(const struct scf_basis *basis, struct scf_fock *fock,
                             const struct scf_state *state, struct scf_hessian *hessian);
void scf_hessian_fini(struct scf_hessian *hessian);

/* Bytes that it takes of a process, at most, if up to n_products are found in one pass. Not
 * collective. */
int64_t scf_hessian_bytes(const struct scf_basis *plan, int n_products);

/* kappa = C_v^T A C_o of each spin that has rotations. A: n x n, over the functions. */
void scf_hessian_project(struct scf_hessian *hessian, const struct dense *A,
                         struct scf_rotation *kappa);

/* n products in one pass over the integrals, at the price of a Fock build, n n_densities <=
 * FOCK_MAX_MATRICES. About a restricted state: with_own <= FOCK_MAX_COULOMB of the first rotations in its own
 * space, product[i] = H kappa[i], all others product[i] = H_t kappa[i]; else all are with H. Each kappa is of
 * norm 1. Errors: as fock_build; STATUS_NO_MEMORY. */
enum status scf_hessian_multiply_several(struct scf_hessian *hessian, int with_own, int n,
                                         const struct scf_rotation *const kappa[],
                                         struct scf_rotation *const product[]);

enum { SCF_MAX_FREE_ROTATIONS = 3 };

/* Free rotations: the orbitals of an atom, or of a linear molecule, turned together about an axis at the
 * same energy, an exact zero of the Hessian (scf_free_rotation.c).
 * kappa[0] to kappa[*n - 1] become them, orthonormal; the others are overwritten.
 * kappa: SCF_MAX_FREE_ROTATIONS, initialised by the caller. Overwrites the hessian's scratch.
 * Collective. Errors: STATUS_NO_MEMORY. */
enum status scf_find_free_rotations(struct scf_hessian *hessian, struct scf_rotation kappa[],
                                    int *n);

/* Sets U_o of trial to the occupied orbitals of state turned by kappa,
 *   U_o' = U_o W cos(s) + U_v kappa W sin(s)/s,   kappa^T kappa W = W s^2,
 * which agrees with exp(kappa) on the space they span. state is canonical; trial may be state.
 * Errors: as dense_eigen; STATUS_NO_MEMORY. */
enum status scf_rotate(const struct scf_basis *basis, const struct scf_state *state,
                       const struct scf_rotation *kappa, struct scf_state *trial);

/* scf_rotate, and F, canonical orbitals and gradient of trial. Errors: as scf_rotate and
 * fock_build. */
enum status scf_rotate_and_build(const struct scf_basis *basis, struct scf_fock *fock,
                                 const struct scf_state *state, const struct scf_rotation *kappa,
                                 struct scf_state *trial);

/* Bytes that scf_rotate takes of a process while it runs, at most. Not collective. */
int64_t scf_rotate_bytes(const struct scf_basis *plan);
