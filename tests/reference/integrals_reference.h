/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow integrals, simple enough to be trusted: the oracle of the tests.
 *
 * McMurchie-Davidson: products of Gaussians expanded in Hermite Gaussians, the
 * recurrences as they are printed, no interpolation, no screening, no library.
 * Same shells, conventions and block shapes as the fast engines.
 * Source: McMurchie & Davidson, J. Comput. Phys. 26, 218 (1978); Helgaker,
 * Jorgensen & Olsen, Molecular Electronic-Structure Theory (2000), ch. 9. */
#pragma once

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"

/* Row-major n_functions(bra) x n_functions(ket), as in one_electron.h. */
void reference_overlap(const struct shell *bra, const struct shell *ket, double *block);
void reference_kinetic(const struct shell *bra, const struct shell *ket, double *block);
void reference_nuclear(const struct molecule *molecule, const struct shell *bra,
                       const struct shell *ket, double *block);
void reference_dipole(const double origin[3], const struct shell *bra, const struct shell *ket,
                      double *blocks);

/* The integrals of all core potentials, n_functions x n_functions, by quadrature on spheres about each atom:
 * for exponents of about 1 at distances of about 1. */
void reference_core_potentials(const struct molecule *molecule, const struct shells *shells,
                               double *matrix);

/* block = (ab|cd), row-major, d fastest. */
void reference_two_electron(const struct shell *a, const struct shell *b, const struct shell *c,
                            const struct shell *d, double *block);
