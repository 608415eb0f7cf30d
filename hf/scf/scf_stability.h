/* Stability of a stationary point, whether it is a minimum: the lowest eigenvalue of the Hessian
 * of orbital rotations, by Davidson's method. Internal stability: RHF among RHF
 * determinants, UHF among UHF ones, all orbitals real.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977); Davidson, J. Comput. Phys. 17, 87
 * (1975). */
#ifndef BERYL_HF_SCF_STABILITY_H
#define BERYL_HF_SCF_STABILITY_H

#include "hf/scf/scf_hessian.h"
#include "support/base/status.h"

#include <stdbool.h>

/* A point whose eigenvalue lies below is a saddle; between it and zero lie the rounded
 * zeros of free rotations, such as that of the hole in a pi shell. */
#define SCF_UNSTABLE (-1e-5)

struct scf_stability {
    double eigenvalue;             /* lowest one found, of H of scf_hessian.h, hartree */
    bool converged;                /* the sign of it is certain */
    int n_products;                /* Fock builds spent */
    struct scf_rotation direction; /* its vector, of norm 1 */
};

/* Collective. Errors: those of scf_hessian_multiply, STATUS_NO_MEMORY; nothing is
 * left then. */
enum status scf_stability_init(struct scf_hessian *hessian, struct scf_stability *stability);
void scf_stability_fini(struct scf_stability *stability);

#endif
