/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/integrals_reference.h"

#include "basis/input/core_potential.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* Points of the radius, of the cosine of the polar angle, and of the azimuth. */
enum { N_RADII = 110, N_COSINES = 30, N_AZIMUTHS = 48, MAX_L = 5, N_HARMONICS = 36 };

/* Node and weight number i of Gauss-Legendre quadrature, by Newton's method. */
static void find_gauss_legendre(int i, double *node, double *weight)
{
    double x = cos(pi * (i + 0.75) / (N_COSINES + 0.5)), slope = 1;
    for (int iteration = 0; iteration < 50; iteration++) {
        double p = 1, before = 0;
        for (int k = 1; k <= N_COSINES; k++) {
            double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
            before = p;
            p = next;
        }
        slope = N_COSINES * (x * p - before) / (x * x - 1);
        x -= p / slope;
    }
    *node = x;
    *weight = 2 / ((1 - x * x) * slope * slope);
}

/* Real spherical harmonics of l <= MAX_L with norm 1 at number l^2 + l + m. */
static void find_harmonics(double z, double azimuth, double Y[N_HARMONICS])
{
    double diagonal = 1; /* P_m^m without sign */
    for (int m = 0; m <= MAX_L; m++) {
        double legendre = diagonal, before = 0;
        for (int l = m; l <= MAX_L; l++) {
            double norm = (2 * l + 1) / (4 * pi) * (m > 0 ? 2 : 1);
            for (int k = l - m + 1; k <= l + m; k++)
                norm /= k;
            Y[l * l + l + m] = sqrt(norm) * legendre * cos(m * azimuth);
            if (m > 0)
                Y[l * l + l - m] = sqrt(norm) * legendre * sin(m * azimuth);
            double next = ((2 * l + 1) * z * legendre - (l + m) * before) / (l - m + 1);
            before = legendre;
            legendre = next;
        }
        diagonal *= (2 * m + 1) * sqrt(1 - z * z);
    }
}

static void evaluate_shell(const struct shell *shell, const double point[3], double *values)
{
    const struct angular_map *map = angular_map(shell->l, shell->spherical);
    double r[3], square = 0, radial = 0, cartesian[ANGULAR_MAX_FUNCTIONS];
    for (int k = 0; k < 3; k++) {
        r[k] = point[k] - shell->center[k];
        square += r[k] * r[k];
    }
    for (int p = 0; p < shell->n_primitives; p++)
        radial += shell->coefficients[p] * exp(-shell->exponents[p] * square);
    for (int c = 0; c < map->n_cartesians; c++) {
        int power[3];
        cartesian_powers(shell->l, c, power);
        cartesian[c] = radial * pow(r[0], power[0]) * pow(r[1], power[1]) * pow(r[2], power[2]);
    }
    for (int f = 0; f < shell->n_functions; f++) {
        values[f] = 0;
        for (int t = map->first[f]; t < map->first[f + 1]; t++)
            values[f] += map->value[t] * cartesian[map->index[t]];
    }
}

/* u_l(r), or the local part for l = -1. */
static double evaluate_part(const struct core_potential *potential, int l, double r)
{
    double sum = 0;
    for (int64_t t = 0; t < potential->n_terms; t++) {
        const struct core_potential_term *term = &potential->terms[t];
        if (term->l == l)
            sum += term->coefficient * pow(r, term->power - 2) * exp(-term->exponent * r * r);
    }
    return sum;
}

/* Adds the contribution of a sphere about the atom; weight: of the radius. */
static void add_sphere(const struct atom *atom, const struct shells *shells, double r,
                       double weight, const double nodes[], const double weights[], double *matrix)
{
    int64_t n = shells->n_functions;
    double *values = calloc((size_t)n, sizeof *values), Y[N_HARMONICS];
    double *moments = calloc((size_t)n * N_HARMONICS, sizeof *moments);
    double local = weight * evaluate_part(atom->potential, -1, r);
    for (int i = 0; i < N_COSINES; i++)
        for (int j = 0; j < N_AZIMUTHS; j++) {
            double z = nodes[i], s = sqrt(1 - z * z), azimuth = 2 * pi * j / N_AZIMUTHS;
            double w = weights[i] * 2 * pi / N_AZIMUTHS;
            const double point[3] = {atom->position[0] + r * s * cos(azimuth),
                                     atom->position[1] + r * s * sin(azimuth),
                                     atom->position[2] + r * z};
            find_harmonics(z, azimuth, Y);
            for (int64_t k = 0; k < shells->n_shells; k++)
                evaluate_shell(&shells->shells[k], point,
                               values + shells->shells[k].first_function);
            for (int64_t f = 0; f < n; f++) {
                for (int64_t g = 0; g <= f; g++)
                    matrix[f * n + g] += local * w * values[f] * values[g];
                for (int y = 0; y < N_HARMONICS; y++)
                    moments[f * N_HARMONICS + y] += w * Y[y] * values[f];
            }
        }
    for (int y = 0, l = 0; y < N_HARMONICS; l += ++y == (l + 1) * (l + 1)) {
        double factor = weight * evaluate_part(atom->potential, l, r);
        for (int64_t f = 0; f < n; f++)
            for (int64_t g = 0; g <= f; g++)
                matrix[f * n + g] +=
                    factor * moments[f * N_HARMONICS + y] * moments[g * N_HARMONICS + y];
    }
    free(values);
    free(moments);
}

void reference_core_potentials(const struct molecule *molecule, const struct shells *shells,
                               double *matrix)
{
    double nodes[N_COSINES], weights[N_COSINES];
    for (int i = 0; i < N_COSINES; i++)
        find_gauss_legendre(i, &nodes[i], &weights[i]);
    memset(matrix, 0, (size_t)(shells->n_functions * shells->n_functions) * sizeof *matrix);
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        for (int i = 0; i < N_RADII && molecule->atoms[a].potential; i++) {
            /* r = exp(t - exp(-t)): the trapezoidal rule of a double exponential. */
            double step = 6.5 / N_RADII, t = -3.5 + (i + 0.5) * step, r = exp(t - exp(-t));
            add_sphere(&molecule->atoms[a], shells, r, step * r * r * r * (1 + exp(-t)), nodes,
                       weights, matrix);
        }
    for (int64_t f = 0; f < shells->n_functions; f++)
        for (int64_t g = 0; g < f; g++)
            matrix[g * shells->n_functions + f] = matrix[f * shells->n_functions + g];
}
