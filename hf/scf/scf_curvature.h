/* SPDX-License-Identifier: BSD-3-Clause */
/* The lowest curvature of the energy at a converged SCF within a space of determinants, and the
 * verdict on its stability there. Spaces: all orbitals real, either restricted to be alike for
 * both spins or not. Complex and generalised (GHF) orbitals are not tested.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977). */
#pragma once

#include "hf/fock/scf_problem.h"

/* Each contains those before it. */
enum scf_space { SCF_REAL_RHF, SCF_REAL_UHF };
enum { SCF_SPACES = 2 };

/* The space of the SCF itself. */
static inline enum scf_space scf_own_space(const struct scf_problem *problem)
{
    return scf_is_restricted(problem) ? SCF_REAL_RHF : SCF_REAL_UHF;
}

/* "RHF", "UHF". */
const char *scf_space_name(enum scf_space space);

struct scf_curvature {
    double eigenvalue; /* lowest one found, hartree, but for the zeros of free rotations
                        * (scf_free_rotation.h); apart from the noise an upper bound */
    double noise;      /* error of that number: of screening, and of a gradient that is not zero */
    double error;      /* how far it may be from the eigenvalue that the search came near to, the
                        * noise included; INFINITY: it came near to none */
    int n_products;    /* with the Hessian that the search took; 0: not tested */
};

/* A number smaller than its error is NOT_SETTLED. UNSTABLE needs no search that has converged, because the lowest eigenvalue lies below any
 * that is found. */
enum scf_verdict {
    SCF_VERDICT_NOT_TESTED,
    SCF_VERDICT_STABLE,
    SCF_VERDICT_UNSTABLE,
    SCF_VERDICT_NOT_SETTLED
};
enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature);

/* Kind of stationary point in a space of determinants. */
enum scf_point { SCF_POINT_MINIMUM, SCF_POINT_SADDLE, SCF_POINT_NOT_SETTLED, SCF_POINT_NOT_TESTED };

/* "local minimum", "saddle", "not settled", "not tested". */
const char *scf_point_name(enum scf_point point);

/* A saddle point that the SCF converged to and then left downhill. */
struct scf_saddle {
    double energy;    /* total, hartree */
    double curvature; /* lowest eigenvalue found, hartree */
};
enum { SCF_MAX_SADDLES = 5 };
