/* Rotations between occupied and virtual orbitals, kappa[a][i], and the vector space
 * that they form. A spin without occupied or without virtual orbitals
 * has none: its matrix is NULL. */
#ifndef BERYL_HF_SCF_ROTATION_H
#define BERYL_HF_SCF_ROTATION_H

#include "hf/scf/scf_basis.h"
#include "support/arrays/dense.h"
#include "support/base/status.h"

#include <stdbool.h>

struct scf_rotation {
    struct dense *kappa[2]; /* n_virtual x n_occupied of each spin */
};

/* Whether there is anything to rotate. Not collective. */
bool scf_rotation_exists(const struct scf_basis *basis);

/* Zeros. Collective. Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status scf_rotation_init(const struct scf_basis *basis, struct scf_rotation *rotation);
void scf_rotation_fini(struct scf_rotation *rotation);

/* y = alpha x + beta y. Not collective; beta 0 copies. */
void scf_rotation_add(double alpha, const struct scf_rotation *x, double beta,
                      struct scf_rotation *y);

/* sum over spins of x . y; collective. */
double scf_rotation_dot(const struct scf_rotation *x, const struct scf_rotation *y);

/* y_ai = x_ai / max(e_a - e_i + shift, floor) by the energies of each spin's orbitals,
 * occupied ones first. Not collective. */
struct scf_energy_gap {
    const double *orbital_energies[2];
    double shift, floor;
};
void scf_rotation_divide(const struct scf_energy_gap *gap, const struct scf_rotation *x,
                         struct scf_rotation *y);

/* y_ai += (e_a - e_i) x_ai. Not collective. */
void scf_rotation_add_gap_times(const double *const orbital_energies[2],
                                const struct scf_rotation *x, struct scf_rotation *y);

/* Numbers in [-1, 1] without structure, the same for any number of processes. */
void scf_rotation_set_noise(struct scf_rotation *x);

#endif
