/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/operands.h"

#include "support/base/array.h"
#include "support/base/integers.h"
#include "tce/dense/product_panels.h"

#include <stdlib.h>
#include <string.h>

/* A factor, and the number of its first block, counted over all factors. */
struct numbered_factor {
    struct factor factor;
    int64_t first;        /* in the cache */
    int64_t first_stored; /* of a view, in the cache of stored blocks */
};

/* A prefetch in flight. */
struct channel {
    const struct factor *announced; /* NULL: none is */
    int64_t block;
    double *buffer;
    struct darray_request request;
};
enum { N_CHANNELS = 2, CHANNEL_BLOCKS = 2 }; /* in flight, and one beyond the budget */

int64_t operands_bytes(int64_t max_block)
{
    return (int64_t)N_CHANNELS * CHANNEL_BLOCKS * block_buffers_bytes(max_block);
}

struct operands {
    struct contraction_settings settings;
    int n;
    struct numbered_factor *factors;
    struct channel channels[N_CHANNELS]; /* of A, of B */
    struct item_cache *cache;            /* of all factors */
    struct item_cache *stored;           /* of other processes' blocks that views are made of */
    int wanted;                          /* the factor whose block a cache is to load */
};

static enum status no_memory(const struct factor *factor)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for a block of tensor %s", factor->tensor->name);
}

static void give_back(int64_t number, void *item, void *context)
{
    const struct operands *operands = context;
    (void)number;
    block_buffers_give_back(operands->settings.buffers, item);
}

/* --- blocks as they lie --- */

static double *make_buffer(const struct operands *operands, const struct factor *factor,
                           int64_t block)
{
    return block_buffers_take(operands->settings.buffers,
                              darray_block_size(factor->tensor->data, block));
}

/* Completes and drops a transfer that is not needed. */
static void forget_announced(struct operands *operands, struct channel *channel)
{
    if (!channel->announced)
        return;
    darray_get_end(&channel->request);
    block_buffers_give_back(operands->settings.buffers, channel->buffer);
    channel->announced = NULL;
}

/* The block as it lies, announced or not. NULL without memory. */
static double *receive_block(struct operands *operands, struct channel *channel,
                             const struct factor *factor, int64_t block)
{
    if (channel->announced == factor && channel->block == block) {
        darray_get_end(&channel->request);
        channel->announced = NULL;
        return channel->buffer;
    }
    double *buffer = make_buffer(operands, factor, block);
    if (buffer)
        darray_get(factor->tensor->data, block, buffer);
    return buffer;
}

/* --- views --- */

/* A block of a view, in values of the tensor's indices. */
struct view_box {
    int rank;
    int64_t first[MAX_RANK], end[MAX_RANK], to_stride[MAX_RANK], size;
    int64_t depth; /* values that are summed over */
};

/* The place in the tensor of entry i of a view's order. A list with a diagonal is in the tensor's order. */
static int place_in_tensor(const struct factor *factor, int i)
{
    const struct index_list *own = &factor->own;
    int index = factor->view.order.index[i];
    return index_list_count(own, index) > 1 ? i : index_list_place(own, index);
}

static struct view_box find_box(const struct factor *factor, int64_t block)
{
    const struct block_labels *labels = block_index_labels(factor->view.blocks);
    struct view_box box = {.rank = labels->rank, .size = 1, .depth = 1};
    int32_t tile[MAX_RANK];
    block_index_tuple(factor->view.blocks, block, tile);
    for (int d = 0; d < labels->rank; d++) {
        box.first[d] = labels->space[d]->first[tile[d]];
        box.end[d] = labels->space[d]->first[tile[d] + 1];
    }
    for (int i = labels->rank - 1; i >= 0; i--) {
        int d = place_in_tensor(factor, i);
        box.to_stride[d] = box.size;
        box.size *= box.end[d] - box.first[d];
        if (i < factor->view.n_summed)
            box.depth *= box.end[d] - box.first[d];
    }
    return box;
}

/* Largest size of padded panels over the size of the block. */
#define MAX_FILLED_UP 1.25

