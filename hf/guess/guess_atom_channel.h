/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of one angular momentum on an atom, as radial functions, in an
 * orthonormal basis of their own; and their integrals. */
#pragma once

#include "basis/input/core_potential.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdint.h>

struct guess_atom_channel {
    int l;
    int n_primitives; /* different exponents of all its shells */
    int n_shells;
    int n_orbitals;       /* independent combinations of shells */
    double *exponents;    /* n_primitives */
    double *contractions; /* n_shells x n_primitives, of normalised primitives */
    double *X;            /* n_orbitals x n_shells: orthonormal combinations */
    double *W;            /* n_orbitals x n_primitives: X times contractions */

    /* Offsets in the arrays of the atom: pairs of exponents p >= q, row by row; matrices over orbitals. */
    int first_pair, first_block;
};

/* Collects the shells of angular momentum l of one centre; without any, n_shells is 0.
 * Not collective. On failure the channel can be finished.
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. */
enum status guess_atom_channel_init(int l, const struct shell *shells, int64_t n_shells,
                                    struct guess_atom_channel *channel);
void guess_atom_channel_fini(struct guess_atom_channel *channel);

/* Adds to D, over all functions of the same shells, the density X^T P X of the
 * channel: P, n_orbitals x n_orbitals, is spread evenly over the 2l + 1 pure functions.
 * D is n x n, row-major, n the sum of the shells' n_functions. */
void guess_atom_channel_place_density(const struct guess_atom_channel *channel, const double *P,
                                      const struct shell *shells, int64_t n_shells, double *D);

/* --- integrals --- */

/* Integrals over the radial parts of Gaussians on one centre, averaged over angles as for a
 * spherical atom.
 *
 * Functions are normalised primitives n(a) r^l exp(-a r^2) Y_lm; a pair is two of
 * one l. The density of an atom is P[pair], the sum over m of the density matrix's
 * elements of the two exponents, so that its interaction with a pair is
 *   F[ab] = h[ab] + sum_cd P[cd] ( R^0(ab, cd) - 1/2 sum_k (l k l'; 0 0 0)^2 R^k(ac, bd) )
 * with Slater's radial integrals R^k and the squares of 3j symbols.
 * Source: Roothaan & Bagus, Methods in Computational Physics 2, 47 (1963); the
 * radial integrals are derived in the source file. */

/* Primitives of exponents a and b, Bohr^-2: overlap, kinetic energy, and <1/r>. */
double guess_atom_overlap(int l, double a, double b);
double guess_atom_kinetic(int l, double a, double b);
double guess_atom_inverse_r(int l, double a, double b);

/* Likewise of a core potential; 0 for NULL. */
double guess_atom_potential(const struct core_potential *potential, int l, double a, double b);

/* Two primitives of one l. */
struct guess_atom_pair {
    int l;
    double a, b;
};

/* The factor of P[cd] in F[ab] above; symmetric in the pairs, and in the
 * exponents of each. */
double guess_atom_repulsion(const struct guess_atom_pair *ab, const struct guess_atom_pair *cd);
