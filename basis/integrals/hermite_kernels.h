/* SPDX-License-Identifier: BSD-3-Clause */
/* Electron-repulsion integrals of n_lanes <= QUARTET_LANES quartets at once, one in each lane of
 * the processor's vectors. hermite_kernels.c is compiled for each kind of vectors; the arithmetic of a
 * lane is the same in all lanes and does not depend on the others.
 *
 * For each primitive quartet the Hermite integrals
 *   R_tuv = d^t/dx^t d^u/dy^u d^v/dz^v of F_0(rho r^2) / sqrt(zeta + eta) at r = P - Q,
 *   rho = zeta eta / (zeta + eta),
 * follow from the Boys functions by R^m_(t+1)uv = t R^(m+1)_(t-1)uv + x R^(m+1)_tuv,
 * R^m_000 = (-2 rho)^m F_m(rho r^2) / sqrt(zeta + eta). Then, summed over the bra's primitives,
 *   Y_f,xyz = sum_tuv E^bra_f,tuv R_(t+x, u+y, v+z),
 * and over the ket's, (f|g) = sum_xyz (-1)^(x+y+z) E^ket_g,xyz Y_f,xyz (hermite_pairs.h). The side
 * of lower angular momentum is the bra: its step is repeated for every primitive quartet.
 *
 * Source: McMurchie & Davidson, J. Comput. Phys. 26, 218 (1978), eqs. 4.6 to 4.8. */
#pragma once

#include "basis/integrals/hermite_pairs.h"
#include "basis/integrals/two_electron.h"

/* The records of one side's pairs, most important first. */
struct hermite_side {
    const struct hermite_pattern *pattern;
    int64_t step; /* doubles from a record of a lane to its next one */
    const double *records[QUARTET_LANES];
    int n_records[QUARTET_LANES]; /* 0: the lane is not in use */
};

/* A product of two s primitives, in the quantities of shell_pairs.h. */
struct s_product {
    double zeta, factor, P[3];
};

/* Many such products: arrays of blocks of QUARTET_LANES. */
struct s_products {
    const double *zeta, *factor, *P[3];
};

/* The highest of the patterns that quartets may have on either side. */
struct hermite_limits {
    int order, n_functions, record;
};

struct hermite_kernels {
    int n_lanes; /* quartets at once, a divisor of QUARTET_LANES */

    /* Scratch of one caller, its bytes and itself, for `free`; NULL if there is no memory. It has
     * room for R, for Y and for the records of one primitive quartet in lanes: for spherical shells
     * up to h 1.3 MB, 2.6 MB and 5.3 MB with 2, 4 and 8 lanes, for any numbers of primitives. */
    int64_t (*scratch_bytes)(const struct hermite_limits *limits);
    void *(*create_scratch)(const struct hermite_limits *limits);

    /* Integrals of n_lanes quartets.
     * cutoff     primitive quartets of a smaller product of weights are left out
     * integrals  number i of lane k at [i * QUARTET_LANES + k], i as in two_electron_compute;
     *            aligned to n_lanes doubles; all lanes are set, those not in use to 0 */
    void (*compute)(const struct hermite_side *bra, const struct hermite_side *ket, double cutoff,
                    void *scratch, double *integrals);

    /* (ss|ss) of one product with blocks of others: integrals[k] is that with product number k of
     * kets. Other elements of integrals stay.
     * blocks  numbers of the n_blocks blocks of kets */
    void (*compute_s_row)(const struct s_product *bra, const struct s_products *kets,
                          const int32_t *blocks, int32_t n_blocks, double *integrals);
};

extern const struct hermite_kernels hermite_kernels_baseline; /* 2 lanes */
extern const struct hermite_kernels hermite_kernels_avx2;     /* 4; x86-64 with AVX2 and FMA */
extern const struct hermite_kernels hermite_kernels_avx512;   /* 8; x86-64-v4 */
