/* SPDX-License-Identifier: BSD-3-Clause */
/* One atom, spherically averaged: its density in its own part of a basis. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdint.h>

struct guess_atom {
    double energy;      /* hartree, of the averaged atom */
    double n_electrons; /* trace(D S); below the charge only if the basis cannot hold more */
    bool converged;
};

/* Solves the neutral atom, with its core potential if it has one. Electrons fill s, p, d and f shells in
 * Madelung's order, without those of the core; an open shell is spread evenly over its functions and both
 * spins. Electrons beyond the functions of an angular momentum are left out. Not collective; bit-identical on every process.
 * shells  n_shells of one centre; spherical or Cartesian. Cartesian functions get the density of
 *         their pure part
 * D       n x n, row-major, n the sum of the shells' n_functions: all electrons; overwritten
 * M       likewise, the density of guess_atom_unpaired electrons in the same orbitals, spread evenly
 *         over each shell's functions: D_alpha - D_beta of the atom in its state of highest spin;
 *         NULL: not wanted
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. An atom that does not converge gives its last
 * density. */
enum status guess_atom_density(const struct atom *atom, const struct shell *shells,
                               int64_t n_shells, double *D, double *M, struct guess_atom *result);

/* The density of two electrons in each orbital of an atom's innermost shells, of those that
 * guess_atom_density finds. Arguments and errors are the same.
 * n_core  shells of l = 0 to 3; those beyond the functions are left out */
enum status guess_atom_core_density(const struct atom *atom, const int n_core[4],
                                    const struct shell *shells, int64_t n_shells, double *D);

/* Shells of angular momentum l that a core potential replaces with n_core electrons: filled by principal
 * quantum number, then by l, such as 28 up to 3d and 60 up to 4f; 54 and 86 are those of xenon and radon. */
int guess_atom_core_shells(int n_core, int l);

/* Electrons of angular momentum l in the neutral atom's shell number n, counted from 0 and from the
 * first that its core potential does not replace; 0 beyond the last occupied shell. */
int guess_atom_electrons(const struct atom *atom, int l, int n);

/* Unpaired ones of these, as many as Hund's rule allows. */
int guess_atom_unpaired(const struct atom *atom, int l, int n);

/* Those of all shells from least_l on. */
int guess_atom_all_unpaired(const struct atom *atom, int least_l);
