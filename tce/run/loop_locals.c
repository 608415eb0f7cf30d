/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_locals.h"

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

/* The tile of a place of a local tensor. */
static int32_t find_tile(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                         const int32_t tiles[], int d)
{
    return tensor->loop_index[d] >= 0 ? at->tuple[tensor->loop_index[d]] : tiles[d];
}

int64_t loop_local_size(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                        const int32_t tiles[])
{
    int64_t size = 1;
    for (int d = 0; d < tensor->labels.rank; d++)
        size *= index_space_tile_size(tensor->labels.space[d], find_tile(at, tensor, tiles, d));
    return size;
}

/* Finds room for the tensor's blocks. */
static enum status lay_out_local(const struct tile_loop_tensor *tensor,
                                 const struct local_blocks *blocks, const struct loop_position *at,
                                 struct block_buffers *buffers, struct local_tensor *local)
{
    TRY(reserve_local_blocks(tensor, blocks->n, local));
    local->size = 0;
    for (int b = 0; b < blocks->n; b++) {
        local->offsets[b] = local->size;
        local->size += loop_local_size(at, tensor, blocks->at[b]);
    }
    return reserve_local_elements(tensor, local->size, buffers, local);
}

static enum status fill_local(const struct tile_loop_tensor *tensor,
                              const struct local_blocks *blocks, const struct tile_fill *fill,
                              const struct loop_position *at, const struct local_tensor *local)
{
    for (int b = 0; b < blocks->n; b++) {
        int64_t first[MAX_RANK], extent[MAX_RANK];
        for (int d = 0; d < tensor->labels.rank; d++) {
            const struct index_space *space = tensor->labels.space[d];
            int32_t tile = find_tile(at, tensor, blocks->at[b], d);
            first[d] = space->first[tile];
            extent[d] = index_space_tile_size(space, tile);
        }
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
        if (!tensor->local)
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
