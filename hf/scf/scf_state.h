/* One state of the SCF: a set of occupied orbitals, and its density, Fock matrix and
 * energy. The last index is the spin; matrices over orbitals are in the orthonormal
 * basis of scf_basis (m x m). */
#ifndef BERYL_HF_SCF_STATE_H
#define BERYL_HF_SCF_STATE_H

#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_fock.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_state {
    struct dense *U[2];          /* columns: orbitals, the occupied ones first */
    double *orbital_energies[2]; /* m: of the columns of U, as far as known */
    struct dense *P[2];          /* projector on the occupied orbitals: U_o U_o^T */
    struct dense *D[2];          /* n x n: its density in the functions */
    struct dense *G[2];          /* n x n: two-electron matrix of D */
    struct dense *F[2];          /* X^T (H + G) X */
    double one_electron_energy, two_electron_energy;
    double energy;   /* total, with the nuclear repulsion */
    double gradient; /* max |F_ia|, i occupied, a virtual, any spin */
    bool full;       /* G came from a build of D itself, not of its change */
    bool idempotent; /* P is a projector: the energy is that of a determinant */
};

/* Collective, like all that follows. Errors: STATUS_NO_MEMORY. */
enum status scf_state_create(const struct scf_basis *basis, struct scf_state **state);
void scf_state_destroy(struct scf_state *state);

/* Sets P, D of a density given in the functions: D = the tiles; P need not be a
 * projector. No orbitals yet. */
enum status scf_state_from_tiles(const struct scf_basis *basis, struct darray *const D[],
                                 struct scf_state *state);

/* Sets D from P. */
void scf_state_from_projector(const struct scf_basis *basis, struct scf_state *state);

/* Sets G, F and the energies from D. Errors: those of fock_build. */
enum status scf_state_build(const struct scf_basis *basis, struct scf_fock *fock, bool full,
                            struct scf_state *state);

/* Sets the gradient from F and U. Of a state that is not idempotent, which has no
 * orbitals: max |(FP - PF)_kl|. */
void scf_state_gradient(const struct scf_basis *basis, struct scf_state *state);

/* error = FP - PF of a spin, zero at a stationary point. */
void scf_state_commutator(const struct scf_basis *basis, const struct scf_state *state, int spin,
                          struct dense *error);

/* Sets U and the orbital energies to the eigenvectors of matrices in place of F
 * (destroyed), and P, D from them. Errors: those of dense_eigen. */
enum status scf_state_diagonalise(const struct scf_basis *basis, struct dense *const matrices[],
                                  struct scf_state *state);

/* Turns the occupied orbitals among themselves, and the virtual ones, so that
 * F is diagonal within each; sets U and the orbital energies; P stays but for rounding.
 * Errors: those of dense_eigen. */
enum status scf_state_canonicalise(const struct scf_basis *basis, struct scf_state *state);

#endif
