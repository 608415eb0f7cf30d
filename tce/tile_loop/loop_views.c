/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_views.h"

#include "support/arrays/item_cache.h"
#include "support/base/array.h"
#include "support/base/integers.h"
#include "tce/dense/product_panels.h"
#include "tce/tensor/block_buffers.h"

#include <stdlib.h>
#include <string.h>

struct view {
    struct loop_view_source source;
    int64_t first_number; /* of its blocks among all views' */
    int64_t first_stored; /* of the tensor's blocks among those of all tensors */
};

struct loop_views {
    int n;
    struct view *views;
    struct block_buffers *buffers;
    struct item_cache *cache;  /* of view blocks */
    struct item_cache *stored; /* of blocks of other processes */
    const struct view *wanted; /* that is being loaded */
};

static enum status no_memory_for_view(const struct view *view)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for a part of tensor %s", view->source.tensor->name);
}

/* --- stored blocks --- */

static enum status load_stored(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct loop_views *self = context;
    const struct view *view = self->wanted;
    int64_t block = number - view->first_stored;
    int64_t size = darray_block_size(view->source.tensor->data, block);
    double *buffer = block_buffers_take(self->buffers, size);
    *item = buffer;
    *bytes = block_buffers_bytes(size);
    if (!buffer)
        return no_memory_for_view(view);
    darray_get(view->source.tensor->data, block, buffer);
    return STATUS_OK;
}

static void unload_buffer(int64_t number, void *item, void *context)
{
    struct loop_views *self = context;
    (void)number;
    block_buffers_give_back(self->buffers, item);
}

/* --- views --- */

/* A box of elements in a stored block and its place in the view. */
struct part {
    int rank;
    int64_t extent[MAX_RANK], from_stride[MAX_RANK], to_stride[MAX_RANK];
};

/* The loops with the innermost one fastest on the side that is written. */
static void copy_part(const struct part *part, const double *from, double *to)
{
    int inner = part->rank - 1;
    for (int d = 0; d < part->rank; d++)
        if (part->extent[d] > 1 &&
            (part->extent[inner] == 1 || part->to_stride[d] < part->to_stride[inner]))
            inner = d;
    if (part->rank == 0) {
        *to = *from;
        return;
    }
    int64_t n = part->extent[inner], to_stride = part->to_stride[inner];
    int64_t from_stride = part->from_stride[inner], value[MAX_RANK] = {0};
    for (;;) {
        for (int64_t i = 0; i < n; i++)
            to[i * to_stride] = from[i * from_stride];
        int d = part->rank - 1;
        for (; d >= 0; d--) {
            if (d == inner)
                continue;
            from += part->from_stride[d];
            to += part->to_stride[d];
            if (++value[d] < part->extent[d])
                break;
            from -= value[d] * part->from_stride[d];
            to -= value[d] * part->to_stride[d];
            value[d] = 0;
        }
        if (d < 0)
            return;
    }
}

/* The box that a block of the view is, in values of the tensor's indices. */
struct view_box {
    int rank;
    int64_t first[MAX_RANK], end[MAX_RANK], to_stride[MAX_RANK], size;
    int64_t depth; /* values that are summed over */
};

static struct view_box find_box(const struct view *view, int64_t block)
{
    const struct block_labels *labels = block_index_labels(view->source.blocks);
    struct view_box box = {.rank = labels->rank, .size = 1, .depth = 1};
    int32_t tile[MAX_RANK];
    block_index_tuple(view->source.blocks, block, tile);
    for (int d = 0; d < labels->rank; d++) {
        box.first[d] = labels->space[d]->first[tile[d]];
        box.end[d] = labels->space[d]->first[tile[d] + 1];
    }
    for (int i = labels->rank - 1; i >= 0; i--) {
        int d = view->source.place[i];
        box.to_stride[d] = box.size;
        box.size *= box.end[d] - box.first[d];
        if (i < view->source.n_summed)
            box.depth *= box.end[d] - box.first[d];
    }
    return box;
}

/* Panels may be so much larger than what they are of. */
#define MAX_FILLED_UP 1.25

