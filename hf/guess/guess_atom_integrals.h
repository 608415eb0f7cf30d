/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over the radial parts of Gaussians on one centre, averaged over
 * angles: those of a spherical atom.
 *
 * Functions are normalised primitives n(a) r^l exp(-a r^2) Y_lm; a pair is two of
 * one l. The density of an atom is P[pair], the sum over m of the density matrix's
 * elements of the two exponents, so that its interaction with a pair is
 *   F[ab] = h[ab] + sum_cd P[cd] ( R^0(ab, cd) - 1/2 sum_k (l k l'; 0 0 0)^2 R^k(ac, bd) )
 * with Slater's radial integrals R^k and the squares of 3j symbols.
 * Source: Roothaan & Bagus, Methods in Computational Physics 2, 47 (1963); the
 * radial integrals are derived in the source file. */
#ifndef BERYL_HF_GUESS_ATOM_INTEGRALS_H
#define BERYL_HF_GUESS_ATOM_INTEGRALS_H

/* Primitives of exponents a and b, Bohr^-2: overlap, kinetic energy, and <1/r>. */
double guess_atom_overlap(int l, double a, double b);
double guess_atom_kinetic(int l, double a, double b);
double guess_atom_inverse_r(int l, double a, double b);

/* Two primitives of one l. */
struct guess_atom_pair {
    int l;
    double a, b;
};

/* The factor of P[cd] in F[ab] above; symmetric in the pairs, and in the
 * exponents of each. */
double guess_atom_repulsion(const struct guess_atom_pair *ab, const struct guess_atom_pair *cd);

#endif
