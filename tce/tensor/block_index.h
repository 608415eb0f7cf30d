/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks of a tensor that its labels allow, numbered without a list.
 *
 * A block is a tuple of tiles, one per index. It exists if
 *     irrep(t_0) x irrep(t_1) x ... = the tensor's irrep  and
 *     sum of spin(t_d), upper indices, - sum of spin(t_d), lower ones = the tensor's spin.
 * Existing blocks are numbered in lexicographic order of their tuples. The number of a
 * tuple is the sum over d of how many existing tuples agree with it before d and are
 * smaller at d: a table look-up for each index. So 10^10 blocks cost a few kilobytes.
 *
 * A symmetry of the tensor makes blocks of one another. Labels that have one leave of those only
 * the block whose tuple is the last, as (a, b) with a >= b is of (a, b) and (b, a): it is stored, and the
 * others are read from it. Stored blocks are numbered among themselves, by a list. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/index_space.h"
#include "tce/tensor/symmetry.h"

#include <stdbool.h>
#include <stdint.h>

/* The labels that decide which blocks exist. */
struct block_labels {
    int rank;                                  /* in [0, MAX_RANK] */
    const struct index_space *space[MAX_RANK]; /* borrowed */
    int8_t sign[MAX_RANK];                     /* of its spin: +1 upper, -1 lower, 0 left out */
    int irrep;
    int spin;
    /* Exchanges places of one space and one sign; borrowed. NULL: all blocks are stored. */
    const struct symmetry *symmetry;
};

struct block_index;

/* A tensor of rank 0 has one block if its own labels are 0, else none.
 * labels  copied. Errors: STATUS_NO_MEMORY, STATUS_LIMIT (more than 2^62 blocks). */
enum status block_index_create(const struct block_labels *labels, struct block_index **index);
void block_index_destroy(struct block_index *index);

const struct block_labels *block_index_labels(const struct block_index *index);

/* Number of blocks that exist and are stored. */
int64_t block_index_n(const struct block_index *index);

/* Number of those that exist. */
int64_t block_index_n_tuples(const struct block_index *index);

/* Bytes of the list of stored blocks. */
double block_index_bytes(const struct block_index *index);

/* The tiles of a block in [0, n). */
void block_index_tuple(const struct block_index *index, int64_t block, int32_t tile[]);

/* A walk over the tuples that exist, stored or not, in order: sets the tiles of the first, or of
 * the one after an existing one. False at the end; the tiles are unchanged then. A step is several
 * times faster than block_index_tuple. */
bool block_index_first(const struct block_index *index, int32_t tile[]);
bool block_index_next(const struct block_index *index, int32_t tile[]);

/* The block of a tuple; -1 if it does not exist or is not stored itself. */
int64_t block_index_number(const struct block_index *index, const int32_t tile[]);

/* The stored block with the elements of a tuple's block. */
struct stored_block {
    int64_t block; /* -1: none exists */
    int64_t tuple; /* the number of the tuple among all that exist */
    /* The permutation, an element of the symmetry, that makes it of the tuple's block: its place d is place
     * permutation.place[d] there, and its elements are those there times permutation.sign. 0: it is that block. */
    int image;
};
struct stored_block block_index_find(const struct block_index *index, const int32_t tile[]);

/* The permutation of that number. */
struct signed_permutation block_index_image(const struct block_index *index, int image);

/* Elements of a block: the product of its tiles' sizes. */
int64_t block_index_size(const struct block_index *index, const int32_t tile[]);
