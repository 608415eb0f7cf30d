/* Canonical orthogonalisation of a basis.
 *
 *   X = U s^(-1/2),  S U = U s,  X^T S X = 1
 *
 * without the columns of small s: combinations of functions that are all but
 * dependent. Source: Szabo & Ostlund (1996), eq. 3.169. */
#ifndef BERYL_HF_ORTHOGONALISE_H
#define BERYL_HF_ORTHOGONALISE_H

#include "support/arrays/dense.h"
#include "support/base/status.h"

struct orthonormal_basis {
    struct dense *X; /* n_functions x n_orbitals; owned */
    int n_functions;
    int n_orbitals;  /* n_functions minus the dropped combinations */
    double smallest; /* eigenvalue of S */
};

/* S has unit diagonal (n x n, destroyed). Combinations whose eigenvalue is below
 * dependence are dropped. Collective.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC (S is not an overlap matrix; nothing is left). */
enum status orthonormal_basis_init(struct dense *S, double dependence,
                                   struct orthonormal_basis *basis);
void orthonormal_basis_fini(struct orthonormal_basis *basis);

#endif
