/* SPDX-License-Identifier: BSD-3-Clause */
/* Products as trees of binary contractions. For up to six factors, the tree with the fewest
 * floating-point operations is found by dynamic programming over the parts (bits of factors); among
 * equals, the one with most parts that other products have too, then the one whose intermediates
 * have the fewest elements. Beyond six factors, greedily: the next contraction is that of the pair
 * with the least size(result) - size(A) - size(B). Parts of more than MAX_RANK indices are not
 * formed.
 *
 * An index that occurs in one factor only and not in the target is summed over first, by
 * a step of its own: it reads the factor once, whatever comes after has fewer operations.
 * Only a product of one factor is summed on its way into the target.
 * Source (dynamic programming over subsets): Lam, Sadayappan, Wenger, Parallel Processing
 * Letters 7, 157 (1997). */
#pragma once

#include "tce/plan/product.h"

#include <stdbool.h>
#include <stdint.h>

/* Factors up to which all trees are considered. */
enum { FACTORIZATION_EXHAUSTIVE = 6 };

struct factorization_node {
    uint64_t part;
    int left, right;                /* nodes; -1 for a single factor */
    bool is_factor;                 /* as it is, without a step */
    double flops;                   /* of its own step */
    struct product_operand operand; /* what the step makes */
};

struct factorization {
    bool possible; /* else there are no nodes */
    int n_nodes;
    struct factorization_node *node; /* the factors first, the product last */
};

/* The use of a part by other products. */
struct part_use {
    bool known;  /* it has been computed for one of them and costs nothing */
    bool wanted; /* it occurs in others or again in this one */
};

typedef struct part_use factorization_use(void *context, uint64_t part);

/* Errors: STATUS_NO_MEMORY; nothing is then held. */
enum status factorization_init(const struct product *product, factorization_use *use, void *context,
                               struct factorization *factorization);
void factorization_fini(struct factorization *factorization);
