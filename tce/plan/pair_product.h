/* SPDX-License-Identifier: BSD-3-Clause */
/* A product A * B over chosen pairs with given signs: its indices and operands are those of another
 * product, in which a pair is one index of a space of pairs. */
#pragma once

#include "support/base/status.h"
#include "tce/plan/pair_choice.h"
#include "tce/plan/plan.h"
#include "tce/plan/product.h"

struct pair_product {
    struct product product;     /* of two factors, whose operands are A and B, into C; owned */
    const struct product *full; /* borrowed */
    const struct pair_choice *choice; /* borrowed */
    const int8_t *sign;               /* of its pairs; borrowed */
    int *number;                      /* in the product, of each index of the full one */
    const struct pair_space *pairs[PAIRS_MAX];
};

/* Adds to the plan the spaces of pairs that are new. A, B, C: operands of the full product.
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; pair_product_fini follows then, too. */
enum status pair_product_init(struct plan *plan, const struct product *full,
                              const struct pair_choice *choice, const int8_t *sign,
                              const struct product_operand *A, const struct product_operand *B,
                              const struct product_operand *C, struct pair_product *made);
void pair_product_fini(struct pair_product *made);

/* How an operand of the full product is packed into that of this one.
 * weighted  the pairs that are summed over have weights */
void pair_product_packing(const struct pair_product *pairs, const struct pair_factor *factor,
                          bool weighted, struct packing *packing);
