/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/index_space.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES (INT64_C(1) << 62)

static int64_t n_tiles_of(const struct index_block *block, int64_t tile)
{
    return block->size / tile + (block->size % tile != 0);
}

static enum status count_tiles(const char *name, int64_t n_blocks, const struct index_block *blocks,
                               int64_t tile, int64_t *n_tiles)
{
    int64_t n_values = 0;
    *n_tiles = 0;
    for (int64_t b = 0; b < n_blocks; b++) {
        assert(blocks[b].size > 0 && blocks[b].irrep >= 0 && blocks[b].irrep < N_IRREPS);
        if (blocks[b].size > MAX_VALUES - n_values)
            return FAIL(STATUS_LIMIT, "space %s has more than 2^62 values", name);
        n_values += blocks[b].size;
        *n_tiles += n_tiles_of(&blocks[b], tile);
        if (*n_tiles > INDEX_SPACE_MAX_TILES)
            return FAIL(STATUS_LIMIT, "space %s has more than 2^20 tiles of %lld: take larger ones",
                        name, (long long)tile);
    }
    return STATUS_OK;
}

/* The tiles of one block, after those that are there. */
static void cut_block(struct index_space *space, const struct index_block *block, int64_t tile)
{
    int64_t n = n_tiles_of(block, tile), larger = block->size % n;
    for (int64_t t = 0; t < n; t++) {
        int64_t size = block->size / n + (t < larger);
        space->irrep[space->n_tiles] = (int8_t)block->irrep;
        space->spin[space->n_tiles] = (int8_t)block->spin;
        space->n_tiles++;
        space->size += size;
        space->first[space->n_tiles] = space->size;
        if (size > space->max_tile)
            space->max_tile = size;
    }
}

enum status index_space_create(const char *name, int64_t n_blocks, const struct index_block *blocks,
                               int64_t tile, struct index_space **space)
{
    int64_t n_tiles;
    *space = NULL;
    assert(tile > 0);
    TRY(count_tiles(name, n_blocks, blocks, tile, &n_tiles));
    struct index_space *made = calloc(1, sizeof *made);
    if (made) {
        made->name = strdup(name);
        made->first = calloc((size_t)n_tiles + 1, sizeof *made->first);
        made->irrep = calloc((size_t)n_tiles + 1, sizeof *made->irrep);
        made->spin = calloc((size_t)n_tiles + 1, sizeof *made->spin);
    }
    if (!made || !made->name || !made->first || !made->irrep || !made->spin) {
        index_space_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for space %s of %lld tiles", name,
                    (long long)n_tiles);
    }
    for (int64_t b = 0; b < n_blocks; b++)
        cut_block(made, &blocks[b], tile);
    *space = made;
    return STATUS_OK;
}

enum status index_space_recut(const struct index_space *space, const struct index_space *runs,
                              int64_t tile, struct index_space **recut)
{
    struct index_block *blocks = calloc((size_t)space->n_tiles + 1, sizeof *blocks);
    int32_t n = 0;
    *recut = NULL;
    assert(space->n_tiles == runs->n_tiles);
    TRY(CHECK_MEMORY(blocks, "no memory for the labels of space %s", space->name));
    for (int32_t t = 0; t < space->n_tiles; t++) {
        bool same =
            t > 0 && runs->irrep[t] == runs->irrep[t - 1] && runs->spin[t] == runs->spin[t - 1];
        n += !same;
        blocks[n - 1].size += index_space_tile_size(space, t);
        blocks[n - 1].irrep = space->irrep[t];
        blocks[n - 1].spin = space->spin[t];
    }
    enum status status = index_space_create(space->name, n, blocks, tile, recut);
    free(blocks);
    return status;
}

void index_space_destroy(struct index_space *space)
{
    if (!space)
        return;
    free(space->name);
    free(space->first);
    free(space->irrep);
    free(space->spin);
    free(space);
}

int index_space_max_spin(const struct index_space *space)
{
    int largest = 0;
    for (int32_t tile = 0; tile < space->n_tiles; tile++)
        largest = abs(space->spin[tile]) > largest ? abs(space->spin[tile]) : largest;
    return largest;
}
