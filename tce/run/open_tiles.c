/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/open_tiles.h"

#include <stdlib.h>

/* The space of an index, with the labels of all its occurrences summed. */
static enum status fold_labels(const struct open_tiles *tiles, int index,
                               struct index_space *folded)
{
    const struct block_labels *labels = tiles->labels;
    *folded = *labels->space[index_list_place(&tiles->own, index)];
    size_t n = (size_t)folded->n_tiles + 1;
    folded->irrep = calloc(n, sizeof *folded->irrep);
    folded->spin = calloc(n, sizeof *folded->spin);
    TRY(CHECK_MEMORY(folded->irrep && folded->spin, "no memory for the tiles of an index"));
    for (int d = 0; d < tiles->own.n; d++)
        for (int32_t tile = 0; tiles->own.index[d] == index && tile < folded->n_tiles; tile++) {
            folded->irrep[tile] ^= labels->space[d]->irrep[tile];
            folded->spin[tile] += (int8_t)(labels->sign[d] * labels->space[d]->spin[tile]);
        }
    return STATUS_OK;
}

static int largest_spin(const struct index_space *space)
{
    int largest = 0;
    for (int32_t tile = 0; tile < space->n_tiles; tile++)
        largest = abs(space->spin[tile]) > largest ? abs(space->spin[tile]) : largest;
    return largest;
}

static enum status number_tuples(struct open_tiles *tiles)
{
    struct block_labels of_tuple = {.rank = tiles->open.n};
    for (int d = 0; d < tiles->open.n; d++) {
        of_tuple.space[d] = &tiles->open_space[d];
        of_tuple.sign[d] = 1;
        tiles->max_spin += largest_spin(&tiles->open_space[d]);
    }
    int n = (2 * tiles->max_spin + 1) * N_IRREPS;
    tiles->tuples = calloc((size_t)n, sizeof(struct block_index *));
    TRY(CHECK_MEMORY(tiles->tuples, "no memory for tuples of tiles"));
    for (int i = 0; i < n; i++) {
        of_tuple.irrep = i % N_IRREPS;
        of_tuple.spin = i / N_IRREPS - tiles->max_spin;
        TRY(block_index_create(&of_tuple, &tiles->tuples[i]));
    }
    return STATUS_OK;
}

enum status open_tiles_init(const struct block_labels *labels, const struct index_list *own,
                            const bool is_known[MAX_INDICES], struct open_tiles *tiles)
{
    *tiles = (struct open_tiles){.labels = labels, .own = *own};
    for (int d = 0; d < own->n; d++) {
        int index = own->index[d];
        struct index_list *list = is_known[index] ? &tiles->known : &tiles->open;
        struct index_space *spaces = is_known[index] ? tiles->known_space : tiles->open_space;
        if (index_list_count(list, index) > 0)
            continue;
        index_list_append(list, index);
        TRY(fold_labels(tiles, index, &spaces[list->n - 1]));
    }
    return number_tuples(tiles);
}

void open_tiles_fini(struct open_tiles *tiles)
{
    for (int i = 0; tiles->tuples && i < (2 * tiles->max_spin + 1) * N_IRREPS; i++)
        block_index_destroy(tiles->tuples[i]);
    for (int d = 0; d < MAX_RANK; d++) {
        free(tiles->known_space[d].irrep);
        free(tiles->known_space[d].spin);
        free(tiles->open_space[d].irrep);
        free(tiles->open_space[d].spin);
    }
    free(tiles->tuples);
    *tiles = (struct open_tiles){0};
}

const struct block_index *open_tiles_find(const struct open_tiles *tiles,
                                          const int32_t tile[MAX_INDICES])
{
    struct tile_label left = {tiles->labels->irrep, tiles->labels->spin};
    for (int d = 0; d < tiles->known.n; d++) {
        int32_t of_index = tile[tiles->known.index[d]];
        left.irrep ^= tiles->known_space[d].irrep[of_index];
        left.spin -= tiles->known_space[d].spin[of_index];
    }
    if (abs(left.spin) > tiles->max_spin)
        return NULL;
    return tiles->tuples[(left.spin + tiles->max_spin) * N_IRREPS + left.irrep];
}

void open_tiles_step(const struct open_tiles *tiles, const struct block_index *tuples,
                     int64_t number, int32_t tile[MAX_INDICES])
{
    int32_t at[MAX_RANK];
    for (int d = 0; d < tiles->open.n; d++)
        at[d] = tile[tiles->open.index[d]];
    (number == 0 ? block_index_first : block_index_next)(tuples, at);
    for (int d = 0; d < tiles->open.n; d++)
        tile[tiles->open.index[d]] = at[d];
}
