/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/integrals_reference.h"

#include "tests/reference/hermite_reference.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* One value of a pair of functions, for one pair of primitives, from the
 * Hermite expansion H of the pair; data is the operator's. */
typedef double pair_value(const struct hermite_expansion *expansion, hermite_pair H,
                          const void *data);

/* Adds value to each element of the block. */
static void add_values(const struct hermite_expansion *expansion, const struct shell *bra,
                       const struct shell *ket, pair_value *value, const void *data, double *block)
{
    hermite_pair H;
    for (int f = 0; f < bra->n_functions; f++)
        for (int g = 0; g < ket->n_functions; g++) {
            hermite_functions(expansion, bra, f, ket, g, H);
            *block++ += value(expansion, H, data);
        }
}

static size_t block_size(const struct shell *bra, const struct shell *ket)
{
    return (size_t)bra->n_functions * (size_t)ket->n_functions;
}

/* The integral of an Hermite Gaussian is zero but for t = u = v = 0 (section 9.5). */
static double overlap_value(const struct hermite_expansion *expansion, hermite_pair H,
                            const void *data)
{
    (void)data;
    return H[0][0][0] * pow(pi / expansion->p, 1.5);
}

void reference_overlap(const struct shell *bra, const struct shell *ket, double *block)
{
    struct hermite_expansion expansion;
    memset(block, 0, block_size(bra, ket) * sizeof *block);
    for (int i = 0; i < bra->n_primitives; i++)
        for (int j = 0; j < ket->n_primitives; j++) {
            hermite_expand(bra, i, ket, j, &expansion);
            add_values(&expansion, bra, ket, overlap_value, NULL, block);
        }
}

/* The overlap with -1/2 d^2/dx^2 of the ket, and so for y and z. */
void reference_kinetic(const struct shell *bra, const struct shell *ket, double *block)
{
    struct hermite_expansion expansion;
    memset(block, 0, block_size(bra, ket) * sizeof *block);
    for (int i = 0; i < bra->n_primitives; i++)
        for (int j = 0; j < ket->n_primitives; j++)
            for (int k = 0; k < 3; k++) {
                hermite_expand(bra, i, ket, j, &expansion);
                hermite_apply_kinetic(bra, ket, k, &expansion);
                add_values(&expansion, bra, ket, overlap_value, NULL, block);
            }
}

struct dipole {
    const double *origin;
    int k;
};

/* x - O = (x - P) + (P - O). x - P times an Hermite Gaussian has an integral for t = 1 only
 * (section 9.5.3). */
static double dipole_value(const struct hermite_expansion *expansion, hermite_pair H,
                           const void *data)
{
    const struct dipole *dipole = data;
    int k = dipole->k;
    double first = H[k == 0][k == 1][k == 2];
    return (first + (expansion->P[k] - dipole->origin[k]) * H[0][0][0]) *
           pow(pi / expansion->p, 1.5);
}

void reference_dipole(const double origin[3], const struct shell *bra, const struct shell *ket,
                      double *blocks)
{
    struct hermite_expansion expansion;
    size_t size = block_size(bra, ket);
    memset(blocks, 0, 3 * size * sizeof *blocks);
    for (int i = 0; i < bra->n_primitives; i++)
        for (int j = 0; j < ket->n_primitives; j++) {
            hermite_expand(bra, i, ket, j, &expansion);
            for (int k = 0; k < 3; k++)
                add_values(&expansion, bra, ket, dipole_value, &(struct dipole){origin, k},
                           blocks + (size_t)k * size);
        }
}

/* The nuclei's potential over Hermite Gaussians, t + u + v <= max. */
struct potential {
    int max;
    hermite_pair W;
};

/* W_tuv = sum_A -Z_A 2 pi/p R_tuv(p, P - A) (eq. 9.9.32). */
static void fill_potential(const struct molecule *molecule,
                           const struct hermite_expansion *expansion, struct potential *potential)
{
    memset(potential->W, 0, sizeof potential->W);
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *atom = &molecule->atoms[a];
        if (atom->charge == 0)
            continue;
        double X[3];
        hermite_table R;
        for (int k = 0; k < 3; k++)
            X[k] = expansion->P[k] - atom->position[k];
        hermite_coulomb(expansion->p, X, potential->max, R);
        for (int t = 0; t <= potential->max; t++)
            for (int u = 0; u <= potential->max - t; u++)
                for (int v = 0; v <= potential->max - t - u; v++)
                    potential->W[t][u][v] -= atom->charge * 2 * pi / expansion->p * R[t][u][v];
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

static double nuclear_value(const struct hermite_expansion *expansion, hermite_pair H,
                            const void *data)
{
    (void)expansion;
    const struct potential *potential = data;
    return sum_products(potential->max, H, potential->W);
}

void reference_nuclear(const struct molecule *molecule, const struct shell *bra,
                       const struct shell *ket, double *block)
{
    struct hermite_expansion expansion;
    struct potential potential = {.max = bra->l + ket->l};
    memset(block, 0, block_size(bra, ket) * sizeof *block);
    for (int i = 0; i < bra->n_primitives; i++)
        for (int j = 0; j < ket->n_primitives; j++) {
            hermite_expand(bra, i, ket, j, &expansion);
            fill_potential(molecule, &expansion, &potential);
            add_values(&expansion, bra, ket, nuclear_value, &potential, block);
        }
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

enum { MAX_FUNCTIONS = (BASIS_MAX_L + 1) * (BASIS_MAX_L + 2) / 2 };

/* Hermite coefficients of each product of a function of the bra and one of the ket. */
struct product_coefficients {
    hermite_pair H[MAX_FUNCTIONS * MAX_FUNCTIONS];
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
