/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/ecp_radial.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A Gaussian function of this exponent, with its sign changed, is nothing. */
#define NEGLIGIBLE 42.0

/* Above it, Bessel functions follow from those of lower order without loss of digits, and exp(-2 x) is none of
 * 1. */
#define LARGE_ARGUMENT 18.5

enum { PANEL = 16, MAX_PANELS = ECP_RADIAL_POINTS / PANEL };

/* Abscissae and weights of 16 points in (-1, 1): the positive half. */
static const double abscissae[PANEL / 2] = {
    0.095012509837637454, 0.28160355077925892, 0.45801677765722737, 0.61787624440264377,
    0.755404408355003,    0.86563120238783176, 0.9445750230732326,  0.98940093499164994};
static const double weights[PANEL / 2] = {
    0.18945061045506859, 0.18260341504492361,  0.16915651939500262,  0.14959598881657676,
    0.12462897125553403, 0.095158511682492591, 0.062253523938647706, 0.027152459411754037};

/* --- points --- */

struct panels {
    double low, high;
    int n; /* bounds */
    double bounds[MAX_PANELS + 1];
};

static void add_bound(double r, struct panels *panels)
{
    if (r > panels->low && r < panels->high && panels->n <= MAX_PANELS)
        panels->bounds[panels->n++] = r;
}

