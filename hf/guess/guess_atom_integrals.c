/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess_atom_integrals.h"

#include <math.h>
#include <stdlib.h>

/* n(a)^2 = 2 (2a)^(l + 3/2) / Gamma(l + 3/2). */
static double radial_norm(int l, double a)
{
    return sqrt(2 * pow(2 * a, l + 1.5) / tgamma(l + 1.5));
}

double guess_atom_overlap(int l, double a, double b)
{
    return pow(2 * sqrt(a * b) / (a + b), l + 1.5);
}

double guess_atom_kinetic(int l, double a, double b)
{
    return (2 * l + 3) * a * b / (a + b) * guess_atom_overlap(l, a, b);
}

double guess_atom_inverse_r(int l, double a, double b)
{
    return tgamma(l + 1.0) / tgamma(l + 1.5) * sqrt(a + b) * guess_atom_overlap(l, a, b);
}

static double real_factorial(int n)
{
    return tgamma(n + 1.0);
}

/* (l1 k l2; 0 0 0)^2 of Wigner's 3j symbols. */
static double wigner_3j_squared(int l1, int k, int l2)
{
    if ((l1 + k + l2) % 2 != 0 || k > l1 + l2 || k < abs(l1 - l2))
        return 0;
    int g = (l1 + k + l2) / 2;
    double half = real_factorial(g) /
                  (real_factorial(g - l1) * real_factorial(g - k) * real_factorial(g - l2));
    return real_factorial(2 * g - 2 * l1) * real_factorial(2 * g - 2 * k) *
           real_factorial(2 * g - 2 * l2) / real_factorial(2 * g + 1) * half * half;
}

static double integer_power(double x, int n)
{
    double power = 1;
    for (int i = 0; i < n; i++)
        power *= x;
    return power;
}

/* I(v, e) = int_0^x1 x^v (1 - q x^2)^e dx with x1 = (p + q)^(-1/2). By parts,
 *   (v + 1) I(v, e) = x1^(v+1) (1 - q x1^2)^e + 2 e q I(v + 2, e - 1),
 * a sum of positive terms, begun where e = 0. */
static double wedge_integral(int v, int e, double p, double q)
{
    double x1 = 1 / sqrt(p + q), edge = p / (p + q);
    double x_power = integer_power(x1, v + 2 * e + 1);
    double integral = x_power / (v + 2 * e + 1);
    double edge_power = 1;
    for (int i = 1; i <= e; i++) {
        int u = v + 2 * (e - i);
        x_power *= p + q;
        edge_power *= edge;
        integral = (x_power * edge_power + 2 * i * q * integral) / (u + 1);
    }
    return integral;
}

/* int_0^inf dr r^u exp(-p r^2) int_0^r ds s^v exp(-q s^2) without the factor
 * Gamma((u + v + 2) / 2) / 2, for odd u >= 1. In polar coordinates the radius
 * integrates to that factor; with t = s / r, x = t / sqrt(p + q t^2) the angle leaves
 *   p^(-(u+1)/2) int_0^x1 x^v (1 - q x^2)^((u-1)/2) dx. */
static double ordered_integral(int u, int v, double p, double q)
{
    return wedge_integral(v, (u - 1) / 2, p, q) / integer_power(p, (u + 1) / 2);
}

/* R^k of two products of radial functions, r^m exp(-p r^2) and s^n exp(-q s^2)
 * with the volume elements, without norms and the factor above: s < r, then r < s. */
static double slater_integral(int k, int m, double p, int n, double q)
{
    return ordered_integral(m - k - 1, n + k, p, q) + ordered_integral(n - k - 1, m + k, q, p);
}

double guess_atom_repulsion(const struct guess_atom_pair *ab, const struct guess_atom_pair *cd)
{
    int l1 = ab->l, l2 = cd->l, m = 2 + l1 + l2;
    double coulomb = slater_integral(0, 2 + 2 * l1, ab->a + ab->b, 2 + 2 * l2, cd->a + cd->b);
    double exchange = 0;
    for (int k = abs(l1 - l2); k <= l1 + l2; k += 2)
        exchange +=
            wigner_3j_squared(l1, k, l2) * (slater_integral(k, m, ab->a + cd->a, m, ab->b + cd->b) +
                                            slater_integral(k, m, ab->a + cd->b, m, ab->b + cd->a));
    double norm = radial_norm(l1, ab->a) * radial_norm(l1, ab->b) * radial_norm(l2, cd->a) *
                  radial_norm(l2, cd->b);
    /* Half of each exchange integral: F[ab] sees P[cd] and P[dc] alike. */
    return norm * tgamma(l1 + l2 + 2.5) / 2 * (coulomb - exchange / 4);
}
