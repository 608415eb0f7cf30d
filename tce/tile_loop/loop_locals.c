/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_locals.h"

#include <stdlib.h>

static enum status no_memory_for_local(const struct tile_loop_tensor *tensor)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for local tensor %s: take smaller tiles for its loop",
                tensor->name);
}

static enum status reserve_local_blocks(const struct tile_loop_tensor *tensor, int n,
                                        struct local_tensor *local)
{
    if (n <= local->block_capacity)
        return STATUS_OK;
    free(local->offsets);
    local->offsets = malloc((size_t)n * sizeof *local->offsets);
    local->block_capacity = local->offsets ? n : 0;
    return local->offsets ? STATUS_OK : no_memory_for_local(tensor);
}

static enum status reserve_local_elements(const struct tile_loop_tensor *tensor, int64_t n,
                                          struct block_buffers *buffers, struct local_tensor *local)
{
    if (n <= local->capacity)
        return STATUS_OK;
    block_buffers_give_back(buffers, local->elements);
    local->elements = block_buffers_take(buffers, n);
    local->capacity = local->elements ? n : 0;
    return local->elements ? STATUS_OK : no_memory_for_local(tensor);
}

/* The values of a place of a local tensor. */
static void find_values(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                        const int32_t tiles[], int d, int64_t *first, int64_t *extent)
{
    const struct index_space *space = tensor->labels.space[d];
    int of_loop = tensor->loop_index[d];
    int32_t tile = of_loop >= 0 ? at->tuple[of_loop] : tiles[d];
    *first = space->first[tile] + (of_loop >= 0 ? at->range.first[of_loop] : 0);
    *extent = of_loop >= 0 ? at->range.extent[of_loop] : index_space_tile_size(space, tile);
}

void loop_local_extents(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                        const int32_t tiles[], int64_t extent[MAX_RANK])
{
    int64_t first;
    for (int d = 0; d < tensor->labels.rank; d++)
        find_values(at, tensor, tiles, d, &first, &extent[d]);
}

/* Finds room for the tensor's blocks. */
static enum status lay_out_local(const struct tile_loop_tensor *tensor,
                                 const struct local_blocks *blocks, const struct loop_position *at,
                                 struct block_buffers *buffers, struct local_tensor *local)
{
    TRY(reserve_local_blocks(tensor, blocks->n, local));
    local->size = 0;
    for (int b = 0; b < blocks->n; b++) {
        int64_t size = 1, first, extent;
        for (int d = 0; d < tensor->labels.rank; d++) {
            find_values(at, tensor, blocks->at[b], d, &first, &extent);
            size *= extent;
        }
        local->offsets[b] = local->size;
        local->size += size;
    }
    return reserve_local_elements(tensor, local->size, buffers, local);
}

static enum status fill_local(const struct tile_loop_tensor *tensor,
                              const struct local_blocks *blocks, const struct tile_fill *fill,
                              const struct loop_position *at, const struct local_tensor *local)
{
    for (int b = 0; b < blocks->n; b++) {
        int64_t first[MAX_RANK], extent[MAX_RANK];
        for (int d = 0; d < tensor->labels.rank; d++)
            find_values(at, tensor, blocks->at[b], d, &first[d], &extent[d]);
        TRY(fill->fill(tensor->labels.rank, first, extent, local->elements + local->offsets[b],
                       fill->context));
    }
    return STATUS_OK;
}

enum status loop_locals_begin(const struct tile_loop_problem *problem,
                              const struct tile_fill fills[], const struct loop_position *at,
                              struct block_buffers *buffers, struct local_tensor locals[])
{
    for (int t = 0; t < problem->n_tensors; t++) {
        const struct tile_loop_tensor *tensor = &problem->tensors[t];
        const struct local_blocks *blocks = &at->products->locals[t];
        if (!tensor->local || tensor->of_slice != at->in_slice)
            continue;
        TRY(lay_out_local(tensor, blocks, at, buffers, &locals[t]));
        if (fills[t].fill)
            TRY(fill_local(tensor, blocks, &fills[t], at, &locals[t]));
    }
    return STATUS_OK;
}

void local_tensor_fini(struct local_tensor *local, struct block_buffers *buffers)
{
    block_buffers_give_back(buffers, local->elements);
    free(local->offsets);
    *local = (struct local_tensor){0};
}
