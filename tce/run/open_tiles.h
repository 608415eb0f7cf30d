/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles that some indices of an operand may have when those of its other indices are known.
 *
 * The tiles that are known leave a label, which the open ones must bring together: for each label the tuples of
 * tiles of the open indices are numbered in lexicographic order. An index counts with all its occurrences in the
 * operand. */
#pragma once

#include "support/base/status.h"
#include "tce/run/blocks.h"
#include "tce/tensor/block_index.h"

#include <stdint.h>

/* Labels that tiles bring together, or must still do. */
struct tile_label {
    int irrep, spin;
};

struct open_tiles {
    const struct block_labels *labels; /* of the operand; borrowed */
    struct index_list own;             /* its indices, one for each place */
    struct index_list known, open;     /* these, each once */
    /* Their spaces with the labels that they have in the operand; first and name are borrowed. */
    struct index_space known_space[MAX_RANK], open_space[MAX_RANK];
    int max_spin;                /* that open tiles bring together */
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
