/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/label_spaces.h"

#include "support/base/array.h"

#include <stdlib.h>

static void count_tile(struct label_space *counted, int32_t tile)
{
    const struct index_space *space = counted->space;
    int c = 0;
    while (c < counted->n_classes && (counted->label_class[c].irrep != space->irrep[tile] ||
                                      counted->label_class[c].spin != space->spin[tile]))
        c++;
    if (c == counted->n_classes) {
        counted->label_class[c] =
            (struct label_class){.irrep = space->irrep[tile], .spin = space->spin[tile]};
        counted->n_classes++;
    }
    counted->label_class[c].size += (double)index_space_tile_size(space, tile);
}

/* Every tile is a block of its own, so that the tiles are the same. */
static enum status copy_without_irreps(const struct index_space *space, struct index_space **copy)
{
    struct index_block *blocks = calloc((size_t)space->n_tiles + 1, sizeof *blocks);
    TRY(CHECK_MEMORY(blocks, "no memory for the labels of space %s", space->name));
    for (int32_t t = 0; t < space->n_tiles; t++)
        blocks[t] =
            (struct index_block){.size = index_space_tile_size(space, t), .spin = space->spin[t]};
    enum status status =
        index_space_create(space->name, space->n_tiles, blocks, space->max_tile, copy);
    free(blocks);
    return status;
}

enum status label_spaces_add(struct label_spaces *spaces, const struct index_space *space)
{
    bool has_irreps = false;
    TRY(array_append(&spaces->spaces, &spaces->n, sizeof *spaces->spaces));
    struct label_space *counted = &spaces->spaces[spaces->n - 1];
    counted->space = space;
    for (int32_t t = 0; t < space->n_tiles; t++) {
        count_tile(counted, t);
        has_irreps = has_irreps || space->irrep[t] != 0;
        counted->max_spin =
            abs(space->spin[t]) > counted->max_spin ? abs(space->spin[t]) : counted->max_spin;
    }
    return has_irreps ? copy_without_irreps(space, &counted->without_irreps) : STATUS_OK;
}

enum status label_spaces_find_pairs(struct label_spaces *spaces, int of, int sign, int *number)
{
    struct pair_space *pairs;
    for (*number = 0; *number < spaces->n; ++*number) {
        const struct label_space *found = &spaces->spaces[*number];
        if (found->pairs && found->pairs_of == of && found->pairs->sign == sign)
            return STATUS_OK;
    }
    TRY(pair_space_create(spaces->spaces[of].space, sign, &pairs));
    enum status status = label_spaces_add(spaces, pairs->space);
    if (*number == spaces->n) {
        pair_space_destroy(pairs);
        return status;
    }
    spaces->spaces[*number].pairs = pairs;
    spaces->spaces[*number].pairs_of = of;
    return status;
}

void label_spaces_fini(struct label_spaces *spaces)
{
    for (int s = 0; s < spaces->n; s++) {
        index_space_destroy(spaces->spaces[s].without_irreps);
        pair_space_destroy(spaces->spaces[s].pairs);
    }
    free(spaces->spaces);
    *spaces = (struct label_spaces){0};
}

const struct index_space *label_spaces_with(const struct label_spaces *spaces, int space,
                                            bool irreps)
{
    const struct label_space *found = &spaces->spaces[space];
    return irreps || !found->without_irreps ? found->space : found->without_irreps;
}

int label_spaces_number(const struct label_spaces *spaces, const struct index_space *space)
{
    int s = 0;
    while (spaces->spaces[s].space != space && spaces->spaces[s].without_irreps != space)
        s++;
    return s;
}
