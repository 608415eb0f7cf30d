/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of the stored factors of steps, as their products read them:
 *
 *     as they lie   this process reads its own and its node's in place; others are fetched, ahead of time where
 *                   asked for
 *     views         cut into the tiles of a loop and runs of equal labels, in the order in which products read
 *                   them fastest or packed as panels (product_panels.h)
 *
 * Fetched and cut blocks are cached within a budget, and shared by all steps. */
#pragma once

#include "support/arrays/item_cache.h"
#include "support/base/status.h"
#include "tce/dense/dense_product.h"
#include "tce/run/contraction.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

/* How a factor is cut otherwise than it is stored. */
struct factor_view {
    const struct block_index *blocks; /* borrowed; NULL: it is not */
    struct index_list order;          /* of its blocks */
    enum factor_form form;            /* of blocks that are not too small for it */
    int n_summed;                     /* for panels: so many of the first indices are summed over */
};

/* A factor of a step. */
struct factor {
    const struct tensor *tensor; /* borrowed; NULL: none is read */
    struct index_list own;       /* the step's indices of its places */
    struct factor_view view;
};

/* Whose blocks are to be read: A of the factors 2 s, B of 2 s + 1. */
struct operands;

/* settings: with buffers. factors: n, copied; their tensors exist and are not written meanwhile.
 * Errors: STATUS_NO_MEMORY; operands_destroy follows then, too. */
enum status operands_create(int n, const struct factor factors[],
                            const struct contraction_settings *settings,
                            struct operands **operands);
void operands_destroy(struct operands *operands);

/* Upper bound of the bytes of blocks in use, where none has more than max_block elements; cached blocks count
 * against the budget. */
int64_t operands_bytes(int64_t max_block);

/* A pinned block. */
struct operand_block {
    const double *elements;
    enum factor_form form;
    struct block_strides
        strides;      /* BY_STRIDES: its strides; panels: nonzero for the indices they have */
    int sign;         /* of the elements */
    int64_t n_stored; /* elements, of a block as it lies; 0: of a view */
};

/* Prefetches a block as it lies that will soon be pinned, unless this process has it; one A and one B at a
 * time. block, here and below: of the view or else of the tensor. Not collective. */
void operands_announce(struct operands *operands, int factor, const struct stored_block *block);

/* A block, until it is released. extent: of the indices' tiles. Not collective. Errors: STATUS_NO_MEMORY. */
enum status operands_pin(struct operands *operands, int factor, const struct stored_block *block,
                         const int64_t extent[MAX_INDICES], struct operand_block *pinned);
void operands_release(struct operands *operands, int factor, const struct stored_block *block);
