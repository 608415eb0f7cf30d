/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_images.h"

#include "tce/tensor/permute.h"

#include <string.h>

static int find_local_block(const struct local_blocks *blocks, int rank, const int32_t tiles[])
{
    int b = 0;
    while (b < blocks->n && memcmp(blocks->at[b], tiles, (size_t)rank * sizeof tiles[0]) != 0)
        b++;
    return b;
}

/* Adds the image of one of the blocks of `from` to a block: element x of it is from[x_p(0), x_p(1), ...]. */
static void add_image(const struct tile_loop_tensor *tensor, const struct local_blocks *blocks,
                      int block, const struct sum_permutation *permutation,
                      const struct loop_position *at, const struct local_tensor *local,
                      const double *from)
{
    const int rank = tensor->labels.rank, *place = permutation->place;
    struct permute_shape shape = {.rank = rank};
    int32_t tiles[MAX_RANK];
    int64_t stride = 1;
    loop_local_extents(at, tensor, blocks->at[block], shape.extent);
    for (int d = 0; d < rank; d++)
        tiles[d] = blocks->at[block][place[d]];
    for (int d = rank - 1; d >= 0; d--) {
        shape.stride[place[d]] = stride;
        stride *= shape.extent[place[d]];
    }
    int source = find_local_block(blocks, rank, tiles);
    if (source < blocks->n)
        permute(&shape, permutation->sign, from + local->offsets[source], true,
                local->elements + local->offsets[block]);
}

enum status loop_images_add(const struct tile_loop_tensor *tensor,
                            const struct local_blocks *blocks, const struct loop_sum *sum, int n,
                            const int numbers[], const struct loop_position *at,
                            struct block_buffers *buffers, const struct local_tensor *local)
{
    if (n == 0 || local->size == 0)
        return STATUS_OK;
    double *from = block_buffers_take(buffers, local->size);
    TRY(CHECK_MEMORY(from, "no memory for local tensor %s: take smaller tiles for its loop",
                     tensor->name));
    memcpy(from, local->elements, (size_t)local->size * sizeof *from);
    for (int i = 0; i < n; i++)
        for (int block = 0; block < blocks->n; block++)
            add_image(tensor, blocks, block, &sum->permutations[numbers[i]], at, local, from);
    block_buffers_give_back(buffers, from);
    return STATUS_OK;
}