/* The form of a view's block; *size: its elements, padding included. */
static enum factor_form choose_form(const struct factor *factor, const struct view_box *box,
                                    int64_t *size)
{
    enum factor_form form = factor->view.form;
    *size = box->size;
    if (form == BY_STRIDES || box->size == 0)
        return BY_STRIDES;
    int64_t of_panels = product_panels_size(form, box->size / box->depth, box->depth);
    if ((double)of_panels > MAX_FILLED_UP * (double)box->size)
        return BY_STRIDES;
    *size = of_panels;
    return form;
}

/* A stored block that a view is made of, read in place or cached. */
static enum status load_stored(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct operands *operands = context;
    const struct numbered_factor *wanted = &operands->factors[operands->wanted];
    struct darray *data = wanted->factor.tensor->data;
    int64_t block = number - wanted->first_stored, size = darray_block_size(data, block);
    double *buffer = *item = block_buffers_take(operands->settings.buffers, size);
    *bytes = block_buffers_bytes(size);
    if (!buffer)
        return no_memory(&wanted->factor);
    darray_get(data, block, buffer);
    return STATUS_OK;
}

/* Copies what a stored block has of the box. */
static enum status copy_stored(struct operands *operands, const struct numbered_factor *view,
                               const struct view_box *box, const int32_t tile[], double *to)
{
    const struct tensor *tensor = view->factor.tensor;
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    int64_t block = block_index_number(tensor->blocks, tile), stride = 1;
    int64_t extent[MAX_RANK], from_stride[MAX_RANK];
    void *fetched = NULL;
    if (block < 0)
        return STATUS_OK; /* labels that are summed over or left out: zero */
    const double *from = darray_near(tensor->data, block);
    if (!from) {
        TRY(item_cache_pin(operands->stored, view->first_stored + block, &fetched));
        from = fetched;
    }
    for (int d = box->rank - 1; d >= 0; d--) {
        int64_t tile_first = labels->space[d]->first[tile[d]];
        int64_t tile_end = labels->space[d]->first[tile[d] + 1];
        int64_t first = max_int64(box->first[d], tile_first);
        extent[d] = min_int64(box->end[d], tile_end) - first;
        from_stride[d] = stride;
        from += (first - tile_first) * stride;
        to += (first - box->first[d]) * box->to_stride[d];
        stride *= tile_end - tile_first;
    }
    blocks_copy_box(box->rank, extent, from_stride, from, box->to_stride, to);
    if (fetched)
        item_cache_release(operands->stored, view->first_stored + block);
    return STATUS_OK;
}

/* Fills the box from all stored blocks that overlap with it. */
static enum status fill_box(struct operands *operands, const struct numbered_factor *view,
                            const struct view_box *box, double *to)
{
    const struct block_labels *labels = block_index_labels(view->factor.tensor->blocks);
    int32_t first[MAX_RANK], last[MAX_RANK], tile[MAX_RANK];
    for (int d = 0; d < box->rank; d++) {
        const struct index_space *space = labels->space[d];
        first[d] = (int32_t)array_find_last(space->first, space->n_tiles, box->first[d]);
        last[d] = (int32_t)array_find_last(space->first, space->n_tiles, box->end[d] - 1);
        tile[d] = first[d];
    }
    memset(to, 0, (size_t)box->size * sizeof *to);
    for (;;) {
        TRY(copy_stored(operands, view, box, tile, to));
        int d = box->rank - 1;
        for (; d >= 0 && tile[d] == last[d]; d--)
            tile[d] = first[d];
        if (d < 0)
            return STATUS_OK;
        tile[d]++;
    }
}

/* The filled box in the form that products read, and *size elements of it; NULL without memory. It is the box
 * itself where that is the form. */
static double *form_view(const struct operands *operands, const struct factor *factor,
                         const struct view_box *box, double *matrix, int64_t *size)
{
    enum factor_form form = choose_form(factor, box, size);
    if (form == BY_STRIDES)
        return matrix;
    double *panels = block_buffers_take(operands->settings.buffers, *size);
    if (panels)
        product_panels_pack(form, box->size / box->depth, box->depth, matrix, panels);
    return panels;
}

