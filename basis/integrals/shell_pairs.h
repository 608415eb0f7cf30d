/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two groups of contracted shells (shell_groups.h), precomputed for two-electron
 * integrals.
 *
 * The product of primitives a exp(-alpha |r-A|^2), b exp(-beta |r-B|^2) is a Gaussian of exponent
 * zeta = alpha + beta at P = (alpha A + beta B) / zeta. Quantities of one side of a quartet are
 * computed once per pair:
 *     factor = sqrt(2) pi^(5/4) c_a c_b exp(-alpha beta / zeta |A-B|^2) / zeta
 * so that (ss|ss) = factor_bra factor_ket F_0(T) / sqrt(zeta + eta). The shells of two groups
 * differ in c_a and c_b alone. In the pair of a group with itself the products of primitives (i, j)
 * and (j, i) are stored once, with the sum of their factors.
 * Source: Obara & Saika, J. Chem. Phys. 84, 3963 (1986), eq. 44.
 *
 * Pairs come in classes of two types of groups, so that a vectorised integral engine can treat all
 * pairs of a class alike. */
#pragma once

#include "basis/integrals/hermite_pairs.h"
#include "basis/integrals/shells.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Primitive products of a class, one array per quantity, on boundaries of 64 bytes: after the last
 * product up to a multiple of PRODUCT_BLOCK follow some of factor 0. */
enum { PRODUCT_BLOCK = 8 };
struct primitive_products {
    double *zeta;
    double *half_inverse; /* 1 / (2 zeta) */
    double *factors;      /* n_factors of each product */
    double *weight;       /* estimate of the largest contribution to an integral: the largest of
                           * |factor| times (|PA| + 1 / sqrt(2 zeta)) for every power of r - A, and
                           * alike for B, where that is larger than 1 */
    double *P[3];         /* Bohr */
    double *PA[3];        /* P - A, A the centre of the pair's first group */
};

enum { PAIR_KINDS_MAX = 64 };

/* One pair; first is the group of higher type (of equal ones, the one it was given as first). */
struct shell_pair {
    int32_t first, second;   /* indices into the groups */
    int32_t function[2];     /* their first basis functions */
    bool swapped;            /* first and second were given in the other order */
    uint8_t kind;            /* rank of its n_primitives among the class's kinds */
    double bound;            /* Schwarz: two_electron_bounds */
    double AB[3];            /* A - B */
    int32_t first_primitive; /* of n_primitives products in the class's arrays, most */
    int32_t n_primitives;    /*   important (largest weight) first */
};

struct pair_class {
    const struct group_type *type[2]; /* of the first and the second groups */
    int l_first, l_second;            /* their highest; l_first >= l_second */
    int n_first, n_second;            /* functions of each group */
    int n_factors;                    /* shells of the first group times shells of the second */
    int32_t first_pair, n_pairs;      /* first_pair: its number over all classes */
    int32_t max_primitives;           /* largest n_primitives of a pair */
    int n_kinds;                      /* different n_primitives; the largest are one kind */
    struct shell_pair *pairs;         /* by descending bound */
    bool has_squares;                 /* pairs of a group with itself */
    struct primitive_products products;
    bool single; /* one product a pair: product i belongs to pair i */
    const struct hermite_pattern *pattern;
    double *records; /* of the pattern, one a product, see pair_class_make_records */
};

/* All pairs of a rectangle of groups, by class. */
struct shell_pairs {
    const struct shells *shells; /* of the groups; borrowed */
    int n_classes;
    struct pair_class *classes;
    double max_bound;
    int64_t bytes; /* of everything here */
    void *storage;
};

/* The rectangle: bra groups [first[0], last[0]) with ket groups [first[1], last[1]).
 * triangle keeps of a square only the pairs whose bra index is not below the
 * ket index. Pairs whose bound is below min_bound are left out, and so are
 * primitive products with a weight below PRODUCT_CUTOFF (shell_pairs.c). */
struct shell_rectangle {
    int64_t first[2];
    int64_t last[2];
    bool triangle;
};

/* Bytes of a product of primitives of two groups, first the one of higher type. */
int64_t shell_pair_product_bytes(const struct group_type *first, const struct group_type *second);

/* bounds: row-major, (last[0] - first[0]) x (last[1] - first[1]); NULL sets
 * every bound to infinity (for computing the bounds themselves).
 * Errors: STATUS_NO_MEMORY. */
enum status shell_pairs_create(const struct shells *shells, const struct shell_rectangle *rectangle,
                               const double *bounds, double min_bound, struct shell_pairs **pairs);
void shell_pairs_destroy(struct shell_pairs *pairs);

/* Makes the class's records, unless they are made. Records take most of the time of making pairs; classes
 * without a computed quartet need none, nor do engines that read no records. One thread at a time for a class. */
void pair_class_make_records(const struct pair_class *class);
