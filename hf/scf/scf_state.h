/* One set of occupied orbitals and what a Fock build makes of it: a point on the
 * energy surface. Spins are told apart by the last index, matrices over
 * orbitals are in the frame's orthonormal basis (m x m). */
#ifndef BERYL_HF_SCF_POINT_H
#define BERYL_HF_SCF_POINT_H

#include "hf/scf/scf_fock.h"
#include "hf/scf/scf_basis.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_point {
    struct dense *U[2];          /* columns: orbitals, the occupied ones first */
    double *orbital_energies[2]; /* m: of the columns of U, as far as known */
    struct dense *P[2];          /* projector on the occupied orbitals: U_o U_o^T */
    struct dense *D[2];          /* n x n: its density in the functions */
    struct dense *G[2];          /* n x n: two-electron matrix of D */
    struct dense *F[2];          /* X^T (H + G) X */
    double one_electron_energy, two_electron_energy;
    double energy;   /* total, with the nuclear repulsion */
    double gradient; /* max |F_ia|, i occupied, a virtual, any spin */
    bool whole;      /* G came from a build of the whole density */
    bool idempotent; /* P is a projector: the energy is that of a determinant */
};

/* Collective, like all that follows. Errors: STATUS_NO_MEMORY. */
enum status scf_point_create(const struct scf_frame *frame, struct scf_point **point);
void scf_point_destroy(struct scf_point *point);

/* Sets P, D of a density given in the functions: D = the tiles; P need not be a
 * projector. No orbitals yet. */
enum status scf_point_from_tiles(const struct scf_frame *frame, struct darray *const D[],
                                 struct scf_point *point);

/* Sets P, D from the first columns of U. */
void scf_point_from_orbitals(const struct scf_frame *frame, struct scf_point *point);

/* Sets D from P. */
void scf_point_from_projector(const struct scf_frame *frame, struct scf_point *point);

/* Sets G, F and the energies from D. Errors: those of fock_build. */
enum status scf_point_build(const struct scf_frame *frame, struct scf_fock *fock, bool whole,
                            struct scf_point *point);

/* Sets the gradient from F and U. Of a point that is not idempotent, which has no
 * orbitals: max |(FP - PF)_kl|. */
void scf_point_gradient(const struct scf_frame *frame, struct scf_point *point);

/* error = FP - PF of a spin, zero at a stationary point. */
void scf_point_commutator(const struct scf_frame *frame, const struct scf_point *point, int spin,
                          struct dense *error);

/* Sets U and the orbital energies to the eigenvectors of matrices in place of F
 * (destroyed), and P, D from them. Errors: those of dense_eigen. */
enum status scf_point_diagonalise(const struct scf_frame *frame, struct dense *const matrices[],
                                  struct scf_point *point);

/* Turns the occupied orbitals among themselves, and the virtual ones, so that
 * F is diagonal within each; sets U and the orbital energies; P stays but for rounding.
 * Errors: those of dense_eigen. */
enum status scf_point_canonicalise(const struct scf_frame *frame, struct scf_point *point);

#endif