/* Bounds at r and at distances of length, twice that, and so on. */
static void add_bounds_about(double r, double length, struct panels *panels)
{
    add_bound(r, panels);
    for (double d = length; r - d > panels->low || r + d < panels->high; d *= 2) {
        add_bound(r - d, panels);
        add_bound(r + d, panels);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Points between bounds in ascending order. */
static void set_points(const struct panels *panels, struct ecp_radial *radial)
{
    for (int p = 0; p + 1 < panels->n; p++) {
        double middle = (panels->bounds[p] + panels->bounds[p + 1]) / 2;
        double half = (panels->bounds[p + 1] - panels->bounds[p]) / 2;
        for (int k = 0; k < PANEL; k++) {
            int i = k / 2;
            radial->r[radial->n] = middle + (k % 2 ? half : -half) * abscissae[i];
            radial->weight[radial->n++] = half * weights[i];
        }
    }
}

static void find_extremes(int n, const double *exponents, double *least, double *most)
{
    for (int p = 0; p < n; p++) {
        *least = fmin(*least, exponents[p]);
        *most = fmax(*most, exponents[p]);
    }
}

/* Where the integrand matters, whose most diffuse factors bound it by exp(-q - p (r - c)^2). */
static void choose_points(const struct ecp_radial_shell shells[2], int n_terms,
                          const struct ecp_radial_term terms[], struct ecp_radial *radial)
{
    double least = INFINITY, most[3] = {0, 0, 0};
    for (int t = 0; t < n_terms; t++)
        find_extremes(1, &terms[t].exponent, &least, &most[2]);
    double p = least, pc = 0, q = 0;
    for (int s = 0; s < 2; s++) {
        double diffuse = INFINITY, distance = shells[s].distance;
        find_extremes(shells[s].n_primitives, shells[s].exponents, &diffuse, &most[s]);
        p += diffuse;
        pc += diffuse * distance;
        q += diffuse * distance * distance;
    }
    q -= pc * pc / p;
    radial->n = 0;
    if (q > NEGLIGIBLE)
        return;
    double reach = sqrt((NEGLIGIBLE - q) / p);
    double low = fmax(0, pc / p - reach), high = pc / p + reach;
    struct panels panels = {.low = low, .high = high, .n = 2, .bounds = {low, high}};
    add_bounds_about(0, 1 / sqrt(most[2]), &panels);
    for (int s = 0; s < 2; s++)
        add_bounds_about(shells[s].distance, 1 / sqrt(most[s]), &panels);
    qsort(panels.bounds, (size_t)panels.n, sizeof *panels.bounds, compare_numbers);
    set_points(&panels, radial);
}

/* --- functions --- */

/* M_i(x) for i = 0 to n - 1, x >= 0. Source: Abramowitz & Stegun (1964), 10.2.12, 10.2.18. */
static void find_bessel(double x, int n, double M[])
{
    double ratios[ECP_RADIAL_ORDERS] = {0}, ratio = 0;
    if (!(x > 0)) {
        memset(M, 0, (size_t)n * sizeof *M);
        M[0] = 1;
        return;
    }
    if (x > LARGE_ARGUMENT) {
        M[0] = 1 / (2 * x);
        M[1] = (0.5 - M[0]) / x;
        for (int i = 1; i + 1 < n; i++)
            M[i + 1] = M[i - 1] - (2 * i + 1) / x * M[i];
        return;
    }
    for (int i = n + 10 + (int)(1.5 * x); i > 0; i--) { /* enough for all digits */
        ratio = 1 / (ratio + (2 * i + 1) / x);          /* M_i / M_(i - 1) */
        if (i < n)
            ratios[i] = ratio;
    }
    M[0] = -expm1(-2 * x) / (2 * x);
    for (int i = 1; i < n; i++)
        M[i] = ratios[i] * M[i - 1];
}

static void add_primitive(double exponent, double coefficient, double distance, int n_orders,
                          const struct ecp_radial *radial, double (*F)[ECP_RADIAL_POINTS])
{
    for (int k = 0; k < radial->n; k++) {
        double M[ECP_RADIAL_ORDERS + 1], d = radial->r[k] - distance;
        if (exponent * d * d > NEGLIGIBLE)
            continue;
        find_bessel(2 * exponent * distance * radial->r[k], n_orders, M);
        double factor = coefficient * exp(-exponent * d * d);
        for (int i = 0; i < n_orders; i++)
            F[i][k] += factor * M[i];
    }
}

void ecp_radial_begin(const struct ecp_radial_shell shells[2], int n_terms,
                      const struct ecp_radial_term terms[], struct ecp_radial *radial)
{
    choose_points(shells, n_terms, terms, radial);
    for (int s = 0; s < 2; s++) {
        const struct ecp_radial_shell *shell = &shells[s];
        for (int i = 0; i < shell->n_orders; i++)
            memset(radial->F[s][i], 0, (size_t)radial->n * sizeof(double));
        for (int p = 0; p < shell->n_primitives; p++)
            add_primitive(shell->exponents[p], shell->coefficients[p], shell->distance,
                          shell->n_orders, radial, radial->F[s]);
    }
}

/* U r^2 and the weight at each point. */
static void set_potential(int n_terms, const struct ecp_radial_term terms[],
                          struct ecp_radial *radial)
{
    for (int k = 0; k < radial->n; k++) {
        double r = radial->r[k], U = 0;
        for (int t = 0; t < n_terms; t++) {
            int power = terms[t].power;
            U += terms[t].coefficient * (power == 0 ? 1 : pow(r, power)) *
                 exp(-terms[t].exponent * r * r);
        }
        radial->U[k] = U * r * r * radial->weight[k];
    }
}

void ecp_radial_integrate(const struct ecp_radial_shell shells[2], int n_terms,
                          const struct ecp_radial_term terms[], int most_N,
                          struct ecp_radial *radial, double *sums)
{
    int n_a = shells[0].n_orders, n_b = shells[1].n_orders;
    const size_t size = (size_t)n_a * (size_t)n_b;
    memset(sums, 0, (size_t)(most_N + 1) * size * sizeof *sums);
    set_potential(n_terms, terms, radial);
    for (int N = 0; N <= most_N; N++, sums += size)
        for (int k = 0; k < radial->n; k++) {
            for (int i = 0; i < n_a; i++)
                for (int j = (i + N) % 2; j < n_b; j += 2)
                    sums[i * n_b + j] += radial->U[k] * radial->F[0][i][k] * radial->F[1][j][k];
            radial->U[k] *= radial->r[k];
        }
}
