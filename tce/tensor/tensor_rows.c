/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/tensor_rows.h"

#include <stdlib.h>
#include <string.h>

static const struct block_labels *labels_of(const struct tensor_rows *rows)
{
    return block_index_labels(rows->tensor->blocks);
}

/* Elements of the largest row. */
static int64_t find_max_row(const struct tensor_rows *rows)
{
    const struct block_labels *labels = labels_of(rows);
    int64_t n = rows->all[rows->rank - 1];
    for (int d = 0; d < rows->rank - 1; d++)
        n *= labels->space[d]->max_tile;
    return n;
}

enum status tensor_rows_init(struct tensor *tensor, struct tensor_rows *rows)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    *rows = (struct tensor_rows){
        .tensor = tensor, .rank = labels->rank > 0 ? labels->rank : 1, .all = {1}};
    for (int d = 0; d < labels->rank; d++)
        rows->all[d] = labels->space[d]->size;
    int64_t n = find_max_row(rows);
    rows->elements = malloc((size_t)n * sizeof *rows->elements);
    rows->block = malloc((size_t)(tensor->max_block + 1) * sizeof *rows->block);
    if (rows->elements && rows->block)
        return STATUS_OK;
    tensor_rows_fini(rows);
    return FAIL(STATUS_NO_MEMORY, "no memory for %lld numbers of tensor %s", (long long)n,
                tensor->name);
}

void tensor_rows_fini(struct tensor_rows *rows)
{
    free(rows->elements);
    free(rows->block);
    *rows = (struct tensor_rows){0};
}

/* The block after the last one whose tiles are these but for the last. */
static int64_t find_end(const struct tensor_rows *rows, const int32_t tile[])
{
    int64_t end = rows->begin + 1;
    for (; end < block_index_n(rows->tensor->blocks); end++) {
        int32_t other[MAX_RANK];
        block_index_tuple(rows->tensor->blocks, end, other);
        if (memcmp(tile, other, (size_t)(rows->rank - 1) * sizeof *tile) != 0)
            break;
    }
    return end;
}

bool tensor_rows_next(struct tensor_rows *rows)
{
    const struct block_labels *labels = labels_of(rows);
    int last = rows->rank - 1;
    int32_t tile[MAX_RANK];
    rows->begin = rows->end;
    if (rows->begin == block_index_n(rows->tensor->blocks))
        return false;
    block_index_tuple(rows->tensor->blocks, rows->begin, tile);
    rows->end = labels->rank > 0 ? find_end(rows, tile) : rows->begin + 1;
    rows->first[last] = 0;
    rows->size[last] = rows->n_elements = rows->all[last];
    for (int d = 0; d < last; d++) {
        rows->first[d] = labels->space[d]->first[tile[d]];
        rows->size[d] = index_space_tile_size(labels->space[d], tile[d]);
        rows->n_elements *= rows->size[d];
    }
    return true;
}

/* Where a block is in the row: its elements are n_lines times width, one after another. */
struct block_place {
    double *start;
    int64_t width, n_lines;
};

static struct block_place place_of(const struct tensor_rows *rows, int64_t block)
{
    const struct block_labels *labels = labels_of(rows);
    struct block_place place = {rows->elements, 1, rows->n_elements / rows->all[rows->rank - 1]};
    if (labels->rank == 0)
        return place;
    const struct index_space *space = labels->space[labels->rank - 1];
    int32_t tile[MAX_RANK];
    block_index_tuple(rows->tensor->blocks, block, tile);
    place.start += space->first[tile[labels->rank - 1]];
    place.width = index_space_tile_size(space, tile[labels->rank - 1]);
    return place;
}

void tensor_rows_get(const struct tensor_rows *rows)
{
    int64_t stride = rows->all[rows->rank - 1];
    memset(rows->elements, 0, (size_t)rows->n_elements * sizeof *rows->elements);
    for (int64_t block = rows->begin; block < rows->end; block++) {
        struct block_place place = place_of(rows, block);
        darray_get(rows->tensor->data, block, rows->block);
        for (int64_t line = 0; line < place.n_lines; line++)
            memcpy(place.start + line * stride, rows->block + line * place.width,
                   (size_t)place.width * sizeof(double));
    }
}

void tensor_rows_put(const struct tensor_rows *rows)
{
    int64_t stride = rows->all[rows->rank - 1];
    for (int64_t block = rows->begin; block < rows->end; block++) {
        struct block_place place = place_of(rows, block);
        for (int64_t line = 0; line < place.n_lines; line++)
            memcpy(rows->block + line * place.width, place.start + line * stride,
                   (size_t)place.width * sizeof(double));
        darray_put(rows->tensor->data, block, rows->block);
    }
}
