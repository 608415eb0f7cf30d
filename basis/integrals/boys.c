/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/boys.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* Below BOYS_LARGE_T: a Taylor series about the nearest point of the grid,
 *   F_m(T) = sum_k F_(m+k)(T0) (T0 - T)^k / k!,
 * with terms to k = 8: the first one left out is below 5e-17 F_m. Then downward,
 * where all terms are positive and errors shrink,
 *   F_(m-1)(T) = (2T F_m(T) + exp(-T)) / (2m - 1).
 * From BOYS_LARGE_T on F_0 = sqrt(pi / T) / 2, then upward by the same relation, where exp(-T) is
 * below 0.2 % of (2m + 1) F_m for every m in use, so that little cancels.
 * Source: Helgaker, Jorgensen & Olsen (2000), sections 9.8.3 to 9.8.5. */

static double table[BOYS_N_POINTS][BOYS_N_ORDERS];
double boys_series[BOYS_MAX_M + 1][BOYS_N_POINTS][BOYS_N_SERIES] __attribute__((aligned(64)));
struct boys_f0_series boys_f0_series __attribute__((aligned(64)));
static double odd_inverse[BOYS_MAX_M + 1]; /* 1 / (2m - 1) */
static bool prepared;

/* Chebyshev economization of a polynomial on [-1, 1] from degree n to n - 1: its highest power is
 * replaced by the lower ones of the Chebyshev polynomial T_n = 2^(n-1) x^n + ..., which adds the
 * smallest possible maximum error. */
static void economize(int n, double *c)
{
    double coefficient = c[n]; /* of x^n, then of x^(n-2), ..., in T_n / 2^(n-1) */
    for (int k = 0; 2 * k < n; k++) {
        int power = n - 2 * k - 2;
        coefficient *= -(double)((power + 2) * (power + 1)) / (4.0 * (k + 1) * (n - k - 1));
        if (power >= 0)
            c[power] -= coefficient;
    }
    c[n] = 0;
}

/* The Taylor series about the middle of each segment, economized. Source: Lanczos, Applied
 * Analysis (1956), section 7.7. */
static void prepare_f0_series(void)
{
    enum { N_TAYLOR = 24 };
    const double half = (double)BOYS_LARGE_T / BOYS_N_SEGMENTS / 2;
    for (int i = 0; i < BOYS_N_SEGMENTS; i++) {
        double c[N_TAYLOR], scale = 1; /* of powers of (T - middle) / half */
        for (int k = 0; k < N_TAYLOR; k++) {
            c[k] = scale * boys_reference(k, (2 * i + 1) * half);
            scale *= -half / (k + 1);
        }
        for (int n = N_TAYLOR - 1; n >= BOYS_N_POWERS; n--)
            economize(n, c);
        for (int k = 0; k < BOYS_N_POWERS; k++)
            boys_f0_series.of_power[k][i] = boys_f0_series.of_segment[i][k] = c[k] / pow(half, k);
    }
}

void boys_prepare(void)
{
    if (prepared)
        return;
    for (int point = 0; point < BOYS_N_POINTS; point++)
        for (int m = 0; m < BOYS_N_ORDERS; m++)
            table[point][m] = boys_reference(m, (double)point / BOYS_POINTS_PER_UNIT);
    for (int m = 0; m <= BOYS_MAX_M; m++)
        for (int point = 0; point < BOYS_N_POINTS; point++) {
            double factorial = 1;
            for (int k = 0; k < BOYS_N_SERIES; k++) {
                boys_series[m][point][k] = table[point][m + k] / factorial;
                factorial *= k + 1;
            }
        }
    for (int m = 0; m <= BOYS_MAX_M; m++)
        odd_inverse[m] = 1.0 / (2 * m - 1);
    prepare_f0_series();
    prepared = true;
}

static void boys_interpolate(int max_m, double T, double *F)
{
    static const double inverse[BOYS_N_TERMS] = {1,       1.0,     1.0 / 2, 1.0 / 3, 1.0 / 4,
                                                 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8};
    int point = (int)(T * BOYS_POINTS_PER_UNIT + 0.5);
    const double *f = table[point] + max_m;
    double d = (double)point / BOYS_POINTS_PER_UNIT - T;
    double sum = f[BOYS_N_TERMS - 1];
    for (int k = BOYS_N_TERMS - 1; k > 0; k--)
        sum = sum * (d * inverse[k]) + f[k - 1];
    F[max_m] = sum;
    if (max_m == 0)
        return;
    double e = exp(-T);
    for (int m = max_m; m > 0; m--)
        F[m - 1] = (2 * T * F[m] + e) * odd_inverse[m];
}

static void boys_large(int max_m, double T, double *F)
{
    F[0] = BOYS_SQRT_PI_HALF / sqrt(T);
    double e = exp(-T), half_inverse = 0.5 / T;
    for (int m = 0; m < max_m; m++)
        F[m + 1] = ((2 * m + 1) * F[m] - e) * half_inverse;
}

void boys(int max_m, double T, double *F)
{
    assert(prepared && max_m >= 0 && max_m <= BOYS_MAX_M && T >= 0);
    if (T < BOYS_LARGE_T)
        boys_interpolate(max_m, T, F);
    else
        boys_large(max_m, T, F);
}

double boys_reference(int m, double T)
{
    const long double t = T;
    /* Here exp(-T) is negligible against every F_m in use. */
    if (T > 200) {
        long double F = sqrtl(acosl(-1.0L) / t) / 2;
        for (int k = 1; k <= m; k++)
            F *= (2 * k - 1) / (2 * t);
        return (double)F;
    }
    long double term = 1.0L / (2 * m + 1), sum = term;
    for (int k = 1; term > 1e-22L * sum; k++) {
        term *= 2 * t / (2 * m + 2 * k + 1);
        sum += term;
    }
    return (double)(sum * expl(-t));
}
