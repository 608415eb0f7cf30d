/* SPDX-License-Identifier: BSD-3-Clause */
/* The products of a tuple of tiles, step by step. Which blocks exist and which meet depends on the labels
 * of the tuple's tiles alone: tuples with the same labels share one list of blocks and products. */
#pragma once

#include "support/base/status.h"
#include "tce/run/contraction_tasks.h"
#include "tce/run/tile_loop.h"

#include <stdint.h>

/* Blocks of a local tensor, by the tiles of its places; those of the loop's indices are left open. */
struct local_blocks {
    int n;
    int32_t (*at)[MAX_RANK];
};

struct loop_product {
    int32_t tile[MAX_INDICES];  /* of every index but those of the loop */
    int block[N_LOOP_OPERANDS]; /* of local tensors, positions in their lists; else -1 */
};

/* Products that are added up in one block of a local tensor, or in a scalar. */
struct loop_target {
    int block; /* position in the list; -1: a scalar */
    int first, end;
    int32_t at[MAX_RANK]; /* the tiles of C */
};

struct loop_products {
    struct tile_label label[TILE_LOOP_MAX_INDICES]; /* of the tuple's tiles */
    struct local_blocks *locals;                    /* n_tensors; empty for stored ones */
    int *first_target; /* n_steps + 1: of a step, those of a local tensor block by block */
    int n_targets, n_products;
    struct loop_target *targets;
    struct loop_product *products;
};

/* For the labels of this tuple. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; loop_products_fini follows then,
 * too. */
enum status loop_products_init(const struct tile_loop_problem *problem, const int32_t tuple[],
                               struct loop_products *products);
void loop_products_fini(const struct tile_loop_problem *problem, struct loop_products *products);

/* Lists of products by labels, made as they are asked for. */
struct loop_product_lists {
    const struct tile_loop_problem *problem; /* borrowed */
    int n;
    struct loop_products *list;
};

/* Those of a tuple; valid until the next call. Errors: those of loop_products_init. */
enum status loop_product_lists_find(struct loop_product_lists *lists, const int32_t tuple[],
                                    const struct loop_products **found);
void loop_product_lists_fini(struct loop_product_lists *lists);

/* The tile of an index in a product of a tuple. */
static inline int32_t loop_product_tile(const struct tile_loop_step *step,
                                        const struct loop_product *product, const int32_t tuple[],
                                        int index)
{
    return step->loop_index[index] >= 0 ? tuple[step->loop_index[index]] : product->tile[index];
}
