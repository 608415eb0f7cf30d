/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a contraction and the products of each, from labels alone.
 *
 * A task is a block of C. It has a number among the blocks that exist in lexicographic
 * order of C's indices in an order of its own: batch indices, then in turn a row and a
 * column, so that a run of neighbours needs few different blocks of A and of B. A task of
 * a scalar is a block of A.
 *
 * A task adds up the products of pairs of blocks: for each tuple of summed tiles of A that
 * the labels allow, in lexicographic order, those of B's lone indices. */
#pragma once

#include "support/base/status.h"
#include "tce/run/contraction.h"
#include "tce/run/step_indices.h"
#include "tce/tensor/block_index.h"

#include <stdbool.h>
#include <stdint.h>

/* Labels that tiles bring together, or must still do. */
struct tile_label {
    int irrep, spin;
};

/* The tuples of tiles that are summed over, by the labels that they must bring together in one
 * operand: a block_index for each irrep and each sum of spins.
 *
 * Spaces whose labels are those that an index has in the operand, all its occurrences
 * together: their sizes and names are not looked at. */
struct summed_tiles {
    int n;
    struct index_space space[MAX_RANK]; /* first and name are borrowed or NULL */
    int max_spin;
    struct block_index **index; /* (2 max_spin + 1) x N_IRREPS */
};

/* The tensors' blocks, without their elements. */
struct contraction_tasks {
    const struct contraction_problem *problem; /* borrowed */
    struct contraction_indices indices;
    struct block_index *C, *A, *B; /* B is NULL without B */
    bool scalar;
    struct block_index *tuples; /* of the tasks: tiles in their own order */
    int place[MAX_RANK];        /* in C, of each entry of a tuple; of a scalar, in A */
    struct index_list summed_in_A, summed_in_B; /* B: what only B has */
    struct summed_tiles tiles_of_A, tiles_of_B;
};

/* One product. Without B, B.block is -1. */
struct block_pair {
    struct stored_block A, B;
    int32_t tile[MAX_INDICES]; /* of every index */
};

/* Whether a walk also looks up the blocks of a pair: costs need the tiles alone. */
enum pair_wants { PAIR_TILES, PAIR_BLOCKS };

/* Where a task's walk is. */
struct pair_walk {
    const struct contraction_tasks *tasks;
    enum pair_wants wants;
    const struct block_index *of_A, *of_B; /* tuples of this task; NULL: none */
    int64_t next_A, next_B;
    struct tile_label left_in_B; /* what the tiles that the task fixes leave */
    struct block_pair pair;
};

/* problem  borrowed until contraction_tasks_fini
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; contraction_tasks_fini follows then, too. */
enum status contraction_tasks_init(const struct contraction_problem *problem,
                                   struct contraction_tasks *tasks);
void contraction_tasks_fini(struct contraction_tasks *tasks);

int64_t contraction_tasks_n(const struct contraction_tasks *tasks);

/* The block of C that a task makes, and its tiles; of a scalar 0, and the tiles of the block
 * of A. */
int64_t contraction_tasks_block(const struct contraction_tasks *tasks, int64_t task,
                                int32_t at[MAX_RANK]);

/* Values of each index of a list, together. */
int64_t contraction_tasks_extent(const struct contraction_tasks *tasks,
                                 const struct index_list *list, const int32_t tile[MAX_INDICES]);

/* Operations of the product of two blocks; 0 without B. */
double contraction_tasks_flops(const struct contraction_tasks *tasks,
                               const int32_t tile[MAX_INDICES]);

/* at  from contraction_tasks_block, of this contraction or of one with the same C */
void pair_walk_begin(const struct contraction_tasks *tasks, const int32_t at[MAX_RANK],
                     enum pair_wants wants, struct pair_walk *walk);

/* Steps to the next pair; false at the end. */
bool pair_walk_next(struct pair_walk *walk);
