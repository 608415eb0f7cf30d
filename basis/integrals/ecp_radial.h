/* SPDX-License-Identifier: BSD-3-Clause */
/* Radial integrals of a projector of a core potential at distances A and B from two shells,
 *
 *   R_Nij = int_0^inf r^(N+2) U(r) F_i(r) G_j(r) dr,   U = sum c r^(n-2) exp(-z r^2),
 *   F_i(r) = sum_p c_p exp(-a_p (r - A)^2) M_i(2 a_p A r),   M_i(x) = exp(-x) i_i(x),
 *
 * with i_i the modified spherical Bessel function, and G_j likewise of B. By quadrature of Gauss and Legendre over
 * panels that are short near 0, A and B and twice as long each farther away, so that tight functions are as
 * exact as diffuse ones. Source of the formulas: Flores-Moreno et al., J. Comput. Chem. 27, 1009 (2006).
 * Nothing here is collective. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { ECP_RADIAL_ORDERS = 12, ECP_RADIAL_POINTS = 4096 };

struct ecp_radial_shell {
    double distance; /* Bohr, >= 0 */
    int n_primitives;
    const double *exponents, *coefficients;
    int n_orders; /* i = 0 to n_orders - 1 < ECP_RADIAL_ORDERS */
};

struct ecp_radial_term {
    int power; /* n - 2 above */
    double exponent, coefficient;
};

/* The values at the points of a pair of shells. */
struct ecp_radial {
    int n;
    double r[ECP_RADIAL_POINTS], weight[ECP_RADIAL_POINTS];
    double F[2][ECP_RADIAL_ORDERS][ECP_RADIAL_POINTS];
    double U[ECP_RADIAL_POINTS]; /* scratch */
};

/* Chooses points for two shells and terms of any projectors, and finds F and G there. */
void ecp_radial_begin(const struct ecp_radial_shell shells[2], int n_terms,
                      const struct ecp_radial_term terms[], struct ecp_radial *radial);

/* sums[(N * n_orders of the first shell + i) * n_orders of the second one + j] = R_Nij for these terms, N = 0 to
 * most_N; i + j + N even, others are 0. Shells may have fewer orders than those that began. */
void ecp_radial_integrate(const struct ecp_radial_shell shells[2], int n_terms,
                          const struct ecp_radial_term terms[], int most_N,
                          struct ecp_radial *radial, double *sums);

#ifdef __cplusplus
}
#endif
