/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of the factors of contractions: blocks that this process sees in place, others prefetched; reduced
 * where the layout asks for it. Fetched and reduced blocks are cached within a budget and shared by all
 * contractions. */
#pragma once

#include "support/arrays/item_cache.h"
#include "support/base/status.h"
#include "tce/contraction/contraction.h"
#include "tce/contraction/contraction_sums.h"

#include <stdint.h>

enum operand { OPERAND_A, OPERAND_B, N_OPERANDS };

/* A factor: operand A or B of one of the contractions. */
struct operand_place {
    int term;
    enum operand operand;
};

struct operand_blocks;

/* Blocks of the constant factors of one contraction, which stay from one operand_blocks to the
 * next; begins as zeros, ends with item_cache_destroy. */
struct kept_blocks {
    struct block_buffers *buffers;
    int64_t bytes;
    struct item_cache *cache;    /* NULL before the first operand_blocks */
    struct operand_blocks *user; /* that loads */
};

/* sums      borrowed, with its problems, whose tensors exist and are not written meanwhile
 * settings  with buffers
 * kept      borrowed; of this contraction
 * Errors: STATUS_NO_MEMORY; operand_blocks_destroy follows then, too. */
enum status operand_blocks_create(const struct contraction_sums *sums,
                                  const struct contraction_settings *settings,
                                  struct kept_blocks *kept, struct operand_blocks **blocks);
void operand_blocks_destroy(struct operand_blocks *blocks);

/* Upper bound of the bytes of blocks in use, where none has more than max_block elements; cached
 * blocks count against the settings' budget. */
int64_t operand_blocks_bytes(int64_t max_block);

/* Prefetches a block that will soon be pinned, unless this process has it; one A and one B at a
 * time. block, here and below: of the factor's block_index. Not collective. */
void operand_blocks_announce(struct operand_blocks *blocks, struct operand_place place,
                             const struct stored_block *block);

/* The elements: reduced, in the order of the operand's layout; else the stored block's as they lie. Stays
 * until it is released. One A and one B may be pinned at a time. Not collective. Errors: STATUS_NO_MEMORY. */
enum status operand_blocks_pin(struct operand_blocks *blocks, struct operand_place place,
                               const struct stored_block *block, const double **elements);
void operand_blocks_release(struct operand_blocks *blocks, struct operand_place place,
                            const struct stored_block *block);
