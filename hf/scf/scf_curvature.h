/* The lowest curvature of the energy at a converged SCF within a space of determinants, and the
 * verdict on its stability there. Spaces: all orbitals real, either restricted to be alike for
 * both spins or not. Complex and generalised (GHF) orbitals are not tested.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977). */
#ifndef BERYL_HF_SCF_CURVATURE_H
#define BERYL_HF_SCF_CURVATURE_H

#include <stdbool.h>

/* In the order of n_spins: space n_spins - 1 is that of the SCF itself. */
enum scf_space { SCF_REAL_RHF, SCF_REAL_UHF };
enum { SCF_SPACES = 2 };

/* "RHF", "UHF". */
const char *scf_space_name(enum scf_space space);

/* A point whose eigenvalue lies below is a saddle; between it and zero lie the rounded
 * zeros of free rotations, such as that of the hole in a pi shell. */
#define SCF_UNSTABLE (-1e-5)

struct scf_curvature {
    double eigenvalue; /* lowest one found, hartree: an upper bound of the lowest there is */
    bool settled;      /* its sign is certain */
    int n_products;    /* with the Hessian that the search took; 0: not tested */
};

/* UNSTABLE needs no settled eigenvalue, because the lowest lies below any that is found. */
enum scf_verdict {
    SCF_VERDICT_NOT_TESTED,
    SCF_VERDICT_STABLE,
    SCF_VERDICT_UNSTABLE,
    SCF_VERDICT_NOT_SETTLED
};
enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature);

/* A saddle point that the SCF converged to and then left downhill. */
struct scf_saddle {
    double energy;    /* total, hartree */
    double curvature; /* lowest eigenvalue found, hartree */
};
enum { SCF_MAX_SADDLES = 5 };

#endif
