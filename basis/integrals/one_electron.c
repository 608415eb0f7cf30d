/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/one_electron.h"

#include "basis/integrals/boys.h"

#include <libint2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* libint reads, for every pair of primitives, the Gaussian product and the
 * integral over s functions, and returns the block of raw Cartesians. Which
 * fields it reads depends on the operator:
 *   overlap    _0_Overlap_0_x/y/z, PA, PB, oo2z
 *   kinetic    as overlap, and two_alpha0_bra/ket (2a, 2b)
 *   multipole  as overlap, and BO; targets: 1, x, y, z
 *   elecpot    PA, PB, PC, oo2z, F_m in _aB_s___0___ElecPot_s___0___Ab__up_m,
 *              and AB where l(bra) >= l(ket), else BA
 * Source of the formulas: Obara & Saika, J. Chem. Phys. 84, 3963 (1986). */

typedef void build_function(const Libint_t *);

/* A pair with a smaller factor exp(-ab/(a+b) R^2) than exp(-this), 4e-44, is left out: far below
 * rounding for all angular momenta. */
static const double max_exponent = 100;

struct pair {
    double weight; /* of the s-s product: c_a c_b exp(-ab/(a+b) R^2) */
    double p;      /* a + b */
    double P[3];
};

struct one_electron {
    struct pair *pairs;
    Libint_t *primitives;
    double *stack; /* libint's scratch, enough for every operator */
    double *cartesian;
    int max_l;
};

static size_t stack_doubles(int max_l)
{
    size_t sizes[] = {
        libint2_need_memory_overlap(max_l),
        libint2_need_memory_kinetic(max_l),
        libint2_need_memory_elecpot(max_l),
        libint2_need_memory_1emultipole(max_l),
    };
    size_t largest = 0;
    for (int i = 0; i < 4; i++)
        largest = sizes[i] > largest ? sizes[i] : largest;
    return largest;
}

enum status one_electron_create(const struct shells *shells, struct one_electron **engine)
{
    boys_prepare();
    angular_map(0, false);
    libint2_static_init(); /* fills tables, always alike: there is nothing to end */
    size_t n_pairs = (size_t)shells->max_primitives * (size_t)shells->max_primitives;
    size_t n_cartesian = (size_t)n_cartesians(shells->max_l);
    struct one_electron *made = calloc(1, sizeof *made);
    *engine = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the one-electron integrals"));
    made->max_l = shells->max_l;
    made->pairs = calloc(n_pairs, sizeof *made->pairs);
    made->primitives = calloc(n_pairs, sizeof *made->primitives);
    made->stack = calloc(stack_doubles(shells->max_l), sizeof(double));
    made->cartesian = calloc(n_cartesian * n_cartesian, sizeof(double));
    if (!made->pairs || !made->primitives || !made->stack || !made->cartesian) {
        one_electron_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for the one-electron integrals");
    }
    *engine = made;
    return STATUS_OK;
}

void one_electron_destroy(struct one_electron *engine)
{
    if (!engine)
        return;
    free(engine->pairs);
    free(engine->primitives);
    free(engine->stack);
    free(engine->cartesian);
    free(engine);
}

/* Fills the list of significant pairs of primitives with the quantities common to all
 * operators; returns their number. Sets n_blocks blocks to zero. */