/* A block of a view. NULL after a failure; *size elements */
static double *load_view(struct operands *operands, const struct numbered_factor *view,
                         int64_t block, int64_t *size)
{
    struct view_box box = find_box(&view->factor, block);
    double *matrix = block_buffers_take(operands->settings.buffers, box.size), *formed = NULL;
    if (matrix && fill_box(operands, view, &box, matrix) == STATUS_OK)
        formed = form_view(operands, &view->factor, &box, matrix, size);
    if (formed != matrix)
        block_buffers_give_back(operands->settings.buffers, matrix);
    return formed;
}

/* --- the cache --- */

/* NULL without memory; *size elements. */
static double *load_block(struct operands *operands, int number, int64_t block, int64_t *size)
{
    const struct numbered_factor *from = &operands->factors[number];
    if (from->factor.view.blocks)
        return load_view(operands, from, block, size);
    *size = darray_block_size(from->factor.tensor->data, block);
    return receive_block(operands, &operands->channels[number % N_CHANNELS], &from->factor, block);
}

static enum status load_operand(int64_t item_number, void *context, void **item, int64_t *bytes)
{
    struct operands *operands = context;
    const struct numbered_factor *wanted = &operands->factors[operands->wanted];
    int64_t size = 0;
    *item = load_block(operands, operands->wanted, item_number - wanted->first, &size);
    *bytes = block_buffers_bytes(size);
    return *item ? STATUS_OK : no_memory(&wanted->factor);
}

/* --- creation --- */

static bool are_same_views(const struct factor *left, const struct factor *right)
{
    if (!left->view.blocks || !right->view.blocks)
        return left->view.blocks == right->view.blocks;
    const struct block_labels *a = block_index_labels(left->view.blocks);
    const struct block_labels *b = block_index_labels(right->view.blocks);
    bool same = left->view.form == right->view.form && left->view.n_summed == right->view.n_summed;
    for (int d = 0; same && d < a->rank; d++)
        same = a->space[d] == b->space[d] && place_in_tensor(left, d) == place_in_tensor(right, d);
    return same;
}

/* Whether both factors have the same blocks: steps number indices each in their own way. */
static bool is_same(const struct factor *left, const struct factor *right)
{
    return left->tensor == right->tensor && are_same_views(left, right);
}

/* Blocks in the caches. */
struct item_counts {
    int64_t all, stored;
};

static int64_t count_blocks(const struct factor *factor)
{
    return block_index_n(factor->view.blocks ? factor->view.blocks : factor->tensor->blocks);
}

/* Blocks of a factor that an earlier one reads too have the numbers that they have there; likewise stored
 * blocks of views of one tensor. */
static void number_blocks(struct operands *operands, int number, struct item_counts *counts)
{
    struct numbered_factor *factor = &operands->factors[number];
    struct numbered_factor *same = NULL, *same_tensor = NULL;
    for (int i = 0; i < number; i++) {
        struct numbered_factor *earlier = &operands->factors[i];
        if (earlier->factor.tensor != factor->factor.tensor)
            continue;
        same_tensor = earlier->factor.view.blocks ? earlier : same_tensor;
        same = !same && is_same(&earlier->factor, &factor->factor) ? earlier : same;
    }
    factor->first = same ? same->first : counts->all;
    counts->all += same ? 0 : count_blocks(&factor->factor);
    if (!factor->factor.view.blocks)
        return;
    factor->first_stored = same_tensor ? same_tensor->first_stored : counts->stored;
    counts->stored += same_tensor ? 0 : block_index_n(factor->factor.tensor->blocks);
}

/* Bytes of all blocks of other processes that views are made of. */
static int64_t count_remote_bytes(const struct operands *operands)
{
    int64_t bytes = 0, counted = 0;
    for (int i = 0; i < operands->n; i++) {
        const struct numbered_factor *view = &operands->factors[i];
        if (!view->factor.tensor || !view->factor.view.blocks || view->first_stored < counted)
            continue;
        const struct tensor *tensor = view->factor.tensor;
        int64_t n = block_index_n(tensor->blocks);
        counted = view->first_stored + n;
        for (int64_t b = 0; b < n; b++)
            if (!darray_near(tensor->data, b))
                bytes += block_buffers_bytes(darray_block_size(tensor->data, b));
    }
    return bytes;
}

