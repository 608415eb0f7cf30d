/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/shells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void cartesian_powers(int l, int index, int power[3])
{
    int rest = 0; /* j + k */
    while (index >= n_cartesians(rest))
        rest++;
    power[0] = l - rest;
    power[2] = index - n_cartesians(rest - 1);
    power[1] = rest - power[2];
}

static int cartesian_index(int j, int k)
{
    return (j + k) * (j + k + 1) / 2 + k;
}

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static double binomial(int n, int k)
{
    return factorial(n) / (factorial(k) * factorial(n - k));
}

/* (2n - 1)!! */
static double odd_factorial(int n)
{
    return n < 1 ? 1 : (2 * n - 1) * odd_factorial(n - 1);
}

static void add_term(struct angular_map *map, int f, int index, double value)
{
    for (int t = map->first[f]; t < map->first[f + 1]; t++)
        if (map->index[t] == index) {
            map->value[t] += value;
            return;
        }
    int t = map->first[f + 1]++;
    assert(t < ANGULAR_MAX_TERMS);
    map->index[t] = index;
    map->value[t] = value;
}

/* Self-overlap 1 for x^i y^j z^k where x^l has it:
 * the factor sqrt((2l-1)!! / ((2i-1)!! (2j-1)!! (2k-1)!!)). */
static void fill_cartesian(struct angular_map *map, int l)
{
    map->n_functions = n_cartesians(l);
    for (int f = 0; f < map->n_functions; f++) {
        int power[3];
        cartesian_powers(l, f, power);
        double norm = odd_factorial(power[0]) * odd_factorial(power[1]) * odd_factorial(power[2]);
        map->first[f + 1] = map->first[f];
        add_term(map, f, f, sqrt(odd_factorial(l) / norm));
    }
}

/* Function m of row f:
 *     N sum_(t,u,w) (-1)^(t + floor(w/2)) 4^-t C(l,t) C(l-t,a+t) C(t,u) C(a,w)
 *         x^(2t+a-2u-w) y^(2u+w) z^(l-2t-a)
 * with a = |m|; w <= a, even for m >= 0 and odd for m < 0; N = sqrt(2 (l+a)! (l-a)!) / (2^a l!),
 * smaller by sqrt(2) for m = 0. */
static void fill_harmonic(struct angular_map *map, int f, int l, int m)
{
    int a = abs(m);
    double N =
        sqrt((m == 0 ? 1 : 2) * factorial(l + a) * factorial(l - a)) / (ldexp(1, a) * factorial(l));
    map->first[f + 1] = map->first[f];
    for (int t = 0; 2 * t <= l - a; t++)
        for (int u = 0; u <= t; u++)
            for (int w = m < 0; w <= a; w += 2) {
                double value = ldexp(N, -2 * t) * binomial(l, t) * binomial(l - t, a + t) *
                               binomial(t, u) * binomial(a, w);
                int sign = (t + w / 2) % 2 == 0 ? 1 : -1;
                add_term(map, f, cartesian_index(2 * u + w, l - 2 * t - a), sign * value);
            }
}

static void fill_spherical(struct angular_map *map, int l)
{
    map->n_functions = 2 * l + 1;
    for (int m = -l; m <= l; m++)
        fill_harmonic(map, l + m, l, m);
}

const struct angular_map *angular_map(int l, bool spherical)
{
    static struct angular_map maps[BASIS_MAX_L + 1][2];
    static bool prepared;
    if (!prepared) {
        for (int i = 0; i <= BASIS_MAX_L; i++) {
            fill_cartesian(&maps[i][0], i);
            if (i < 2)
                fill_cartesian(&maps[i][1], i);
            else
                fill_spherical(&maps[i][1], i);
            for (int form = 0; form < 2; form++) {
                maps[i][form].n_cartesians = n_cartesians(i);
                maps[i][form].identity = i < 2;
            }
        }
        prepared = true;
    }
    assert(l >= 0 && l <= BASIS_MAX_L);
    return &maps[l][spherical];
}

/* Adds factor (axis x r) . grad of a raw Cartesian to a sum of raw Cartesians; u[a][b] is the
 * coefficient of r_a d/dr_b, the antisymmetric matrix of the axis. */
static void add_rotated_cartesian(int l, int index, double factor, const double axis[3],
                                  double *sum)
{
    const double u[3][3] = {{0, axis[2], -axis[1]}, {-axis[2], 0, axis[0]}, {axis[1], -axis[0], 0}};
    int power[3];
    cartesian_powers(l, index, power);
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++) {
            if (a == b || power[b] == 0)
                continue;
            int turned[3] = {power[0], power[1], power[2]};
            turned[a]++;
            turned[b]--;
            sum[cartesian_index(turned[1], turned[2])] += factor * power[b] * u[a][b];
        }
}

