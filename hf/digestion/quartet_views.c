/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/quartet_views.h"

#include <stdlib.h>
#include <string.h>

static int64_t view_block_size(const struct quartet_views *views)
{
    return views->tiling->max_functions * views->tiling->max_functions;
}

int64_t quartet_views_bytes(const struct tiling *tiling, const struct density_kind *kind)
{
    const struct quartet_views *views = NULL;
    int64_t m = tiling->max_functions, n_pairs = sizeof views->pair / sizeof *views->pair;
    return n_pairs * density_n_blocks(kind) * m * m * (int64_t)sizeof(double);
}

enum status quartet_views_init(struct quartet_views *views, const struct tiling *tiling,
                               struct density_tiles *density, struct fock_accumulator *accumulator,
                               const struct density_kind *kind)
{
    *views = (struct quartet_views){
        .tiling = tiling, .density = density, .accumulator = accumulator, .kind = *kind};
    views->blocks = malloc((size_t)quartet_views_bytes(tiling, kind));
    return CHECK_MEMORY(views->blocks, "no memory for the tiles of a quartet");
}

void quartet_views_fini(struct quartet_views *views)
{
    free(views->blocks);
    views->blocks = NULL;
}

/* The slot of a pair among the distinct ones of the quartet; *is_new if it had none. */
static int slot_of_pair(struct quartet_views *views, int64_t pair, bool *is_new)
{
    for (int i = 0; i < views->n_pairs; i++) {
        if (views->pair[i] == pair) {
            *is_new = false;
            return i;
        }
    }
    views->pair[views->n_pairs] = pair;
    *is_new = true;
    return views->n_pairs++;
}

static void set_view(struct quartet_views *views, int r, int s, int slot,
                     const struct density_tile *D)
{
    struct tile_view *view = &views->view[r][s];
    double *block = views->blocks + slot * density_n_blocks(&views->kind) * view_block_size(views);
    view->D = D;
    for (int c = 0; c < views->kind.n_coulomb; c++)
        view->coulomb[c] = block + c * view_block_size(views);
    for (int i = 0; i < views->kind.n_matrices; i++)
        view->exchange[i] = views->kind.total
                                ? block
                                : block + (views->kind.n_coulomb + i) * view_block_size(views);
    bool stored = views->tile[r] >= views->tile[s]; /* as r x s */
    int64_t minor = views->tile[stored ? s : r];
    int64_t n_functions = tile_n_functions(views->tiling, minor);
    int64_t n_groups = tile_n_groups(views->tiling, minor);
    view->stride[0] = stored ? n_functions : 1;
    view->stride[1] = stored ? 1 : n_functions;
    view->group_stride[0] = stored ? n_groups : 1;
    view->group_stride[1] = stored ? 1 : n_groups;
}

static void release_density(struct quartet_views *views)
{
    for (int i = 0; i < views->n_pairs; i++)
        density_tiles_release(views->density, views->pair[i]);
    views->n_pairs = 0;
}

enum status quartet_views_begin(struct quartet_views *views, const struct tile_quartet *quartet)
{
    int64_t tiles[4] = {quartet->I, quartet->J, quartet->K, quartet->L};
    memcpy(views->tile, tiles, sizeof tiles);
    views->n_pairs = 0;
    const struct density_tile *D[6];
    for (int r = 0; r < 4; r++) {
        for (int s = r + 1; s < 4; s++) {
            bool is_new;
            int slot = slot_of_pair(views, tile_pair_index_unordered(tiles[r], tiles[s]), &is_new);
            if (is_new) {
                enum status status = density_tiles_pin(views->density, views->pair[slot], &D[slot]);
                if (status != STATUS_OK) {
                    views->n_pairs--;
                    release_density(views);
                    return status;
                }
            }
            set_view(views, r, s, slot, D[slot]);
            set_view(views, s, r, slot, D[slot]);
        }
    }
    memset(views->blocks, 0,
           (size_t)(views->n_pairs * density_n_blocks(&views->kind) * view_block_size(views)) *
               sizeof(double));
    return STATUS_OK;
}

static enum status accumulate_blocks(const struct quartet_views *views)
{
    for (int i = 0; i < views->n_pairs; i++) {
        const double *block =
            views->blocks + i * density_n_blocks(&views->kind) * view_block_size(views);
        for (int k = 0; k < views->kind.n_matrices; k++) {
            int c = density_coulomb(&views->kind, k);
            int64_t exchange = density_block(&views->kind, k) * view_block_size(views);
            TRY(fock_accumulator_add(views->accumulator, k, views->pair[i], block + exchange,
                                     c >= 0 ? block + c * view_block_size(views) : NULL));
        }
    }
    return STATUS_OK;
}

enum status quartet_views_end(struct quartet_views *views)
{
    enum status status = accumulate_blocks(views);
    release_density(views);
    return status;
}
