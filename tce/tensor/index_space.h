/* SPDX-License-Identifier: BSD-3-Clause */
/* Index spaces: what a tensor's index runs over, cut into tiles. Every tile has a
 * spatial label, an irrep of an Abelian group of order 1, 2, 4 or 8 whose product is
 * the exclusive or of numbers in [0, 8), and a spin label: +1 alpha, -1 beta, 0 none. */
#pragma once

#include "support/base/status.h"

#include <stdint.h>

enum {
    MAX_RANK = 12, /* indices of a tensor */
    N_IRREPS = 8
};

/* A line of a program may ask for any number of tiles, which are listed. */
enum { INDEX_SPACE_MAX_TILES = 1 << 20 };

/* Consecutive values of an index with the same labels. */
struct index_block {
    int64_t size; /* > 0 */
    int irrep;
    int spin;
};

struct index_space {
    char *name;
    int64_t size;
    int32_t n_tiles;
    int64_t *first; /* n_tiles + 1 */
    int8_t *irrep;  /* n_tiles */
    int8_t *spin;   /* n_tiles */
    int64_t max_tile;
};

/* Cuts every block into as few tiles of at most `tile` as will do, whose sizes differ
 * by one at most. Errors: STATUS_NO_MEMORY, STATUS_LIMIT (INDEX_SPACE_MAX_TILES,
 * 2^62 values). */
enum status index_space_create(const char *name, int64_t n_blocks, const struct index_block *blocks,
                               int64_t tile, struct index_space **space);

/* The values of `space` with their labels, cut anew where labels change in `runs`, a
 * space of the same tiles, and into tiles of at most `tile` values, which differ by one at most.
 * Errors: as index_space_create. */
enum status index_space_recut(const struct index_space *space, const struct index_space *runs,
                              int64_t tile, struct index_space **recut);
void index_space_destroy(struct index_space *space);

/* The largest spin of a tile, either sign. */
int index_space_max_spin(const struct index_space *space);

static inline int64_t index_space_tile_size(const struct index_space *space, int32_t tile)
{
    return space->first[tile + 1] - space->first[tile];
}
