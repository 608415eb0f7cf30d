/* SPDX-License-Identifier: BSD-3-Clause */
/* The tuples of tiles that a contraction sums over, by the labels that they must bring
 * together in one operand: a block_index for each irrep and each sum of spins. */
#ifndef BERYL_TCE_SUMMED_TILES_H
#define BERYL_TCE_SUMMED_TILES_H

#include "support/base/status.h"
#include "tce/contraction/contraction_indices.h"
#include "tce/tensor/block_index.h"

/* Labels that tiles bring together, or must still do. */
struct tile_label {
    int irrep, spin;
};

/* The label of a tile of an index in an operand, summed over all its occurrences there. */
struct tile_label tile_label_in(const struct block_labels *labels, const struct index_list *own,
                                int index, int32_t tile);

struct summed_tiles;

/* labels, own  of the operand that counts
 * summed       the indices that are summed over, each once, in the order of the tuples;
 *              copied
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status summed_tiles_create(const struct block_labels *labels, const struct index_list *own,
                                const struct index_list *summed, struct summed_tiles **tiles);
void summed_tiles_destroy(struct summed_tiles *tiles);

/* Borrowed; NULL if there are no tuples with this label. */
const struct block_index *summed_tiles_with(const struct summed_tiles *tiles,
                                            struct tile_label label);

#endif
