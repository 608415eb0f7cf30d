/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/integrals_reference.h"

#include "basis/integrals/boys.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* --- Hermite Gaussians: products of two Gaussians about P = (a A + b B) / p, p = a + b, as
 *   x_A^i x_B^j exp(-a x_A^2 - b x_B^2) = sum_t E_t^ij (d/dP)^t exp(-p x_P^2)
 * and so for y and z (Helgaker, Jorgensen & Olsen, sections 9.5 and 9.9) --- */

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

/* Coefficients of the product of two functions: H[t][u][v], t, u and v up to l(bra) + l(ket), or to 1;
 * zero where their sum exceeds l(bra) + l(ket). */
typedef double hermite_pair[HERMITE_MAX_PAIR + 1][HERMITE_MAX_PAIR + 1][HERMITE_MAX_PAIR + 1];

/* R[t][u][v] = (d/dX)^t (d/dY)^u (d/dZ)^v F_0(alpha |X|^2) for
 * t + u + v <= max <= HERMITE_MAX_R. */
typedef double hermite_table[HERMITE_MAX_R + 1][HERMITE_MAX_R + 1][HERMITE_MAX_R + 1];

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

/* Primitive i of the bra and j of the ket, powers of the ket to l + 2. */
static void hermite_expand(const struct shell *bra, int i, const struct shell *ket, int j,
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

/* Replaces the ket by -1/2 d^2/dx^2 of it in direction k (0 x, 1 y, 2 z): d^2/dx^2 of x^j exp(-b x^2) is
 *   j (j-1) x^(j-2) - 2b (2j+1) x^j + 4 b^2 x^(j+2), times exp(-b x^2). */
static void hermite_apply_kinetic(const struct shell *bra, const struct shell *ket, int k,
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

static void hermite_functions(const struct hermite_expansion *expansion, const struct shell *bra,
                              int f, const struct shell *ket, int g, hermite_pair H)
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
static void hermite_coulomb(double alpha, const double X[3], int max, hermite_table R)
{
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

/* --- integrals --- */

static size_t block_size(const struct shell *bra, const struct shell *ket)
{
    return (size_t)bra->n_functions * (size_t)ket->n_functions;
}

/* A one-electron operator between two shells. */
struct one_body {
    enum { OVERLAP, KINETIC, DIPOLE, NUCLEAR } kind;
    const double *origin; /* of the dipole */
    int direction;        /* of the dipole: 0 x, 1 y, 2 z */
    const struct molecule *molecule;
    int max;        /* t + u + v */
    hermite_pair W; /* the nuclei's potential over Hermite Gaussians */
};

/* W_tuv = sum_A -Z_A 2 pi/p R_tuv(p, P - A) (eq. 9.9.32). */
static void fill_potential(const struct hermite_expansion *expansion, struct one_body *of_nuclei)
{
    memset(of_nuclei->W, 0, sizeof of_nuclei->W);
    for (int64_t a = 0; a < of_nuclei->molecule->n_atoms; a++) {
        const struct atom *atom = &of_nuclei->molecule->atoms[a];
        double X[3];
        hermite_table R;
        for (int k = 0; k < 3; k++)
            X[k] = expansion->P[k] - atom->position[k];
        hermite_coulomb(expansion->p, X, of_nuclei->max, R);
        for (int t = 0; t <= of_nuclei->max; t++)
            for (int u = 0; u <= of_nuclei->max - t; u++)
                for (int v = 0; v <= of_nuclei->max - t - u; v++)
                    of_nuclei->W[t][u][v] -= atom->charge * 2 * pi / expansion->p * R[t][u][v];
    }
}

static double sum_products(int max, hermite_pair H, const hermite_pair V)
{
    double sum = 0;
    for (int t = 0; t <= max; t++)
        for (int u = 0; u <= max - t; u++)
            for (int v = 0; v <= max - t - u; v++)
                sum += H[t][u][v] * V[t][u][v];
    return sum;
}

/* The integral of a Hermite Gaussian is zero but for t = u = v = 0 (section 9.5). x - O = (x - P) +
 * (P - O): x - P times a Hermite Gaussian has an integral for t = 1 only (section 9.5.3). */
static double pair_value(const struct one_body *of, const struct hermite_expansion *expansion,
                         hermite_pair H)
{
    int k = of->direction;
    double value = H[0][0][0];
    if (of->kind == NUCLEAR)
        return sum_products(of->max, H, of->W);
    if (of->kind == DIPOLE)
        value = H[k == 0][k == 1][k == 2] + (expansion->P[k] - of->origin[k]) * value;
    return value * pow(pi / expansion->p, 1.5);
}

/* The kinetic energy is the overlap with -1/2 d^2/dx^2 of the ket, and so for y and z. */
static void integrate(struct one_body of, const struct shell *bra, const struct shell *ket,
                      double *block)
{
    struct hermite_expansion expansion;
    hermite_pair H;
    int n_terms = of.kind == KINETIC ? 3 : 1;
    of.max = bra->l + ket->l;
    memset(block, 0, block_size(bra, ket) * sizeof *block);
    for (int term = 0; term < bra->n_primitives * ket->n_primitives * n_terms; term++) {
        int pair = term / n_terms;
        hermite_expand(bra, pair / ket->n_primitives, ket, pair % ket->n_primitives, &expansion);
        if (of.kind == KINETIC)
            hermite_apply_kinetic(bra, ket, term % 3, &expansion);
        if (of.kind == NUCLEAR)
            fill_potential(&expansion, &of);
        for (int f = 0; f < bra->n_functions; f++)
            for (int g = 0; g < ket->n_functions; g++) {
                hermite_functions(&expansion, bra, f, ket, g, H);
                block[f * ket->n_functions + g] += pair_value(&of, &expansion, H);
            }
    }
}

void reference_overlap(const struct shell *bra, const struct shell *ket, double *block)
{
    integrate((struct one_body){.kind = OVERLAP}, bra, ket, block);
}

void reference_kinetic(const struct shell *bra, const struct shell *ket, double *block)
{
    integrate((struct one_body){.kind = KINETIC}, bra, ket, block);
}

void reference_dipole(const double origin[3], const struct shell *bra, const struct shell *ket,
                      double *blocks)
{
    for (int k = 0; k < 3; k++)
        integrate((struct one_body){.kind = DIPOLE, .origin = origin, .direction = k}, bra, ket,
                  blocks + (size_t)k * block_size(bra, ket));
}

void reference_nuclear(const struct molecule *molecule, const struct shell *bra,
                       const struct shell *ket, double *block)
{
    integrate((struct one_body){.kind = NUCLEAR, .molecule = molecule}, bra, ket, block);
}

/* V_tuv = sum_(t',u',v') (-1)^(t'+u'+v') H_t'u'v' R_(t+t')(u+u')(v+v'): the
 * repulsion of the ket's product with Hermite Gaussians of the bra (eq. 9.9.33). */
static void repulsion_of_ket(double factor, int max_bra, int max_ket, hermite_pair H,
                             hermite_table R, hermite_pair V)
{
    for (int t = 0; t <= max_bra; t++)
        for (int u = 0; u <= max_bra - t; u++)
            for (int v = 0; v <= max_bra - t - u; v++) {
                double sum = 0;
                for (int i = 0; i <= max_ket; i++)
                    for (int j = 0; j <= max_ket - i; j++)
                        for (int k = 0; k <= max_ket - i - j; k++)
                            sum += ((i + j + k) % 2 == 0 ? 1 : -1) * H[i][j][k] *
                                   R[t + i][u + j][v + k];
                V[t][u][v] = factor * sum;
            }
}

/* Hermite coefficients of each product of a function of the bra and one of the ket. */
struct product_coefficients {
    hermite_pair H[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
};

static void fill_coefficients(const struct hermite_expansion *expansion, const struct shell *bra,
                              const struct shell *ket, struct product_coefficients *of_products)
{
    hermite_pair *H = of_products->H;
    for (int f = 0; f < bra->n_functions; f++)
        for (int g = 0; g < ket->n_functions; g++, H++)
            hermite_functions(expansion, bra, f, ket, g, *H);
}

/* One quartet of primitives: 2 pi^(5/2) / (p q sqrt(p + q)) sum H H R(pq/(p+q), P - Q). */
static void add_quartet(const struct shell *const shell[4], const struct hermite_expansion *bra,
                        struct product_coefficients *of_bra, const struct hermite_expansion *ket,
                        struct product_coefficients *of_ket, double *block)
{
    double p = bra->p, q = ket->p, factor = 2 * pow(pi, 2.5) / (p * q * sqrt(p + q)), X[3];
    for (int k = 0; k < 3; k++)
        X[k] = bra->P[k] - ket->P[k];
    int max_bra = shell[0]->l + shell[1]->l, max_ket = shell[2]->l + shell[3]->l;
    hermite_table R;
    hermite_coulomb(p * q / (p + q), X, max_bra + max_ket, R);

    size_t n_bra = block_size(shell[0], shell[1]), n_ket = block_size(shell[2], shell[3]);
    for (size_t j = 0; j < n_ket; j++) {
        hermite_pair V;
        repulsion_of_ket(factor, max_bra, max_ket, of_ket->H[j], R, V);
        for (size_t i = 0; i < n_bra; i++)
            block[i * n_ket + j] += sum_products(max_bra, of_bra->H[i], V);
    }
}

void reference_two_electron(const struct shell *a, const struct shell *b, const struct shell *c,
                            const struct shell *d, double *block)
{
    static struct product_coefficients of_bra, of_ket; /* too large for the stack */
    struct hermite_expansion bra, ket;
    memset(block, 0, block_size(a, b) * block_size(c, d) * sizeof *block);
    for (int i = 0; i < a->n_primitives; i++)
        for (int j = 0; j < b->n_primitives; j++) {
            hermite_expand(a, i, b, j, &bra);
            fill_coefficients(&bra, a, b, &of_bra);
            for (int k = 0; k < c->n_primitives; k++)
                for (int l = 0; l < d->n_primitives; l++) {
                    hermite_expand(c, k, d, l, &ket);
                    fill_coefficients(&ket, c, d, &of_ket);
                    add_quartet((const struct shell *[]){a, b, c, d}, &bra, &of_bra, &ket, &of_ket,
                                block);
                }
        }
}
