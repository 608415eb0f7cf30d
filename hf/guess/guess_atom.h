/* SPDX-License-Identifier: BSD-3-Clause */
/* One atom, spherically averaged: its density in its own part of a basis. */
#pragma once

#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdint.h>

struct guess_atom {
    double energy;      /* hartree, of the averaged atom */
    double n_electrons; /* trace(D S); below the atomic number only if the basis cannot hold more */
    bool converged;
};

/* Solves the neutral atom of an element. Electrons fill s, p, d and f shells in Madelung's order;
 * an open shell is spread evenly over its functions and both spins. Electrons beyond the functions
 * of an angular momentum are left out. Not collective; bit-identical on every process.
 * shells  n_shells of one centre; spherical or Cartesian. Cartesian functions get the density of
 *         their pure part
 * D       n x n, row-major, n the sum of the shells' n_functions: all electrons; overwritten
 * M       likewise, the density of guess_atom_unpaired electrons in the same orbitals, spread evenly
 *         over each shell's functions: D_alpha - D_beta of the atom in its state of highest spin;
 *         NULL: not wanted
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. An atom that does not converge gives its last
 * density. */
enum status guess_atom_density(int element, const struct shell *shells, int64_t n_shells, double *D,
                               double *M, struct guess_atom *atom);

/* The density of two electrons in each orbital of an atom's innermost shells, of those that
 * guess_atom_density finds. Arguments and errors are the same.
 * n_core  shells of l = 0 to 3; those beyond the functions are left out */
enum status guess_atom_core_density(int element, const int n_core[4], const struct shell *shells,
                                    int64_t n_shells, double *D);

/* Electrons of angular momentum l in the neutral atom's shell number n, counted
 * from 0; 0 beyond the last occupied shell. */
int guess_atom_electrons(int element, int l, int n);

/* Unpaired ones of these, as many as Hund's rule allows. */
int guess_atom_unpaired(int element, int l, int n);

/* Those of all shells from least_l on. */
int guess_atom_all_unpaired(int element, int least_l);
