/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/hermite_reference.h"

#include "basis/integrals/boys.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* E_t^ij from E_t^00 = ab for t = 0 (eqs. 9.5.6 and 9.5.7):
 *   E_t^(i+1)j = E_(t-1)^ij / 2p + (P - A) E_t^ij + (t + 1) E_(t+1)^ij
 *   E_t^i(j+1) = E_(t-1)^ij / 2p + (P - B) E_t^ij + (t + 1) E_(t+1)^ij */
static void expand_direction(double p, double PA, double PB, double ab, int max_i, int max_j,
                             hermite_direction E)
{
    memset(E, 0, sizeof(hermite_direction));
    E[0][0][0] = ab;
    for (int i = 0; i <= max_i; i++)
        for (int j = 0; j <= max_j; j++) {
            if (i + j == 0)
                continue;
            const double *lower = j > 0 ? E[i][j - 1] : E[i - 1][j];
            double X = j > 0 ? PB : PA;
            for (int t = 0; t <= i + j; t++) {
                E[i][j][t] = X * lower[t];
                if (t > 0)
                    E[i][j][t] += lower[t - 1] / (2 * p);
                if (t < i + j)
                    E[i][j][t] += (t + 1) * lower[t + 1];
            }
        }
}

void hermite_expand(const struct shell *bra, int i, const struct shell *ket, int j,
                    struct hermite_expansion *expansion)
{
    double a = bra->exponents[i], b = ket->exponents[j], p = a + b;
    expansion->b = b;
    expansion->p = p;
    for (int k = 0; k < 3; k++) {
        double A = bra->center[k], B = ket->center[k];
        double P = (a * A + b * B) / p;
        double ab = exp(-a * b / p * (A - B) * (A - B));
        if (k == 0)
            ab *= bra->coefficients[i] * ket->coefficients[j];
        expansion->P[k] = P;
        expand_direction(p, P - A, P - B, ab, bra->l, ket->l + 2, expansion->E[k]);
    }
}

/* d^2/dx^2 of x^j exp(-b x^2) is
 *   j (j-1) x^(j-2) - 2b (2j+1) x^j + 4 b^2 x^(j+2), times exp(-b x^2). */
void hermite_apply_kinetic(const struct shell *bra, const struct shell *ket, int k,
                           struct hermite_expansion *expansion)
{
    double b = expansion->b;
    hermite_direction E;
    memcpy(E, expansion->E[k], sizeof E);
    for (int i = 0; i <= bra->l; i++)
        for (int j = 0; j <= ket->l; j++)
            for (int t = 0; t <= HERMITE_MAX_T; t++) {
                double second = 4 * b * b * E[i][j + 2][t] - 2 * b * (2 * j + 1) * E[i][j][t];
                if (j > 1)
                    second += j * (j - 1) * E[i][j - 2][t];
                expansion->E[k][i][j][t] = -0.5 * second;
            }
}

/* H += value * E_t E_u E_v for one raw Cartesian of each shell. */
static void add_cartesians(const struct hermite_expansion *expansion, double value,
                           const int bra[3], const int ket[3], hermite_pair H)
{
    const double *x = expansion->E[0][bra[0]][ket[0]];
    const double *y = expansion->E[1][bra[1]][ket[1]];
    const double *z = expansion->E[2][bra[2]][ket[2]];
    for (int t = 0; t <= bra[0] + ket[0]; t++)
        for (int u = 0; u <= bra[1] + ket[1]; u++)
            for (int v = 0; v <= bra[2] + ket[2]; v++)
                H[t][u][v] += value * x[t] * y[u] * z[v];
}

/* Sums t + u + v up to max, and to 1 of two s functions, which have no dipole. */
static void clear_pair(int max, hermite_pair H)
{
    max = max > 1 ? max : 1;
    for (int t = 0; t <= max; t++)
        for (int u = 0; u <= max; u++)
            memset(H[t][u], 0, (size_t)(max + 1) * sizeof H[t][u][0]);
}

void hermite_functions(const struct hermite_expansion *expansion, const struct shell *bra, int f,
                       const struct shell *ket, int g, hermite_pair H)
{
    const struct angular_map *bra_map = angular_map(bra->l, bra->spherical);
    const struct angular_map *ket_map = angular_map(ket->l, ket->spherical);
    clear_pair(bra->l + ket->l, H);
    for (int s = bra_map->first[f]; s < bra_map->first[f + 1]; s++)
        for (int t = ket_map->first[g]; t < ket_map->first[g + 1]; t++) {
            int bra_power[3], ket_power[3];
            cartesian_powers(bra->l, bra_map->index[s], bra_power);
            cartesian_powers(ket->l, ket_map->index[t], ket_power);
            add_cartesians(expansion, bra_map->value[s] * ket_map->value[t], bra_power, ket_power,
                           H);
        }
}

/* R^n_tuv from orders n + 1 (eqs. 9.9.18 to 9.9.20):
 *   R^n_(t+1)uv = t R^(n+1)_(t-1)uv + X R^(n+1)_tuv, and so for u and v. */
static double coulomb_step(const double (*higher)[HERMITE_MAX_R + 1][HERMITE_MAX_R + 1],
                           const double X[3], int t, int u, int v)
{
    if (t > 0)
        return (t > 1 ? (t - 1) * higher[t - 2][u][v] : 0) + X[0] * higher[t - 1][u][v];
    if (u > 0)
        return (u > 1 ? (u - 1) * higher[t][u - 2][v] : 0) + X[1] * higher[t][u - 1][v];
    return (v > 1 ? (v - 1) * higher[t][u][v - 2] : 0) + X[2] * higher[t][u][v - 1];
}

/* Starts from R^n_000 = (-2 alpha)^n F_n(alpha |X|^2) (eq. 9.9.14). */
void hermite_coulomb(double alpha, const double X[3], int max, hermite_table R)
{
    assert(max <= HERMITE_MAX_R);
    hermite_table higher;
    double T = alpha * (X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
    for (int n = max; n >= 0; n--) {
        for (int t = 0; t <= max - n; t++)
            for (int u = 0; u <= max - n - t; u++)
                for (int v = 0; v <= max - n - t - u; v++)
                    R[t][u][v] = t + u + v == 0 ? pow(-2 * alpha, n) * boys_reference(n, T)
                                                : coulomb_step(higher, X, t, u, v);
        for (int t = 0; t <= max - n; t++)
            for (int u = 0; u <= max - n - t; u++)
                memcpy(higher[t][u], R[t][u], (size_t)(max - n - t - u + 1) * sizeof R[t][u][0]);
    }
}
