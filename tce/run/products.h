/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of the blocks of a step's factors, added up in a block or a scalar: what every task consists of. */
#pragma once

#include "taskpool/taskpool.h"
#include "tce/run/block_pairs.h"
#include "tce/run/operands.h"

#include <stdbool.h>
#include <stdint.h>

/* Where products are added up. */
struct product_target {
    double *elements;
    bool add; /* to what is there; true after a product */
};

/* A product of a step: blocks of its factors. */
struct step_product {
    const struct block_pairs *step; /* as given to products_create */
    struct stored_block block[2];   /* of A and B */
    const double *local[2];         /* elements of a factor that is not stored; else NULL */
    int64_t extent[MAX_INDICES];    /* of the indices' tiles; 1 for those that the step lacks */
};

struct products;

/* Products that are pinned and multiplied together, at most: those that follow each other with the same
 * rows and columns cost one addition to their target (dense_product.h). */
enum { PRODUCTS_MAX_TOGETHER = 16 };

/* steps     n of them, borrowed; tensors of factors that are not local exist and are not written meanwhile
 * views     of A and B of each step, or NULL
 * settings  with buffers
 * polled    taskpool_poll after products; NULL: none
 * Errors: STATUS_NO_MEMORY; products_destroy follows then, too. */
enum status products_create(int n, const struct block_pairs steps[], struct factor_view (*views)[2],
                            const struct contraction_settings *settings, int n_together,
                            struct taskpool *polled, struct products **products);
void products_destroy(struct products *products);

/* Bytes of its scratch. */
int64_t products_bytes(void);

/* Adds a product to the target, now or with products_run. next: a product that will follow, whose blocks are
 * prefetched; NULL: none. Errors: STATUS_NO_MEMORY. */
enum status products_add(struct products *products, const struct step_product *product,
                         const struct step_product *next, struct product_target *target);

/* Multiplies what is left: before another target, and in the end. */
void products_run(struct products *products);
