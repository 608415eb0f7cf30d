/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs of indices of a product A * B run over p >= q or p > q only.
 *
 * Take pairs of indices such as (a, b) and (c, d) of A[abcd] and (c, d) and (i, j) of B[cdij]. A is the sum
 * of its parts that are symmetric (+1) or antisymmetric (-1) in each of its pairs, and so is B. A symmetry
 * of A that exchanges some of its pairs at once, with a sign, leaves those parts of A the product of
 * whose signs in these pairs is that sign; likewise of B. The product is the sum, over the signs of all
 * pairs that are left, of the products of parts. Each of these runs over each pair once: with k pairs it
 * takes 2^-k of the operations. So every independent condition halves them:
 *   - t antisymmetric in c and d: 1/2; in i and j, too: 1/4;
 *   - A[abcd] = A[badc] and B[cdij] = B[dcji]: two of eight combinations of signs, 1/4. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/product.h"
#include "tce/tensor/symmetry.h"

#include <stdbool.h>
#include <stdint.h>

enum { PAIRS_MAX = 4, PAIRS_MAX_COMBINATIONS = 1 << PAIRS_MAX };

/* Two indices of the product, numbers of product->index. */
struct index_pair {
    int index[2];
};

/* A factor with its symmetry, by the places of its operand. */
struct pair_factor {
    const struct product_operand *operand;
    const struct symmetry *symmetry; /* NULL: none */
};

struct pair_choice {
    int n;
    struct index_pair pair[PAIRS_MAX];
    int n_combinations;
    int8_t sign[PAIRS_MAX_COMBINATIONS][PAIRS_MAX];
};

/* Pairs exchanged at once: bits of choice->pair or of candidates, and the sign that this gives. */
struct pair_flip {
    uint64_t pairs;
    int sign;
};

/* The search of all choices. Sets of candidates are bits of 64; symmetries that exchange further pairs have no
 * part in the search, which costs operations alone. */
enum { PAIRS_MAX_CANDIDATES = 63 };
struct pair_search {
    const struct product *product;
    const struct product_operand *C;
    const struct pair_factor *factor[2];
    int n; /* pairs that symmetries exchange */
    struct index_pair candidate[PAIRS_MAX_CANDIDATES];
    /* Those that a symmetry of a factor exchanges at once. */
    int n_flips[2];
    struct pair_flip *flips[2];
    uint64_t set; /* candidates of the choice at hand */
};

/* All borrowed until pair_search_fini, which follows in any case.
 * C  the operand that the product makes
 * Errors: STATUS_NO_MEMORY. */
enum status pair_search_init(const struct product *product, const struct pair_factor *A,
                             const struct pair_factor *B, const struct product_operand *C,
                             struct pair_search *search);
void pair_search_fini(struct pair_search *search);

/* The next choice that takes fewer operations; false: there is none. */
bool pair_search_next(struct pair_search *search, struct pair_choice *choice);

/* The fraction of operations that are left, but for pairs of equal values. */
double pair_choice_fraction(const struct pair_choice *choice);

/* The exchanges of chosen pairs that are symmetries of a factor, the empty one among them; their
 * number, at most 2^PAIRS_MAX, is returned. */
int pair_choice_flips(const struct pair_choice *choice, const struct pair_factor *factor,
                      struct pair_flip flips[PAIRS_MAX_COMBINATIONS]);

/* The pairs that an operand has, as bits. */
unsigned pair_choice_in(const struct pair_choice *choice, const struct product_operand *operand);