/* Form and size of the view's block once it is loaded. */
static struct view_block describe_view_block(const struct view *view, const struct view_box *box)
{
    struct view_block block = {.form = view->source.form, .size = box->size};
    if (block.form != BY_STRIDES && box->size > 0)
        block.size = product_panels_size(block.form, box->size / box->depth, box->depth);
    if ((double)block.size > MAX_FILLED_UP * (double)box->size)
        block = (struct view_block){.form = BY_STRIDES, .size = box->size};
    return block;
}

/* Copies what a stored block has of the box. */
static enum status copy_stored(struct loop_views *self, const struct view *view,
                               const struct view_box *box, const int32_t tile[], double *to)
{
    const struct tensor *tensor = view->source.tensor;
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    int64_t block = block_index_number(tensor->blocks, tile), stride = 1;
    struct part part = {.rank = box->rank};
    void *fetched = NULL;
    if (block < 0)
        return STATUS_OK; /* labels that are summed over or left out: zero */
    const double *from = darray_near(tensor->data, block);
    if (!from) {
        self->wanted = view;
        TRY(item_cache_pin(self->stored, view->first_stored + block, &fetched));
        from = fetched;
    }
    for (int d = box->rank - 1; d >= 0; d--) {
        int64_t tile_first = labels->space[d]->first[tile[d]];
        int64_t tile_end = labels->space[d]->first[tile[d] + 1];
        int64_t first = box->first[d] > tile_first ? box->first[d] : tile_first;
        int64_t end = box->end[d] < tile_end ? box->end[d] : tile_end;
        part.extent[d] = end - first;
        part.from_stride[d] = stride;
        part.to_stride[d] = box->to_stride[d];
        from += (first - tile_first) * stride;
        to += (first - box->first[d]) * box->to_stride[d];
        stride *= tile_end - tile_first;
    }
    copy_part(&part, from, to);
    if (fetched)
        item_cache_release(self->stored, view->first_stored + block);
    return STATUS_OK;
}

/* Fills the box from all stored blocks that overlap with it. */
static enum status fill_box(struct loop_views *self, const struct view *view,
                            const struct view_box *box, double *to)
{
    const struct block_labels *labels = block_index_labels(view->source.tensor->blocks);
    int32_t first[MAX_RANK], last[MAX_RANK], tile[MAX_RANK];
    for (int d = 0; d < box->rank; d++) {
        const struct index_space *space = labels->space[d];
        first[d] = (int32_t)array_find_last(space->first, space->n_tiles, box->first[d]);
        last[d] = (int32_t)array_find_last(space->first, space->n_tiles, box->end[d] - 1);
        tile[d] = first[d];
    }
    for (;;) {
        TRY(copy_stored(self, view, box, tile, to));
        int d = box->rank - 1;
        for (; d >= 0 && tile[d] == last[d]; d--)
            tile[d] = first[d];
        if (d < 0)
            return STATUS_OK;
        tile[d]++;
    }
}

/* The box, row-major. */
static enum status load_box(struct loop_views *self, const struct view *view,
                            const struct view_box *box, double **elements)
{
    double *buffer = block_buffers_take(self->buffers, box->size);
    *elements = NULL;
    if (!buffer)
        return no_memory_for_view(view);
    memset(buffer, 0, (size_t)box->size * sizeof *buffer);
    enum status status = fill_box(self, view, box, buffer);
    if (status != STATUS_OK)
        block_buffers_give_back(self->buffers, buffer);
    else
        *elements = buffer;
    return status;
}

static enum status load_view(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct loop_views *self = context;
    const struct view *view = self->wanted;
    struct view_box box = find_box(view, number - view->first_number);
    struct view_block block = describe_view_block(view, &box);
    double *matrix, *panels;
    TRY(load_box(self, view, &box, &matrix));
    *item = matrix;
    *bytes = block_buffers_bytes(block.size);
    if (block.form == BY_STRIDES)
        return STATUS_OK;
    *item = panels = block_buffers_take(self->buffers, block.size);
    if (panels)
        product_panels_pack(block.form, box.size / box.depth, box.depth, matrix, panels);
    block_buffers_give_back(self->buffers, matrix);
    return panels ? STATUS_OK : no_memory_for_view(view);
}