static int prepare_pairs(struct one_electron *engine, const struct shell *bra,
                         const struct shell *ket, size_t n_blocks, double *blocks)
{
    size_t block_size = (size_t)bra->n_functions * (size_t)ket->n_functions;
    memset(blocks, 0, n_blocks * block_size * sizeof *blocks);
    const double *A = bra->center, *B = ket->center;
    double R[3] = {A[0] - B[0], A[1] - B[1], A[2] - B[2]};
    double R2 = R[0] * R[0] + R[1] * R[1] + R[2] * R[2];
    int n = 0;
    for (int i = 0; i < bra->n_primitives; i++)
        for (int j = 0; j < ket->n_primitives; j++) {
            double a = bra->exponents[i], b = ket->exponents[j], p = a + b;
            if (a * b / p * R2 > max_exponent)
                continue;
            struct pair *pair = &engine->pairs[n];
            pair->weight = bra->coefficients[i] * ket->coefficients[j] * exp(-a * b / p * R2);
            pair->p = p;
            Libint_t *primitive = &engine->primitives[n++];
            /* P - A would have the rounding of coordinates, which may be large. */
            primitive->PA_x[0] = -b / p * R[0];
            primitive->PA_y[0] = -b / p * R[1];
            primitive->PA_z[0] = -b / p * R[2];
            primitive->PB_x[0] = a / p * R[0];
            primitive->PB_y[0] = a / p * R[1];
            primitive->PB_z[0] = a / p * R[2];
            for (int k = 0; k < 3; k++)
                pair->P[k] = A[k] - b / p * R[k];
            primitive->oo2z[0] = 0.5 / p;
            primitive->two_alpha0_bra[0] = 2 * a;
            primitive->two_alpha0_ket[0] = 2 * b;
        }
    return n;
}

/* The s-s overlap as the product of three one-dimensional ones. */
static void prepare_overlap(struct one_electron *engine, int n)
{
    for (int i = 0; i < n; i++) {
        Libint_t *primitive = &engine->primitives[i];
        double root = sqrt(M_PI / engine->pairs[i].p);
        primitive->_0_Overlap_0_x[0] = engine->pairs[i].weight * root;
        primitive->_0_Overlap_0_y[0] = root;
        primitive->_0_Overlap_0_z[0] = root;
    }
}

static double *run_libint(struct one_electron *engine, build_function *build, int n, int target)
{
    engine->primitives[0].contrdepth = n;
    build(engine->primitives);
    return engine->primitives[0].targets[target];
}

static void map_block(const struct shell *bra, const struct shell *ket, const double *cartesian,
                      double *block)
{
    angular_map_pair(angular_map(bra->l, bra->spherical), angular_map(ket->l, ket->spherical),
                     cartesian, block);
}

void one_electron_overlap(struct one_electron *engine, const struct shell *bra,
                          const struct shell *ket, double *block)
{
    int n = prepare_pairs(engine, bra, ket, 1, block);
    if (n == 0)
        return;
    if (bra->l == 0 && ket->l == 0) {
        /* libint has no function for two s shells. */
        for (int i = 0; i < n; i++)
            block[0] += engine->pairs[i].weight * pow(M_PI / engine->pairs[i].p, 1.5);
        return;
    }
    prepare_overlap(engine, n);
    libint2_init_overlap(engine->primitives, engine->max_l, engine->stack);
    map_block(bra, ket, run_libint(engine, libint2_build_overlap[bra->l][ket->l], n, 0), block);
}

void one_electron_kinetic(struct one_electron *engine, const struct shell *bra,
                          const struct shell *ket, double *block)
{
    int n = prepare_pairs(engine, bra, ket, 1, block);
    if (n == 0)
        return;
    prepare_overlap(engine, n);
    libint2_init_kinetic(engine->primitives, engine->max_l, engine->stack);
    map_block(bra, ket, run_libint(engine, libint2_build_kinetic[bra->l][ket->l], n, 0), block);
}

void one_electron_dipole(struct one_electron *engine, const double origin[3],
                         const struct shell *bra, const struct shell *ket, double *blocks)
{
    int n = prepare_pairs(engine, bra, ket, 3, blocks);
    size_t size = (size_t)bra->n_functions * (size_t)ket->n_functions;
    if (n == 0)
        return;
    prepare_overlap(engine, n);
    for (int i = 0; i < n; i++) {
        engine->primitives[i].BO_x[0] = ket->center[0] - origin[0];
        engine->primitives[i].BO_y[0] = ket->center[1] - origin[1];
        engine->primitives[i].BO_z[0] = ket->center[2] - origin[2];
    }
    libint2_init_1emultipole(engine->primitives, engine->max_l, engine->stack);
    run_libint(engine, libint2_build_1emultipole[bra->l][ket->l], n, 0);
    for (int k = 0; k < 3; k++)
        map_block(bra, ket, engine->primitives[0].targets[1 + k], blocks + k * size);
}

