/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/summed_tiles.h"

#include <stdlib.h>

/* Spaces whose labels are those that an index has in the operand, all its occurrences
 * together: their sizes and names are not looked at. */
struct summed_tiles {
    int n;
    struct index_space space[MAX_RANK]; /* first and name are borrowed or NULL */
    int max_spin;
    struct block_index **index; /* (2 max_spin + 1) x N_IRREPS */
};

struct tile_label tile_label_in(const struct block_labels *labels, const struct index_list *own,
                                int index, int32_t tile)
{
    struct tile_label label = {0, 0};
    for (int d = 0; d < own->n; d++)
        if (own->index[d] == index) {
            label.irrep ^= labels->space[d]->irrep[tile];
            label.spin += labels->sign[d] * labels->space[d]->spin[tile];
        }
    return label;
}

static enum status fold_labels(const struct block_labels *labels, const struct index_list *own,
                               int index, const struct index_space *original,
                               struct index_space *folded, int *max_spin)
{
    *folded = *original;
    folded->irrep = calloc((size_t)original->n_tiles + 1, sizeof *folded->irrep);
    folded->spin = calloc((size_t)original->n_tiles + 1, sizeof *folded->spin);
    TRY(CHECK_MEMORY(folded->irrep && folded->spin, "no memory for the tiles of a summed index"));
    int largest = 0;
    for (int32_t tile = 0; tile < original->n_tiles; tile++) {
        struct tile_label label = tile_label_in(labels, own, index, tile);
        folded->irrep[tile] = (int8_t)label.irrep;
        folded->spin[tile] = (int8_t)label.spin;
        largest = abs(label.spin) > largest ? abs(label.spin) : largest;
    }
    *max_spin += largest;
    return STATUS_OK;
}

static const struct index_space *space_of_index(const struct block_labels *labels,
                                                const struct index_list *own, int index)
{
    for (int d = 0; d < own->n; d++)
        if (own->index[d] == index)
            return labels->space[d];
    return NULL;
}

static enum status index_tuples(struct summed_tiles *tiles, const struct block_labels *labels,
                                const struct index_list *own, const struct index_list *summed)
{
    struct block_labels tuples = {.rank = summed->n};
    for (tiles->n = 0; tiles->n < summed->n;) {
        int d = tiles->n++;
        TRY(fold_labels(labels, own, summed->index[d],
                        space_of_index(labels, own, summed->index[d]), &tiles->space[d],
                        &tiles->max_spin));
        tuples.space[d] = &tiles->space[d];
        tuples.sign[d] = 1;
    }
    int n_spins = 2 * tiles->max_spin + 1;
    tiles->index = calloc((size_t)(n_spins * N_IRREPS), sizeof(struct block_index *));
    TRY(CHECK_MEMORY(tiles->index, "no memory for the tuples of summed tiles"));
    for (int i = 0; i < n_spins * N_IRREPS; i++) {
        tuples.irrep = i % N_IRREPS;
        tuples.spin = i / N_IRREPS - tiles->max_spin;
        TRY(block_index_create(&tuples, &tiles->index[i]));
    }
    return STATUS_OK;
}

enum status summed_tiles_create(const struct block_labels *labels, const struct index_list *own,
                                const struct index_list *summed, struct summed_tiles **tiles)
{
    struct summed_tiles *made = calloc(1, sizeof *made);
    *tiles = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the tuples of summed tiles"));
    enum status status = index_tuples(made, labels, own, summed);
    if (status != STATUS_OK)
        summed_tiles_destroy(made);
    *tiles = status == STATUS_OK ? made : NULL;
    return status;
}

void summed_tiles_destroy(struct summed_tiles *tiles)
{
    if (!tiles)
        return;
    for (int i = 0; tiles->index && i < (2 * tiles->max_spin + 1) * N_IRREPS; i++)
        block_index_destroy(tiles->index[i]);
    for (int d = 0; d < tiles->n; d++) {
        free(tiles->space[d].irrep);
        free(tiles->space[d].spin);
    }
    free(tiles->index);
    free(tiles);
}

const struct block_index *summed_tiles_with(const struct summed_tiles *tiles,
                                            struct tile_label label)
{
    if (abs(label.spin) > tiles->max_spin)
        return NULL;
    return tiles->index[(label.spin + tiles->max_spin) * N_IRREPS + label.irrep];
}
