/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/group_blocks.h"

#include <stdlib.h>
#include <string.h>

const int roles_of_pair[N_ROLE_PAIRS][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Elements that a block takes: whole chunks, but one for one. */
static int64_t block_size(int64_t n_elements)
{
    return n_elements == 1 ? 1 : (n_elements + BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
}

/* Elements of all tiles at most: a block, or the gap before it, adds less than a chunk. */
static int64_t largest_size(const struct tiling *tiling)
{
    int64_t n_functions = tiling->max_functions, n_groups = tiling->max_groups;
    return N_ROLE_PAIRS * (n_functions * n_functions + (BLOCK_CHUNK - 1) * n_groups * n_groups) +
           INT64_C(2) * BLOCK_CHUNK;
}

static int64_t bytes_of_places(const struct tiling *tiling)
{
    int64_t bytes = tiling->max_groups * tiling->max_groups * (int64_t)sizeof(int32_t);
    return (bytes + 63) / 64 * 64;
}

static int64_t bytes_of_groups(const struct tiling *tiling)
{
    return (tiling->max_groups * (int64_t)sizeof(struct role_group) + 63) / 64 * 64;
}

static int64_t bytes_of_elements(const struct tiling *tiling)
{
    return (largest_size(tiling) * (int64_t)sizeof(double) + 63) / 64 * 64;
}

int64_t group_blocks_bytes(const struct tiling *tiling, int n_matrices)
{
    return N_ROLE_PAIRS * bytes_of_places(tiling) + 4 * bytes_of_groups(tiling) +
           INT64_C(2) * n_matrices * bytes_of_elements(tiling);
}

enum status group_blocks_create(const struct tiling *tiling, int n_matrices,
                                struct group_blocks *blocks)
{
    *blocks = (struct group_blocks){.tiling = tiling};
    blocks->memory = aligned_alloc(64, (size_t)group_blocks_bytes(tiling, n_matrices));
    TRY(CHECK_MEMORY(blocks->memory, "no memory for the tiles of a quartet"));
    char *next = blocks->memory;
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++, next += bytes_of_places(tiling))
        blocks->tile[pair].place = (int32_t *)next;
    for (int role = 0; role < 4; role++, next += bytes_of_groups(tiling))
        blocks->groups[role] = (struct role_group *)next;
    for (int i = 0; i < n_matrices; i++) {
        blocks->D[i] = (double *)next;
        blocks->A[i] = (double *)(next + bytes_of_elements(tiling));
        next += 2 * bytes_of_elements(tiling);
    }
    return STATUS_OK;
}

void group_blocks_destroy(struct group_blocks *blocks)
{
    free(blocks->memory);
    blocks->memory = NULL;
}

/* A block in the tiles of the views: element (i, j) is at first + i * stride[0] + j * stride[1]. */
struct view_block {
    int64_t first, stride[2];
    int n[2];
    int32_t place; /* in the packed tile */
};

/* Calls function for each block of a pair of roles; inlined with it, as blocks are small. */
static inline __attribute__((always_inline)) void
visit_blocks(const struct group_blocks *blocks, const struct quartet_views *views, int pair,
             void (*function)(const struct view_block *block, void *context), void *context)
{
    const struct packed_tile *tile = &blocks->tile[pair];
    const int *roles = roles_of_pair[pair];
    const struct tile_view *view = &views->view[roles[0]][roles[1]];
    const struct role_group *rows = blocks->groups[roles[0]];
    const struct role_group *columns = blocks->groups[roles[1]];
    int64_t n_rows = tile_n_groups(blocks->tiling, views->tile[roles[0]]);
    for (int64_t x = 0; x < n_rows; x++)
        for (int64_t y = 0; y < tile->n_columns; y++) {
            bool swapped = pair <= ROLES_KL && rows[x].type < columns[y].type;
            struct view_block block = {
                .first = rows[x].function * view->stride[0] + columns[y].function * view->stride[1],
                .stride = {view->stride[swapped], view->stride[!swapped]},
                .n = {swapped ? columns[y].n : rows[x].n, swapped ? rows[x].n : columns[y].n},
                .place = tile->place[x * tile->n_columns + y]};
            function(&block, context);
        }
}

static void set_groups(struct group_blocks *blocks, const struct quartet_views *views, int role)
{
    const struct shells *shells = blocks->tiling->shells;
    int64_t first = blocks->first_group[role], n = tile_n_groups(blocks->tiling, views->tile[role]);
    for (int64_t x = 0; x < n; x++) {
        const struct shell_group *group = &shells->groups[first + x];
        blocks->groups[role][x] =
            (struct role_group){(int32_t)view_function(views, role, group->first_function),
                                shells->types[group->type].n_functions, (int32_t)group->type};
    }
}

static void set_places(struct group_blocks *blocks, const struct quartet_views *views, int pair)
{
    struct packed_tile *tile = &blocks->tile[pair];
    const int *roles = roles_of_pair[pair];
    const struct role_group *rows = blocks->groups[roles[0]];
    const struct role_group *columns = blocks->groups[roles[1]];
    int64_t n_rows = tile_n_groups(blocks->tiling, views->tile[roles[0]]);
    tile->n_columns = tile_n_groups(blocks->tiling, views->tile[roles[1]]);
    int64_t next = blocks->size;
    for (int64_t x = 0; x < n_rows; x++)
        for (int64_t y = 0; y < tile->n_columns; y++) {
            int64_t n_elements = (int64_t)rows[x].n * columns[y].n;
            if (n_elements > 1)
                next = (next + BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK;
            tile->place[x * tile->n_columns + y] = (int32_t)next;
            next += block_size(n_elements);
        }
    blocks->size = next;
}

/* A matrix in the views and its packed form. */
struct packing {
    const double *from;
    double *to;
    double factor;
};

static inline void pack_block(const struct view_block *block, void *context)
{
    const struct packing *packing = context;
    const double *from = packing->from + block->first;
    double *restrict to = packing->to + block->place;
    double factor = packing->factor;
    int n_0 = block->n[0], n_1 = block->n[1];
    int64_t stride_0 = block->stride[0], stride_1 = block->stride[1];
    if (n_1 == 1) {
        for (int i = 0; i < n_0; i++)
            to[i] = factor * from[i * stride_0];
        return;
    }
    for (int i = 0; i < n_0; i++)
        for (int j = 0; j < n_1; j++)
            to[i * n_1 + j] = factor * from[i * stride_0 + j * stride_1];
}

static inline void add_block(const struct view_block *block, void *context)
{
    const struct packing *packing = context;
    const double *from = packing->from + block->place;
    double *restrict to = packing->to + block->first;
    int n_0 = block->n[0], n_1 = block->n[1];
    int64_t stride_0 = block->stride[0], stride_1 = block->stride[1];
    if (n_1 == 1) {
        for (int i = 0; i < n_0; i++)
            to[i * stride_0] += from[i];
        return;
    }
    for (int i = 0; i < n_0; i++)
        for (int j = 0; j < n_1; j++)
            to[i * stride_0 + j * stride_1] += from[i * n_1 + j];
}

/* Number of matrices of a pair of roles in use. */
static int n_used(const struct quartet_views *views, int pair)
{
    return pair <= ROLES_KL ? views->kind.n_coulomb : views->kind.n_matrices;
}

void group_blocks_begin(struct group_blocks *blocks, const struct quartet_views *views)
{
    if (blocks->begun)
        return;
    blocks->begun = true;
    blocks->size = 0;
    for (int role = 0; role < 4; role++) {
        blocks->first_group[role] = blocks->tiling->first_group[views->tile[role]];
        set_groups(blocks, views, role);
    }
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++)
        set_places(blocks, views, pair);
    for (int i = 0; i < views->kind.n_matrices; i++) {
        memset(blocks->D[i], 0, (size_t)(blocks->size + BLOCK_CHUNK) * sizeof(double));
        memset(blocks->A[i], 0, (size_t)(blocks->size + BLOCK_CHUNK) * sizeof(double));
    }
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++) {
        const struct tile_view *view = &views->view[roles_of_pair[pair][0]][roles_of_pair[pair][1]];
        bool coulomb = pair <= ROLES_KL;
        for (int i = 0; i < n_used(views, pair); i++) {
            struct packing packing = {.from = coulomb ? view->D->coulomb[i] : view->D->exchange[i],
                                      .to = blocks->D[i],
                                      .factor = coulomb ? 2 * views->kind.coulomb_scale
                                                        : views->kind.exchange_scale};
            visit_blocks(blocks, views, pair, pack_block, &packing);
        }
    }
}

void group_blocks_end(struct group_blocks *blocks, const struct quartet_views *views)
{
    if (!blocks->begun)
        return;
    blocks->begun = false;
    for (int pair = 0; pair < N_ROLE_PAIRS; pair++) {
        const struct tile_view *view = &views->view[roles_of_pair[pair][0]][roles_of_pair[pair][1]];
        for (int i = 0; i < n_used(views, pair); i++) {
            struct packing packing = {.from = blocks->A[i],
                                      .to =
                                          pair <= ROLES_KL ? view->coulomb[i] : view->exchange[i]};
            visit_blocks(blocks, views, pair, add_block, &packing);
        }
    }
}
