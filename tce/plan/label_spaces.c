/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/label_spaces.h"

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

static enum status init_space(const struct index_space *space, struct label_space *counted)
{
    bool has_irreps = false;
    *counted = (struct label_space){.space = space};
    for (int32_t t = 0; t < space->n_tiles; t++) {
        count_tile(counted, t);
        has_irreps = has_irreps || space->irrep[t] != 0;
        counted->max_spin =
            abs(space->spin[t]) > counted->max_spin ? abs(space->spin[t]) : counted->max_spin;
    }
    counted->has_spins = counted->max_spin > 0;
    return has_irreps ? copy_without_irreps(space, &counted->without_irreps) : STATUS_OK;
}

enum status label_spaces_init(int n, const struct index_space *const space[],
                              struct label_spaces *spaces)
{
    *spaces = (struct label_spaces){.spaces = calloc((size_t)n + 1, sizeof *spaces->spaces)};
    TRY(CHECK_MEMORY(spaces->spaces, "no memory for the labels of %d spaces", n));
    while (spaces->n < n) {
        int s = spaces->n++;
        enum status status = init_space(space[s], &spaces->spaces[s]);
        if (status != STATUS_OK) {
            label_spaces_fini(spaces);
            return status;
        }
    }
    return STATUS_OK;
}

enum status label_spaces_add(struct label_spaces *spaces, const struct index_space *space,
                             int *number)
{
    struct label_space *more =
        realloc(spaces->spaces, ((size_t)spaces->n + 1) * sizeof *spaces->spaces);
    TRY(CHECK_MEMORY(more, "no memory for the labels of space %s", space->name));
    spaces->spaces = more;
    *number = spaces->n++;
    return init_space(space, &spaces->spaces[*number]);
}

void label_spaces_fini(struct label_spaces *spaces)
{
    for (int s = 0; s < spaces->n; s++)
        index_space_destroy(spaces->spaces[s].without_irreps);
    free(spaces->spaces);
    *spaces = (struct label_spaces){0};
}

const struct index_space *label_spaces_with(const struct label_spaces *spaces, int space,
                                            bool irreps)
{
    const struct label_space *found = &spaces->spaces[space];
    return irreps || !found->without_irreps ? found->space : found->without_irreps;
}
