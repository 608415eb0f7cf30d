/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/guess/guess_atom_channel.h"

#include "support/arrays/dense.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* --- integrals --- */

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

/* int_0^inf r^(2l + n) exp(-p r^2) dr = Gamma(l + (n + 1) / 2) / 2 p^-(l + (n + 1) / 2). */
double guess_atom_potential(const struct core_potential *potential, int l, double a, double b)
{
    double sum = 0;
    for (int64_t t = 0; potential && t < potential->n_terms; t++) {
        const struct core_potential_term *term = &potential->terms[t];
        double power = l + 0.5 * (term->power + 1);
        if (term->l < 0 || term->l == l)
            sum += term->coefficient * tgamma(power) / 2 * pow(a + b + term->exponent, -power);
    }
    return radial_norm(l, a) * radial_norm(l, b) * sum;
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

/* --- the channel --- */

/* Combinations of an atom's shells whose overlap eigenvalue is below this are left out. */
#define ATOM_DEPENDENCE 1e-8

static int exponent_index(const struct guess_atom_channel *channel, double exponent)
{
    for (int p = 0; p < channel->n_primitives; p++)
        if (channel->exponents[p] == exponent)
            return p;
    return -1;
}

void guess_atom_channel_fini(struct guess_atom_channel *channel)
{
    free(channel->exponents);
    free(channel->contractions);
    free(channel->X);
    free(channel->W);
}

static enum status collect_shells(int l, const struct shell *shells, int64_t n_shells,
                                  struct guess_atom_channel *channel)
{
    int n_all = 0;
    *channel = (struct guess_atom_channel){.l = l};
    for (int64_t i = 0; i < n_shells; i++) {
        if (shells[i].l != l)
            continue;
        channel->n_shells++;
        n_all += shells[i].n_primitives;
    }
    if (channel->n_shells == 0)
        return STATUS_OK;
    size_t n = (size_t)channel->n_shells, m = (size_t)n_all;
    channel->exponents = malloc(m * sizeof(double));
    channel->contractions = calloc(n * m, sizeof(double));
    channel->X = malloc(n * n * sizeof(double));
    channel->W = malloc(n * m * sizeof(double));
    TRY(CHECK_MEMORY(channel->exponents && channel->contractions && channel->X && channel->W,
                     "no memory for the functions of an atom"));
    for (int64_t i = 0; i < n_shells; i++)
        for (int p = 0; p < shells[i].n_primitives && shells[i].l == l; p++)
            if (exponent_index(channel, shells[i].exponents[p]) < 0)
                channel->exponents[channel->n_primitives++] = shells[i].exponents[p];
    double *row = channel->contractions;
    for (int64_t i = 0; i < n_shells; i++) {
        if (shells[i].l != l)
            continue;
        for (int p = 0; p < shells[i].n_primitives; p++)
            row[exponent_index(channel, shells[i].exponents[p])] +=
                shells[i].coefficients[p] / primitive_norm(l, shells[i].exponents[p]);
        row += channel->n_primitives;
    }
    return STATUS_OK;
}

/* X and W: canonical orthogonalisation of the channel's shells. */
static enum status orthogonalise_shells(struct guess_atom_channel *channel)
{
    int64_t n = channel->n_shells, m = channel->n_primitives;
    double *S = calloc((size_t)(n * n + n), sizeof *S);
    TRY(CHECK_MEMORY(S, "no memory for the functions of an atom"));
    double *values = S + n * n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            for (int p = 0; p < m; p++)
                for (int q = 0; q < m; q++)
                    S[i * n + j] += channel->contractions[i * m + p] *
                                    channel->contractions[j * m + q] *
                                    guess_atom_overlap(channel->l, channel->exponents[p],
                                                       channel->exponents[q]);
    enum status status = symmetric_eigen((int)n, S, values);
    for (int k = 0; k < n && status == STATUS_OK; k++) {
        if (values[k] < ATOM_DEPENDENCE)
            continue;
        double *x = channel->X + channel->n_orbitals * n;
        double *w = channel->W + channel->n_orbitals * m;
        channel->n_orbitals++;
        for (int i = 0; i < n; i++)
            x[i] = S[k * n + i] / sqrt(values[k]);
        for (int p = 0; p < m; p++) {
            w[p] = 0;
            for (int i = 0; i < n; i++)
                w[p] += x[i] * channel->contractions[i * m + p];
        }
    }
    free(S);
    return status;
}

enum status guess_atom_channel_init(int l, const struct shell *shells, int64_t n_shells,
                                    struct guess_atom_channel *channel)
{
    TRY(collect_shells(l, shells, n_shells, channel));
    return channel->n_shells > 0 ? orthogonalise_shells(channel) : STATUS_OK;
}

/* Rows: the pure functions m of a shell in its own functions, Cartesian or pure. */
static double pure_component(const struct shell *shell, int m, int function)
{
    if (shell->n_functions == 2 * shell->l + 1)
        return m == function;
    const struct angular_map *pure = angular_map(shell->l, true);
    const struct angular_map *cartesian = angular_map(shell->l, false);
    int raw = cartesian->index[cartesian->first[function]];
    for (int t = pure->first[m]; t < pure->first[m + 1]; t++)
        if (pure->index[t] == raw)
            return pure->value[t] / cartesian->value[cartesian->first[function]];
    return 0;
}

/* Adds P / (2l + 1) sum_m (i m)(j m) for shells i and j of one l. */
static void place_block(const struct shell *i, const struct shell *j, double P, double *D, int n)
{
    int n_pure = 2 * i->l + 1;
    for (int f = 0; f < i->n_functions; f++) {
        for (int g = 0; g < j->n_functions; g++) {
            double sum = 0;
            for (int m = 0; m < n_pure; m++)
                sum += pure_component(i, m, f) * pure_component(j, m, g);
            D[f * n + g] += P / n_pure * sum;
        }
    }
}

/* X^T P X between two shells of a channel, by their numbers in it. */
static double shell_density(const struct guess_atom_channel *channel, const double *P, int i, int j)
{
    int n = channel->n_orbitals;
    double sum = 0;
    for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
            sum += channel->X[k * channel->n_shells + i] * P[k * n + l] *
                   channel->X[l * channel->n_shells + j];
    return sum;
}

void guess_atom_channel_place_density(const struct guess_atom_channel *channel, const double *P,
                                      const struct shell *shells, int64_t n_shells, double *D)
{
    int n = 0, number_i = 0;
    int64_t row = 0;
    for (int64_t i = 0; i < n_shells; i++)
        n += shells[i].n_functions;
    for (int64_t i = 0; i < n_shells; row += shells[i++].n_functions) {
        if (shells[i].l != channel->l)
            continue;
        int column = 0, number_j = 0;
        for (int64_t j = 0; j < n_shells; column += shells[j++].n_functions) {
            if (shells[j].l != channel->l)
                continue;
            place_block(&shells[i], &shells[j], shell_density(channel, P, number_i, number_j),
                        D + row * n + column, n);
            number_j++;
        }
        number_i++;
    }
}
