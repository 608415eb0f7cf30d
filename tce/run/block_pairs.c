/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/block_pairs.h"

#include <string.h>

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
    mark_indices(&indices->C.own, known);
    TRY(open_tiles_init(problem->A.labels, &indices->A.own, known, &pairs->of_A));
    if (!local || !local[0])
        TRY(block_index_create(problem->A.labels, &pairs->A));
    if (!problem->has_B)
        return STATUS_OK;
    mark_indices(&indices->A.own, known);
    if (!local || !local[1])
        TRY(block_index_create(problem->B.labels, &pairs->B));
    return open_tiles_init(problem->B.labels, &indices->B.own, known, &pairs->of_B);
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
    cost->elements += (double)block_pairs_extent(pairs, &indices->A.own, tile);
    if (!pairs->problem->has_B)
        return;
    cost->elements += (double)block_pairs_extent(pairs, &indices->B.own, tile);
    cost->flops += 2 * (double)block_pairs_extent(pairs, &indices->C.own, tile) *
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

/* Moves on in A: its block, and which tuples of B go with it. */
static bool next_in_A(struct pair_walk *walk)
{
    const struct block_pairs *pairs = walk->pairs;
    if (!walk->of_A || walk->next_A == block_index_n(walk->of_A))
        return false;
    open_tiles_step(&pairs->of_A, walk->of_A, walk->next_A++, walk->tile);
    walk->block[0] = find_factor(walk, pairs->A, &pairs->indices.A.own);
    if (pairs->problem->has_B) {
        walk->of_B = open_tiles_find(&pairs->of_B, walk->tile);
        walk->next_B = 0;
    }
    return true;
}

bool pair_walk_next(struct pair_walk *walk)
{
    const struct block_pairs *pairs = walk->pairs;
    if (!pairs->problem->has_B)
        return next_in_A(walk);
    while (!walk->of_B || walk->next_B == block_index_n(walk->of_B))
        if (!next_in_A(walk))
            return false;
    open_tiles_step(&pairs->of_B, walk->of_B, walk->next_B++, walk->tile);
    walk->block[1] = find_factor(walk, pairs->B, &pairs->indices.B.own);
    return true;
}

void pair_walk_extents(const struct pair_walk *walk, int64_t extent[MAX_INDICES])
{
    for (int x = 0; x < MAX_INDICES; x++) {
        const struct index_space *space = walk->pairs->indices.space[x];
        extent[x] = space ? index_space_tile_size(space, walk->tile[x]) : 1;
    }
}
