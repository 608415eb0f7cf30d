/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two groups of shells as sums of Hermite Gaussians, for the scheme of McMurchie and
 * Davidson.
 *
 * A product of primitives of exponents a and b, zeta = a + b at P, is
 *   sum_tuv E_tuv d^t/dPx^t d^u/dPy^u d^v/dPz^v exp(-zeta |r - P|^2),  t + u + v <= l_a + l_b
 * for each pair of functions of the groups. The integral over two such products is
 *   (ab|cd) = sum_tuv E^ab_tuv sum_xyz (-1)^(x+y+z) E^cd_xyz R_(t+x, u+y, v+z)
 * with the Hermite integrals R of the two exponents and centres (hermite_kernels.h). Here E holds
 * the contraction coefficients and the maps from Cartesians to functions, too.
 *
 * Which E can differ from zero is a pattern that depends on the types of the groups alone. Each
 * primitive product of a class is stored as a record of doubles: HERMITE_ZETA, HERMITE_WEIGHT,
 * HERMITE_P (3), then from HERMITE_TERMS on the E of the pattern's terms.
 *
 * Source: McMurchie & Davidson, J. Comput. Phys. 26, 218 (1978); Helgaker, Jorgensen & Olsen,
 * Molecular Electronic-Structure Theory (2000), sections 9.5 and 9.9. */
#pragma once

#include "basis/input/basis_set.h"
#include "basis/integrals/shell_groups.h"

#include <assert.h>
#include <stdint.h>

enum {
    HERMITE_MAX_L = BASIS_MAX_L, /* of a shell */
    HERMITE_MAX_ORDER = 2 * HERMITE_MAX_L,
    HERMITE_MAX_COUNT = 286,     /* hermite_count(HERMITE_MAX_ORDER) */
    HERMITE_MAX_FUNCTIONS = 441, /* two Cartesian h shells */
    /* Above 121 HERMITE_MAX_COUNT, two spherical h shells; two Cartesian ones have 24,843. */
    HERMITE_MAX_TERMS = 34816,
};

/* Offsets in a record. */
enum { HERMITE_ZETA, HERMITE_WEIGHT, HERMITE_P, HERMITE_TERMS = HERMITE_P + 3 };

/* R_tuv is at offset t STRIDE_T + u STRIDE_U + v of an array. With these strides all offsets up to
 * an order differ, and the offset of a sum of indices is the sum of their offsets. Two layouts: the
 * short one for orders up to 12, kets of order up to HERMITE_SHORT_KET; the long one for all, up to
 * 2 HERMITE_MAX_ORDER. In both STRIDE_T is (n + 1)(n + 2) / 2 and STRIDE_U is n less, n the order. */
enum hermite_layout { HERMITE_SHORT, HERMITE_LONG, HERMITE_N_LAYOUTS };
enum {
    HERMITE_SHORT_KET = 6,
    HERMITE_SHORT_U = 79,
    HERMITE_SHORT_T = 91,
    HERMITE_LONG_U = 211,
    HERMITE_LONG_T = 231,
};
static_assert(HERMITE_LONG_T == (2 * HERMITE_MAX_ORDER + 1) * (2 * HERMITE_MAX_ORDER + 2) / 2,
              "strides of the highest order");

/* The layout for quartets with a ket of this order, which is not below the bra's. */
static inline enum hermite_layout hermite_layout_of_ket(int ket_order)
{
    return ket_order <= HERMITE_SHORT_KET ? HERMITE_SHORT : HERMITE_LONG;
}

/* Elements after hermite_pattern's columns, for kernels that take several at once. */
enum { HERMITE_COLUMN_PADDING = 31 };

/* The number of (t, u, v) with t + u + v <= order; they are numbered by t + u + v, then by t
 * descending, then by u descending. */
static inline int hermite_count(int order)
{
    return (order + 1) * (order + 2) * (order + 3) / 6;
}

/* The terms E_tuv that can differ from zero. Function f is a pair (function of the first group,
 * function of the second); its terms are numbers first[f] to first[f + 1]: below odd[f] with even
 * t + u + v, from there on with odd. */
struct hermite_pattern {
    struct group_type type[2];
    int order;           /* the sum of the highest l */
    int n_functions;     /* pairs of them, the second group's fastest */
    int n_terms;         /* of all functions */
    int record;          /* doubles of a record, a multiple of 8 */
    const double *empty; /* a record of no product: its weight is NaN, which no comparison keeps */
    uint16_t first[HERMITE_MAX_FUNCTIONS + 1];
    uint16_t odd[HERMITE_MAX_FUNCTIONS];
    uint16_t number[HERMITE_MAX_TERMS];                   /* of (t, u, v) */
    uint16_t place[HERMITE_N_LAYOUTS][HERMITE_MAX_TERMS]; /* offset of R_tuv */
    /* Offset of R_tuv in the long layout by number of (t, u, v); zeros follow. */
    uint16_t columns[HERMITE_MAX_COUNT + HERMITE_COLUMN_PADDING];
};

/* The pattern of two types; NULL if there is no memory. Built on the first call, then constant: make
 * that call before starting threads. */
const struct hermite_pattern *hermite_pattern(const struct group_type *first,
                                              const struct group_type *second);

/* A product of primitives, in the quantities of shell_pairs.h. */
struct hermite_product {
    double zeta, weight;
    double P[3], PA[3], PB[3];
    const double *factors; /* of each shell of the first group with each of the second */
};

/* Sets a record of the pattern. */
void hermite_set_record(const struct hermite_pattern *pattern,
                        const struct hermite_product *product, double *record);