/* libint's fields for m = 0, 1, ... follow each other. */
enum { FIRST_S_INTEGRAL = offsetof(Libint_t, _aB_s___0___ElecPot_s___0___Ab__up_0) };
_Static_assert(offsetof(Libint_t, _aB_s___0___ElecPot_s___0___Ab__up_10) ==
                   FIRST_S_INTEGRAL + sizeof(double) * 2 * BASIS_MAX_L,
               "the s integrals are not in a row");

/* The nucleus in libint's quantities: P - C and
 *   (s | 1/|r - C| | s)^(m) = 2 pi/p weight F_m(p |P - C|^2), m <= l(bra) + l(ket). */
static void prepare_nucleus(struct one_electron *engine, int n, int max_m, double charge,
                            const double C[3])
{
    double F[2 * BASIS_MAX_L + 1];
    for (int i = 0; i < n; i++) {
        const struct pair *pair = &engine->pairs[i];
        Libint_t *primitive = &engine->primitives[i];
        double x = pair->P[0] - C[0], y = pair->P[1] - C[1], z = pair->P[2] - C[2];
        boys(max_m, pair->p * (x * x + y * y + z * z), F);
        primitive->PC_x[0] = x;
        primitive->PC_y[0] = y;
        primitive->PC_z[0] = z;
        double *s_integrals = (double *)((char *)primitive + FIRST_S_INTEGRAL);
        double factor = -charge * 2 * M_PI / pair->p * pair->weight;
        for (int m = 0; m <= max_m; m++)
            s_integrals[m] = factor * F[m];
    }
}

static void prepare_transfer(struct one_electron *engine, int n, const struct shell *bra,
                             const struct shell *ket)
{
    const double *A = bra->center, *B = ket->center;
    for (int i = 0; i < n; i++) {
        Libint_t *primitive = &engine->primitives[i];
        primitive->AB_x[0] = A[0] - B[0];
        primitive->AB_y[0] = A[1] - B[1];
        primitive->AB_z[0] = A[2] - B[2];
        primitive->BA_x[0] = B[0] - A[0];
        primitive->BA_y[0] = B[1] - A[1];
        primitive->BA_z[0] = B[2] - A[2];
    }
}

void one_electron_nuclear(struct one_electron *engine, const struct molecule *molecule,
                          const struct shell *bra, const struct shell *ket, double *block)
{
    int n = prepare_pairs(engine, bra, ket, 1, block);
    if (n == 0)
        return;
    prepare_transfer(engine, n, bra, ket);
    libint2_init_elecpot(engine->primitives, engine->max_l, engine->stack);
    size_t size = (size_t)n_cartesians(bra->l) * (size_t)n_cartesians(ket->l);
    double *sum = engine->cartesian;
    memset(sum, 0, size * sizeof *sum);
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *atom = &molecule->atoms[a];
        if (atom->charge == 0)
            continue;
        prepare_nucleus(engine, n, bra->l + ket->l, atom->charge, atom->position);
        if (bra->l + ket->l == 0) {
            for (int i = 0; i < n; i++)
                sum[0] += engine->primitives[i]._aB_s___0___ElecPot_s___0___Ab__up_0[0];
            continue;
        }
        const double *part = run_libint(engine, libint2_build_elecpot[bra->l][ket->l], n, 0);
        for (size_t i = 0; i < size; i++)
            sum[i] += part[i];
    }
    map_block(bra, ket, sum, block);
}
