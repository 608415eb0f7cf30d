/* SPDX-License-Identifier: BSD-3-Clause */
/* The Hessian of orbital rotations as one matrix, from the reference integrals and the textbook's
 * formula: the oracle of products with it and of its lowest eigenvalue.
 *   H[s,ai][t,bj] = d_st [ d_ij d_ab (e_a - e_i) - (ab|ij) - (aj|ib) ] + coulomb (ai|bj)
 * coulomb: 4 the singlet block of a closed shell, 0 its triplet block (one spin each); 2 for both
 * spins of an unrestricted determinant.
 * Source: Seeger & Pople, J. Chem. Phys. 66, 3045 (1977), A + B for real orbitals. */
#pragma once

#include "basis/integrals/shells.h"

#include <stdint.h>

/* Orbitals of each spin: coefficients C[s], n_functions x n_orbitals row-major, with canonical
 * energies, the occupied ones first. */
struct reference_orbitals {
    int n_densities, n_orbitals;
    int n_occupied[2];
    const double *C[2], *energies[2];
};

/* Rotations of all spins; the rotation of spin s from i to a has the number
 * (rotations of the spins before) + (a - n_occupied) * n_occupied + i. */
int64_t reference_n_rotations(const struct reference_orbitals *orbitals);

/* All (mn|ls) over functions, and the matrix, from these; row-major, freed by the caller. They end
 * the program where memory does. */
double *reference_function_integrals(const struct shells *shells);
double *reference_hessian(int64_t n_functions, const double *integrals,
                          const struct reference_orbitals *orbitals, double coulomb);