enum status loop_views_pin(struct loop_views *self, int source, int64_t block,
                           struct view_block *pinned)
{
    void *item;
    const struct view *view = &self->views[source];
    const struct view_box box = find_box(view, block);
    *pinned = describe_view_block(view, &box);
    self->wanted = view;
    TRY(item_cache_pin(self->cache, view->first_number + block, &item));
    pinned->elements = item;
    return STATUS_OK;
}

void loop_views_release(struct loop_views *self, int source, int64_t block)
{
    item_cache_release(self->cache, self->views[source].first_number + block);
}

/* --- creation --- */

static bool is_same_view(const struct view *a, const struct view *b)
{
    const struct block_labels *left = block_index_labels(a->source.blocks);
    const struct block_labels *right = block_index_labels(b->source.blocks);
    bool same = a->source.tensor == b->source.tensor && a->source.form == b->source.form &&
                a->source.n_summed == b->source.n_summed;
    for (int d = 0; same && d < left->rank; d++)
        same = left->space[d] == right->space[d] && a->source.place[d] == b->source.place[d];
    return same;
}

/* Views that are the same share numbers, and so what is cached; likewise blocks of one tensor. */
static void number_views(struct loop_views *self, int64_t *n_blocks, int64_t *n_stored)
{
    *n_blocks = *n_stored = 0;
    for (int i = 0; i < self->n; i++) {
        struct view *view = &self->views[i];
        const struct view *same = NULL, *same_tensor = NULL;
        if (!view->source.tensor)
            continue;
        for (int j = 0; j < i; j++)
            if (self->views[j].source.tensor == view->source.tensor) {
                same_tensor = &self->views[j];
                same = !same && is_same_view(same_tensor, view) ? same_tensor : same;
            }
        view->first_number = same ? same->first_number : *n_blocks;
        view->first_stored = same_tensor ? same_tensor->first_stored : *n_stored;
        *n_blocks += same ? 0 : block_index_n(view->source.blocks);
        *n_stored += same_tensor ? 0 : block_index_n(view->source.tensor->blocks);
    }
}

/* Bytes of all blocks that lie on other processes. */
static int64_t count_remote_bytes(const struct loop_views *self)
{
    int64_t bytes = 0;
    for (int i = 0; i < self->n; i++) {
        const struct tensor *tensor = self->views[i].source.tensor;
        bool counted = !tensor;
        for (int j = 0; j < i; j++)
            counted = counted || self->views[j].source.tensor == tensor;
        for (int64_t b = 0, n = counted ? 0 : block_index_n(tensor->blocks); b < n; b++)
            if (!darray_near(tensor->data, b))
                bytes += block_buffers_bytes(darray_block_size(tensor->data, b));
    }
    return bytes;
}

enum status loop_views_create(int n, const struct loop_view_source sources[], int64_t cache_bytes,
                              struct block_buffers *buffers, struct loop_views **views)
{
    struct loop_views *made = *views = calloc(1, sizeof *made);
    int64_t n_blocks, n_stored;
    TRY(CHECK_MEMORY(made, "no memory for the tensors of a loop"));
    made->buffers = buffers;
    made->n = n;
    made->views = calloc((size_t)n + 1, sizeof *made->views);
    TRY(CHECK_MEMORY(made->views, "no memory for the tensors of a loop"));
    for (int i = 0; i < n; i++)
        made->views[i].source = sources[i];
    number_views(made, &n_blocks, &n_stored);
    struct item_cache_source view_source = {load_view, unload_buffer, made};
    struct item_cache_source stored_source = {load_stored, unload_buffer, made};
    int64_t remote_bytes = count_remote_bytes(made);
    int64_t stored_bytes = min_int64(remote_bytes, cache_bytes / 2);
    TRY(item_cache_create(n_blocks, cache_bytes - stored_bytes, &view_source, &made->cache));
    return item_cache_create(n_stored, stored_bytes, &stored_source, &made->stored);
}

void loop_views_destroy(struct loop_views *self)
{
    if (!self)
        return;
    item_cache_destroy(self->cache);
    item_cache_destroy(self->stored);
    free(self->views);
    free(self);
}