static enum status create_caches(struct operands *operands, const struct item_counts *counts)
{
    const struct contraction_settings *settings = &operands->settings;
    const struct item_cache_source of_all = {load_operand, give_back, operands};
    const struct item_cache_source of_stored = {load_stored, give_back, operands};
    int64_t stored_bytes = min_int64(count_remote_bytes(operands), settings->cache_bytes / 2);
    TRY(item_cache_create(counts->all, settings->cache_bytes - stored_bytes, &of_all,
                          &operands->cache));
    return item_cache_create(counts->stored, stored_bytes, &of_stored, &operands->stored);
}

enum status operands_create(int n, const struct factor factors[],
                            const struct contraction_settings *settings, struct operands **operands)
{
    struct operands *made = *operands = calloc(1, sizeof *made);
    struct item_counts counts = {0};
    TRY(CHECK_MEMORY(made, "no memory for the factors of %d steps", n / 2));
    made->settings = *settings;
    made->n = n;
    made->factors = calloc((size_t)n + 1, sizeof *made->factors);
    TRY(CHECK_MEMORY(made->factors, "no memory for the factors of %d steps", n / 2));
    for (int i = 0; i < n; i++) {
        made->factors[i].factor = factors[i];
        if (factors[i].tensor)
            number_blocks(made, i, &counts);
    }
    return create_caches(made, &counts);
}

void operands_destroy(struct operands *operands)
{
    if (!operands)
        return;
    for (int c = 0; c < N_CHANNELS; c++)
        forget_announced(operands, &operands->channels[c]);
    item_cache_destroy(operands->cache);
    item_cache_destroy(operands->stored);
    free(operands->factors);
    free(operands);
}

/* --- use --- */

/* Where the block is used without having been loaded, or NULL. */
static const double *find_in_place(const struct factor *factor, int64_t block)
{
    return factor->view.blocks ? NULL : darray_near(factor->tensor->data, block);
}

void operands_announce(struct operands *operands, int number, const struct stored_block *block)
{
    const struct numbered_factor *numbered = &operands->factors[number];
    const struct factor *factor = &numbered->factor;
    struct channel *channel = &operands->channels[number % N_CHANNELS];
    if (!operands->settings.prefetch || factor->view.blocks ||
        (channel->announced == factor && channel->block == block->block) ||
        darray_near(factor->tensor->data, block->block) ||
        item_cache_holds(operands->cache, numbered->first + block->block))
        return;
    forget_announced(operands, channel);
    channel->buffer = make_buffer(operands, factor, block->block);
    /* Without memory the pin that follows will say so. */
    if (!channel->buffer)
        return;
    darray_get_begin(factor->tensor->data, block->block, channel->buffer, &channel->request);
    channel->announced = factor;
    channel->block = block->block;
}

/* All but the elements. */
static void describe_block(const struct factor *factor, const struct stored_block *block,
                           const int64_t extent[MAX_INDICES], struct operand_block *pinned)
{
    struct index_list order = factor->own;
    *pinned = (struct operand_block){.form = BY_STRIDES, .sign = 1};
    if (factor->view.blocks) {
        const struct view_box box = find_box(factor, block->block);
        int64_t size;
        order = factor->view.order;
        pinned->form = choose_form(factor, &box, &size);
    } else {
        const struct signed_permutation image =
            block_index_image(factor->tensor->blocks, block->image);
        order = blocks_stored_order(&factor->own, &image);
        pinned->sign = image.sign;
        pinned->n_stored = darray_block_size(factor->tensor->data, block->block);
    }
    pinned->strides = block_strides_of(&order, extent);
}

enum status operands_pin(struct operands *operands, int number, const struct stored_block *block,
                         const int64_t extent[MAX_INDICES], struct operand_block *pinned)
{
    const struct numbered_factor *numbered = &operands->factors[number];
    const struct factor *factor = &numbered->factor;
    void *item;
    describe_block(factor, block, extent, pinned);
    pinned->elements = find_in_place(factor, block->block);
    if (pinned->elements)
        return STATUS_OK;
    operands->wanted = number;
    TRY(item_cache_pin(operands->cache, numbered->first + block->block, &item));
    pinned->elements = item;
    return STATUS_OK;
}

void operands_release(struct operands *operands, int number, const struct stored_block *block)
{
    const struct numbered_factor *numbered = &operands->factors[number];
    if (!find_in_place(&numbered->factor, block->block))
        item_cache_release(operands->cache, numbered->first + block->block);
}
