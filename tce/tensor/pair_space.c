/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/pair_space.h"

#include <stdio.h>
#include <stdlib.h>

static int64_t count_tile_pairs(const struct index_space *of)
{
    return (int64_t)of->n_tiles * (of->n_tiles + 1) / 2;
}

bool pair_space_is_possible(const struct index_space *of)
{
    return count_tile_pairs(of) <= INDEX_SPACE_MAX_TILES;
}

static int64_t count_value_pairs(const struct index_space *of, int sign, int32_t P, int32_t Q)
{
    int64_t n = index_space_tile_size(of, P);
    return P == Q ? n * (n + sign) / 2 : n * index_space_tile_size(of, Q);
}

/* Lists the tiles of pairs, and as many blocks of a space. */
static int64_t list_tiles_of_pairs(struct pair_space *pairs, struct index_block blocks[],
                                   int64_t *largest)
{
    const struct index_space *of = pairs->of;
    int64_t n = 0;
    for (int32_t P = 0; P < of->n_tiles; P++)
        for (int32_t Q = 0; Q <= P; Q++) {
            int64_t size = count_value_pairs(of, pairs->sign, P, Q);
            int32_t *tile = &pairs->tile[(int64_t)P * (P + 1) / 2 + Q];
            *tile = size > 0 ? (int32_t)n : -1;
            if (size == 0)
                continue;
            pairs->P[n] = P;
            pairs->Q[n] = Q;
            blocks[n++] =
                (struct index_block){size, of->irrep[P] ^ of->irrep[Q], of->spin[P] + of->spin[Q]};
            *largest = size > *largest ? size : *largest;
        }
    return n;
}

enum status pair_space_create(const struct index_space *of, int sign, struct pair_space **pairs)
{
    size_t n = (size_t)count_tile_pairs(of) + 1;
    struct index_block *blocks = calloc(n, sizeof *blocks);
    struct pair_space *made = calloc(1, sizeof *made);
    int64_t largest = 1;
    char name[128];
    *pairs = NULL;
    if (made)
        *made = (struct pair_space){.of = of,
                                    .sign = sign,
                                    .P = calloc(n, sizeof *made->P),
                                    .Q = calloc(n, sizeof *made->Q),
                                    .tile = calloc(n, sizeof *made->tile)};
    bool complete = blocks && made && made->P && made->Q && made->tile;
    enum status status = CHECK_MEMORY(complete, "no memory for pairs of space %s", of->name);
    if (status != STATUS_OK)
        goto done;
    int64_t n_tiles = list_tiles_of_pairs(made, blocks, &largest);
    snprintf(name, sizeof name, "%.50s%s%.50s", of->name, sign > 0 ? ">=" : ">", of->name);
    status = index_space_create(name, n_tiles, blocks, largest, &made->space);
done:
    free(blocks);
    if (status != STATUS_OK)
        pair_space_destroy(made);
    else
        *pairs = made;
    return status;
}

void pair_space_destroy(struct pair_space *pairs)
{
    if (!pairs)
        return;
    index_space_destroy(pairs->space);
    free(pairs->P);
    free(pairs->Q);
    free(pairs->tile);
    free(pairs);
}
