/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of blocks that a step multiplies for a block of C, from labels alone: for each tuple of tiles that A
 * leaves open, in lexicographic order, a block of A and the block of B, whose tiles are known then.
 *
 * In addition to C's indices a task may fix the indices of a loop over tiles or, for a scalar C,
 * all of A's. */
#pragma once

#include "support/base/status.h"
#include "tce/run/contraction.h"
#include "tce/tensor/block_index.h"

#include <stdbool.h>
#include <stdint.h>

/* --- open tiles --- */

/* The possible tiles of an operand's open indices, given the tiles of its other indices. The known
 * tiles leave a label that the open tiles must add up to. For each label the tuples of tiles of the
 * open indices are numbered in lexicographic order. An index counts with all its occurrences in the
 * operand. */
struct open_tiles {
    const struct block_labels *labels; /* of the operand; borrowed */
    struct index_list own;             /* its indices, one for each place */
    struct index_list known, open;     /* these, each once */
    /* Their spaces with the labels that they have in the operand; first and name are borrowed. */
    struct index_space known_space[MAX_RANK], open_space[MAX_RANK];
    int max_spin;                /* largest |label| of spin that open tiles can add up to */
    struct block_index **tuples; /* (2 max_spin + 1) x N_IRREPS */
};

/* is_known  by index number. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; open_tiles_fini follows then, too. */
enum status open_tiles_init(const struct block_labels *labels, const struct index_list *own,
                            const bool is_known[MAX_INDICES], struct open_tiles *tiles);
void open_tiles_fini(struct open_tiles *tiles);

/* The tuples that go with the tiles of the known indices. Borrowed; NULL: none. */
const struct block_index *open_tiles_find(const struct open_tiles *tiles,
                                          const int32_t tile[MAX_INDICES]);

/* Sets the open indices' tiles to the tuple of that number, which follows the one that is in tile. */
void open_tiles_step(const struct open_tiles *tiles, const struct block_index *tuples,
                     int64_t number, int32_t tile[MAX_INDICES]);

/* --- pairs of blocks --- */

/* All that the walks of a step need. Blocks of local factors are not looked up. */
struct block_pairs {
    const struct contraction_problem *problem; /* borrowed */
    struct contraction_indices indices;
    struct block_index *A, *B; /* NULL where local; B also without B */
    struct open_tiles of_A, of_B;
};

/* problem   borrowed until block_pairs_fini
 * is_fixed  by index number: indices that a task fixes beside C's; NULL: none
 * local     whether A and B are local to a loop; NULL: none
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; block_pairs_fini follows then, too. */
enum status block_pairs_init(const struct contraction_problem *problem,
                             const bool is_fixed[MAX_INDICES], const bool local[2],
                             struct block_pairs *pairs);
void block_pairs_fini(struct block_pairs *pairs);

/* Product of the extents of the list's indices. */
int64_t block_pairs_extent(const struct block_pairs *pairs, const struct index_list *list,
                           const int32_t tile[MAX_INDICES]);

/* Work from labels alone. */
struct task_cost {
    double flops;       /* useful ones: 2 m n k */
    double elements;    /* of blocks read and written */
    int64_t n_products; /* pairs of blocks */
};

/* Adds the cost of a product of two blocks, or of a copy of one. */
void block_pairs_add_cost(const struct block_pairs *pairs, const int32_t tile[MAX_INDICES],
                          struct task_cost *cost);

/* Whether a walk also looks up the blocks of a pair: costs need the tiles alone. */
enum pair_wants { PAIR_TILES, PAIR_BLOCKS };

/* Where a task's walk is. */
struct pair_walk {
    const struct block_pairs *pairs;
    enum pair_wants wants;
    const struct block_index *of_A; /* tuples of open tiles; NULL: none */
    int64_t next;
    int32_t tile[MAX_INDICES];    /* of every index */
    struct stored_block block[2]; /* of A and B; -1 where it is not looked up */
};

/* tile  of C's indices and of those that the task fixes, by index number */
void pair_walk_begin(const struct block_pairs *pairs, const int32_t tile[MAX_INDICES],
                     enum pair_wants wants, struct pair_walk *walk);

/* Steps to the next pair; false at the end. */
bool pair_walk_next(struct pair_walk *walk);

/* The extents of all indices in the pair that the walk is at; 1 for those that the step lacks. */
void pair_walk_extents(const struct pair_walk *walk, int64_t extent[MAX_INDICES]);
