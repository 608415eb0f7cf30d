/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/block_pairs.h"

#include <stdlib.h>
#include <string.h>

/* --- open tiles --- */

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

static enum status number_tuples(struct open_tiles *tiles)
{
    struct block_labels of_tuple = {.rank = tiles->open.n};
    for (int d = 0; d < tiles->open.n; d++) {
        of_tuple.space[d] = &tiles->open_space[d];
        of_tuple.sign[d] = 1;
        tiles->max_spin += index_space_max_spin(&tiles->open_space[d]);
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
    int irrep = tiles->labels->irrep, spin = tiles->labels->spin;
    for (int d = 0; d < tiles->known.n; d++) {
        int32_t of_index = tile[tiles->known.index[d]];
        irrep ^= tiles->known_space[d].irrep[of_index];
        spin -= tiles->known_space[d].spin[of_index];
    }
    if (abs(spin) > tiles->max_spin)
        return NULL;
    const struct block_index *found = tiles->tuples[(spin + tiles->max_spin) * N_IRREPS + irrep];
    return block_index_n(found) > 0 ? found : NULL;
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

/* --- pairs of blocks --- */

static void mark_indices(const struct index_list *list, bool known[MAX_INDICES])
{
    for (int d = 0; d < list->n; d++)
        known[list->index[d]] = true;
}

enum status block_pairs_init(const struct contraction_problem *problem,
                             const bool is_fixed[MAX_INDICES], const bool local[2],
                             struct block_pairs *pairs)
{
    const struct contraction_indices *indices = &pairs->indices;
    bool known[MAX_INDICES] = {false};
    *pairs = (struct block_pairs){.problem = problem};
    contraction_indices_init(problem, &pairs->indices);
    if (is_fixed)
        memcpy(known, is_fixed, sizeof known);
    mark_indices(&indices->C, known);
    TRY(open_tiles_init(problem->A.labels, &indices->A, known, &pairs->of_A));
    if (!local || !local[0])
        TRY(block_index_create(problem->A.labels, &pairs->A));
    if (!problem->has_B)
        return STATUS_OK;
    mark_indices(&indices->A, known);
    if (!local || !local[1])
        TRY(block_index_create(problem->B.labels, &pairs->B));
    return open_tiles_init(problem->B.labels, &indices->B, known, &pairs->of_B);
}

void block_pairs_fini(struct block_pairs *pairs)
{
    block_index_destroy(pairs->A);
    block_index_destroy(pairs->B);
    open_tiles_fini(&pairs->of_A);
    open_tiles_fini(&pairs->of_B);
    *pairs = (struct block_pairs){0};
}

int64_t block_pairs_extent(const struct block_pairs *pairs, const struct index_list *list,
                           const int32_t tile[MAX_INDICES])
{
    int64_t extent = 1;
    for (int d = 0; d < list->n; d++)
        extent *= index_space_tile_size(pairs->indices.space[list->index[d]], tile[list->index[d]]);
    return extent;
}

void block_pairs_add_cost(const struct block_pairs *pairs, const int32_t tile[MAX_INDICES],
                          struct task_cost *cost)
{
    const struct contraction_indices *indices = &pairs->indices;
    cost->n_products++;
    cost->elements += (double)block_pairs_extent(pairs, &indices->A, tile);
    if (!pairs->problem->has_B)
        return;
    cost->elements += (double)block_pairs_extent(pairs, &indices->B, tile);
    cost->flops += 2 * (double)block_pairs_extent(pairs, &indices->C, tile) *
                   (double)block_pairs_extent(pairs, &indices->group[ROLE_SUMMED], tile);
}

void pair_walk_begin(const struct block_pairs *pairs, const int32_t tile[MAX_INDICES],
                     enum pair_wants wants, struct pair_walk *walk)
{
    *walk =
        (struct pair_walk){.pairs = pairs, .wants = wants, .block = {{.block = -1}, {.block = -1}}};
    memcpy(walk->tile, tile, sizeof walk->tile);
    walk->of_A = open_tiles_find(&pairs->of_A, walk->tile);
}

/* The block of a factor with the tiles of a pair. */
static struct stored_block find_factor(const struct pair_walk *walk,
                                       const struct block_index *blocks,
                                       const struct index_list *own)
{
    int32_t at[MAX_RANK];
    if (walk->wants == PAIR_TILES || !blocks)
        return (struct stored_block){.block = -1};
    for (int d = 0; d < own->n; d++)
        at[d] = walk->tile[own->index[d]];
    return block_index_find(blocks, at);
}

bool pair_walk_next(struct pair_walk *walk)
{
    const struct block_pairs *pairs = walk->pairs;
    bool has_B = pairs->problem->has_B;
    do {
        if (!walk->of_A || walk->next == block_index_n(walk->of_A))
            return false;
        open_tiles_step(&pairs->of_A, walk->of_A, walk->next++, walk->tile);
    } while (has_B && !open_tiles_find(&pairs->of_B, walk->tile));
    walk->block[0] = find_factor(walk, pairs->A, &pairs->indices.A);
    if (has_B)
        walk->block[1] = find_factor(walk, pairs->B, &pairs->indices.B);
    return true;
}

void pair_walk_extents(const struct pair_walk *walk, int64_t extent[MAX_INDICES])
{
    for (int x = 0; x < MAX_INDICES; x++) {
        const struct index_space *space = walk->pairs->indices.space[x];
        extent[x] = space ? index_space_tile_size(space, walk->tile[x]) : 1;
    }
}
