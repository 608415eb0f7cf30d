/* SPDX-License-Identifier: BSD-3-Clause */
/* Hermite Gaussians for the reference integrals: products of two Gaussians
 * about P = (a A + b B) / p, p = a + b, written as
 *   x_A^i x_B^j exp(-a x_A^2 - b x_B^2) = sum_t E_t^ij (d/dP)^t exp(-p x_P^2)
 * and so for y and z, and the integrals over the Coulomb kernel.
 * Source: Helgaker, Jorgensen & Olsen, Molecular Electronic-Structure Theory
 * (2000), sections 9.5 and 9.9. */
#pragma once

#include "basis/integrals/shells.h"

/* The kinetic energy raises powers of the ket by two. */
enum {
    HERMITE_MAX_POWER = BASIS_MAX_L + 2,
    HERMITE_MAX_T = BASIS_MAX_L + HERMITE_MAX_POWER,
    HERMITE_MAX_PAIR = 2 * BASIS_MAX_L,
    HERMITE_MAX_R = 4 * BASIS_MAX_L
};

/* Expansion of one direction: E[i][j][t]. */
typedef double hermite_direction[BASIS_MAX_L + 1][HERMITE_MAX_POWER + 1][HERMITE_MAX_T + 1];

/* Primitive of a bra times primitive of a ket, their coefficients in E[0]. */
struct hermite_expansion {
    double b; /* exponent of the ket */
    double p; /* sum of exponents */
    double P[3];
    hermite_direction E[3];
};

/* Primitive i of the bra and j of the ket, powers of the ket to l + 2. */
void hermite_expand(const struct shell *bra, int i, const struct shell *ket, int j,
                    struct hermite_expansion *expansion);

/* Replaces the ket by -1/2 d^2/dx^2 of it in direction k (0 x, 1 y, 2 z). */
void hermite_apply_kinetic(const struct shell *bra, const struct shell *ket, int k,
                           struct hermite_expansion *expansion);

/* Coefficients of the product of function f of the bra and g of the ket: H[t][u][v], t, u and v up
 * to l(bra) + l(ket), or to 1; zero where their sum exceeds l(bra) + l(ket). */
typedef double hermite_pair[HERMITE_MAX_PAIR + 1][HERMITE_MAX_PAIR + 1][HERMITE_MAX_PAIR + 1];
void hermite_functions(const struct hermite_expansion *expansion, const struct shell *bra, int f,
                       const struct shell *ket, int g, hermite_pair H);

/* R[t][u][v] = (d/dX)^t (d/dY)^u (d/dZ)^v F_0(alpha |X|^2) for
 * t + u + v <= max <= HERMITE_MAX_R. */
typedef double hermite_table[HERMITE_MAX_R + 1][HERMITE_MAX_R + 1][HERMITE_MAX_R + 1];
void hermite_coulomb(double alpha, const double X[3], int max, hermite_table R);