/* Overlap of two raw Cartesians of a shell relative to the overlap of x^l with itself. */
static double cartesian_overlap(int l, int i, int j)
{
    int p[3], q[3];
    double product = 1;
    cartesian_powers(l, i, p);
    cartesian_powers(l, j, q);
    for (int x = 0; x < 3; x++)
        product *= (p[x] + q[x]) % 2 ? 0 : odd_factorial((p[x] + q[x]) / 2);
    return product / odd_factorial(l);
}

/* The coefficient of function g in a sum of raw Cartesians: each of these is a Cartesian function
 * but for its scale; spherical functions are orthonormal. */
static double function_component(const struct angular_map *map, int l, int g, const double *sum)
{
    if (map->n_functions == map->n_cartesians)
        return sum[g] / map->value[map->first[g]];
    double component = 0;
    for (int t = map->first[g]; t < map->first[g + 1]; t++)
        for (int c = 0; c < map->n_cartesians; c++)
            component += map->value[t] * cartesian_overlap(l, map->index[t], c) * sum[c];
    return component;
}

void angular_rotation(int l, bool spherical, const double axis[3], double *A)
{
    const struct angular_map *map = angular_map(l, spherical);
    int n = map->n_functions;
    for (int f = 0; f < n; f++) {
        double turned[ANGULAR_MAX_FUNCTIONS] = {0};
        for (int t = map->first[f]; t < map->first[f + 1]; t++)
            add_rotated_cartesian(l, map->index[t], map->value[t], axis, turned);
        for (int g = 0; g < n; g++)
            A[g * n + f] = function_component(map, l, g, turned);
    }
}

/* Multiplies a polynomial of raw Cartesians of degree l by row . r. */
static void multiply_by_linear(int l, const double row[3], double *polynomial)
{
    double product[ANGULAR_MAX_FUNCTIONS] = {0};
    for (int c = 0; c < n_cartesians(l); c++) {
        int power[3];
        cartesian_powers(l, c, power);
        product[c] += row[0] * polynomial[c];
        product[cartesian_index(power[1] + 1, power[2])] += row[1] * polynomial[c];
        product[cartesian_index(power[1], power[2] + 1)] += row[2] * polynomial[c];
    }
    for (int c = 0; c < n_cartesians(l + 1); c++)
        polynomial[c] = product[c];
}

/* Adds factor times a raw Cartesian of R r to a sum of raw Cartesians of r. */
static void add_image_of_cartesian(int l, int index, double factor, const double R[3][3],
                                   double *sum)
{
    double polynomial[ANGULAR_MAX_FUNCTIONS] = {factor};
    int power[3], degree = 0;
    cartesian_powers(l, index, power);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < power[a]; i++)
            multiply_by_linear(degree++, R[a], polynomial);
    for (int c = 0; c < n_cartesians(l); c++)
        sum[c] += polynomial[c];
}

void angular_image(int l, bool spherical, const double R[3][3], double *A)
{
    const struct angular_map *map = angular_map(l, spherical);
    int n = map->n_functions;
    for (int f = 0; f < n; f++) {
        double image[ANGULAR_MAX_FUNCTIONS] = {0};
        for (int t = map->first[f]; t < map->first[f + 1]; t++)
            add_image_of_cartesian(l, map->index[t], map->value[t], R, image);
        for (int g = 0; g < n; g++)
            A[f * n + g] = function_component(map, l, g, image);
    }
}

void angular_map_pair(const struct angular_map *bra, const struct angular_map *ket,
                      const double *cartesian, double *block)
{
    double half[ANGULAR_MAX_FUNCTIONS]; /* one row: functions of bra, Cartesians of ket */
    for (int f = 0; f < bra->n_functions; f++) {
        for (int c = 0; c < ket->n_cartesians; c++)
            half[c] = 0;
        for (int t = bra->first[f]; t < bra->first[f + 1]; t++) {
            const double *row = cartesian + (size_t)bra->index[t] * (size_t)ket->n_cartesians;
            for (int c = 0; c < ket->n_cartesians; c++)
                half[c] += bra->value[t] * row[c];
        }
        for (int g = 0; g < ket->n_functions; g++) {
            double sum = 0;
            for (int t = ket->first[g]; t < ket->first[g + 1]; t++)
                sum += ket->value[t] * half[ket->index[t]];
            *block++ = sum;
        }
    }
}
