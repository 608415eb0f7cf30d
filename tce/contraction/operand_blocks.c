/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/operand_blocks.h"

#include "tce/contraction/contraction_blocks.h"
#include "tce/tensor/block_buffers.h"

#include <stdlib.h>

/* A tensor that is read. */
struct factor {
    const struct tensor *tensor; /* NULL: there is no B */
    const struct block_layout *layout;
    bool constant;        /* its blocks are in `kept` */
    bool used_once;       /* no block is wanted by two tasks: none is kept */
    int64_t first_number; /* of its blocks in the cache */
};

/* How it arrives. A block that this process sees is read where it lies. Another one that is
 * reduced arrives in `arrival`, which is kept for all of them; one that is used as it is
 * arrives where it stays. */
struct channel {
    double *arrival;                /* for the largest block; NULL if none is reduced */
    const struct factor *announced; /* of the block on its way; NULL: none is */
    int64_t block;
    double *buffer; /* that it is on its way to */
    struct darray_request request;
    double *passing; /* the block that is pinned of a factor used once */
};
enum { CHANNEL_BLOCKS = 3 }; /* at a time: arrival, buffer, and passing or one beyond the budget */

int64_t operand_blocks_bytes(int64_t max_block)
{
    return (int64_t)N_OPERANDS * CHANNEL_BLOCKS * block_buffers_bytes(max_block);
}

struct operand_blocks {
    struct block_buffers *buffers;
    bool prefetch;
    int n_terms;
    struct factor *factors; /* of each term A and B */
    struct channel channels[N_OPERANDS];
    /* The block that the cache is to load, its factor, and the channel for it. */
    const struct stored_block *wanted_block;
    const struct factor *wanted;
    struct channel *wanted_from;
    struct item_cache *cache; /* of factors that are not constant */
    struct kept_blocks *kept;
};

static struct item_cache *cache_of(const struct operand_blocks *blocks, const struct factor *factor)
{
    return factor->constant ? blocks->kept->cache : blocks->cache;
}

static struct factor *factor_at(const struct operand_blocks *blocks, struct operand_place place)
{
    return &blocks->factors[place.term * N_OPERANDS + (int)place.operand];
}

static double *make_buffer(const struct operand_blocks *blocks, const struct channel *channel,
                           const struct factor *factor, int64_t block)
{
    if (factor->layout->reduced)
        return channel->arrival;
    return block_buffers_take(blocks->buffers, darray_block_size(factor->tensor->data, block));
}

/* Completes and drops a transfer that is not needed. */
static void forget_announced(struct operand_blocks *blocks, struct channel *channel)
{
    if (!channel->announced)
        return;
    darray_get_end(&channel->request);
    if (channel->buffer != channel->arrival)
        block_buffers_give_back(blocks->buffers, channel->buffer);
    channel->announced = NULL;
}

/* The block as it lies, announced or not; in `arrival` or to be freed. NULL without memory. */
static double *receive_block(struct operand_blocks *blocks, struct channel *channel,
                             const struct factor *factor, int64_t block)
{
    if (channel->announced == factor && channel->block == block) {
        darray_get_end(&channel->request);
        channel->announced = NULL;
        return channel->buffer;
    }
    /* There is one `arrival`. */
    forget_announced(blocks, channel);
    double *buffer = make_buffer(blocks, channel, factor, block);
    if (buffer)
        darray_get(factor->tensor->data, block, buffer);
    return buffer;
}

/* Extents of the tiles of a stored block, by index number; returns the reduced block's elements.
 * stored  the indices of its places */
static int64_t extents_of(const struct factor *factor, int64_t block,
                          const struct index_list *stored, int64_t extent[MAX_INDICES])
{
    const struct block_labels *labels = block_index_labels(factor->tensor->blocks);
    const struct index_list *order = &factor->layout->order;
    int32_t tile[MAX_RANK];
    block_index_tuple(factor->tensor->blocks, block, tile);
    for (int d = 0; d < stored->n; d++)
        extent[stored->index[d]] = index_space_tile_size(labels->space[d], tile[d]);
    int64_t size = 1;
    for (int d = 0; d < order->n; d++)
        size *= extent[order->index[d]];
    return size;
}

/* NULL without memory; *size elements. */
static double *load_reduced(struct operand_blocks *blocks, struct channel *channel,
                            const struct factor *factor, const struct stored_block *block,
                            int64_t *size)
{
    int64_t extent[MAX_INDICES];
    const struct signed_permutation image = block_index_image(factor->tensor->blocks, block->image);
    const struct index_list stored = contraction_stored_order(&factor->layout->own, &image);
    *size = extents_of(factor, block->block, &stored, extent);
    const double *source = darray_near(factor->tensor->data, block->block);
    if (!source)
        source = receive_block(blocks, channel, factor, block->block);
    double *reduced = source ? block_buffers_take(blocks->buffers, *size) : NULL;
    const struct block_strides strides = block_strides_of(&stored, extent);
    if (reduced)
        contraction_copy(&strides, &factor->layout->order, extent, image.sign, source, false,
                         reduced);
    return reduced;
}

/* NULL without memory; *size elements. */
static double *load_block(struct operand_blocks *blocks, struct channel *channel,
                          const struct factor *factor, const struct stored_block *block,
                          int64_t *size)
{
    *size = darray_block_size(factor->tensor->data, block->block);
    return factor->layout->reduced ? load_reduced(blocks, channel, factor, block, size)
                                   : receive_block(blocks, channel, factor, block->block);
}

/* In its cache: images of a stored block are reduced each in its own way. */
static int64_t item_of_block(const struct factor *factor, const struct stored_block *block)
{
    return factor->first_number + (factor->layout->reduced ? block->tuple : block->block);
}

static enum status no_memory(const struct factor *factor)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for a block of tensor %s", factor->tensor->name);
}

static enum status load_operand_block(int64_t number, void *context, void **item, int64_t *bytes)
{
    const struct kept_blocks *kept = context;
    struct operand_blocks *blocks = kept->user;
    const struct factor *factor = blocks->wanted;
    int64_t size;
    (void)number;
    *item = load_block(blocks, blocks->wanted_from, factor, blocks->wanted_block, &size);
    *bytes = block_buffers_bytes(size);
    return *item ? STATUS_OK : no_memory(factor);
}

static void unload_operand_block(int64_t number, void *item, void *context)
{
    const struct kept_blocks *kept = context;
    (void)number;
    block_buffers_give_back(kept->buffers, item);
}

/* Whether the indices have but one tuple of tiles. */
static bool is_one_tile(const struct contraction_indices *indices, enum index_role role)
{
    const struct index_list *group = &indices->group[role];
    for (int d = 0; d < group->n; d++)
        if (indices->space[group->index[d]]->n_tiles != 1)
            return false;
    return true;
}

/* The place in a block of each index of the other list is that of the index in the first one. */
static bool have_same_places(const struct block_layout *left, const struct index_list *of_left,
                             const struct block_layout *right, const struct index_list *of_right)
{
    bool same = of_left->n == of_right->n;
    for (int d = 0; same && d < of_left->n; d++)
        same = index_list_place(&left->own, of_left->index[d]) ==
               index_list_place(&right->own, of_right->index[d]);
    return same;
}

/* Whether both factors have the same blocks: contractions number indices each in their own way. */
static bool is_same(const struct factor *left, const struct factor *right)
{
    const struct block_layout *l = left->layout, *r = right->layout;
    if (left->tensor != right->tensor || left->constant != right->constant ||
        l->reduced != r->reduced)
        return false;
    return !l->reduced || (have_same_places(l, &l->own, r, &r->own) &&
                           have_same_places(l, &l->order, r, &r->order));
}

/* Blocks in the two caches. Constant factors get the same numbers each time. */
struct item_counts {
    int64_t kept, others;
};

/* Blocks of a factor that an earlier one reads too have the numbers that they have there. */
static void number_blocks(struct operand_blocks *blocks, struct factor *factor,
                          struct item_counts *counts)
{
    int64_t *n_items = factor->constant ? &counts->kept : &counts->others;
    for (struct factor *earlier = blocks->factors; earlier < factor; earlier++) {
        if (earlier->tensor && is_same(earlier, factor)) {
            factor->first_number = earlier->first_number;
            factor->used_once = earlier->used_once = false;
            return;
        }
    }
    factor->first_number = *n_items;
    *n_items += factor->layout->reduced ? block_index_n_tuples(factor->tensor->blocks)
                                        : block_index_n(factor->tensor->blocks);
}

static void init_factors(struct operand_blocks *blocks, const struct contraction_sums *sums,
                         struct item_counts *counts)
{
    *counts = (struct item_counts){0};
    for (int t = 0; t < sums->n_terms; t++) {
        const struct contraction_problem *problem = &sums->problems[t];
        const struct contraction_indices *indices = &sums->terms[t].indices;
        struct factor *A = factor_at(blocks, (struct operand_place){t, OPERAND_A});
        struct factor *B = factor_at(blocks, (struct operand_place){t, OPERAND_B});
        *A = (struct factor){.tensor = problem->A.tensor,
                             .layout = &indices->A,
                             .constant = problem->A.constant,
                             .used_once = !problem->A.constant &&
                                          is_one_tile(indices, ROLE_COLUMN) &&
                                          is_one_tile(indices, ROLE_LONE_B)};
        number_blocks(blocks, A, counts);
        if (!problem->has_B)
            continue;
        *B = (struct factor){.tensor = problem->B.tensor,
                             .layout = &indices->B,
                             .constant = problem->B.constant,
                             .used_once = !problem->B.constant && is_one_tile(indices, ROLE_ROW) &&
                                          is_one_tile(indices, ROLE_LONE_A)};
        number_blocks(blocks, B, counts);
    }
}

static enum status take_arrival(struct operand_blocks *blocks, enum operand operand)
{
    const struct factor *largest = NULL;
    for (int t = 0; t < blocks->n_terms; t++) {
        const struct factor *factor = factor_at(blocks, (struct operand_place){t, operand});
        if (factor->tensor && factor->layout->reduced &&
            (!largest || factor->tensor->max_block > largest->tensor->max_block))
            largest = factor;
    }
    if (!largest)
        return STATUS_OK;
    double *arrival = block_buffers_take(blocks->buffers, largest->tensor->max_block);
    blocks->channels[operand].arrival = arrival;
    return arrival ? STATUS_OK : no_memory(largest);
}

static enum status set_up_factors(struct operand_blocks *blocks,
                                  const struct contraction_sums *sums, int64_t cache_bytes)
{
    struct item_counts counts;
    blocks->factors = calloc((size_t)sums->n_terms * N_OPERANDS, sizeof *blocks->factors);
    TRY(CHECK_MEMORY(blocks->factors, "no memory for a contraction's blocks"));
    blocks->n_terms = sums->n_terms;
    init_factors(blocks, sums, &counts);
    TRY(take_arrival(blocks, OPERAND_A));
    TRY(take_arrival(blocks, OPERAND_B));
    struct kept_blocks *kept = blocks->kept;
    struct item_cache_source source = {load_operand_block, unload_operand_block, kept};
    TRY(item_cache_create(counts.others, cache_bytes, &source, &blocks->cache));
    return kept->cache ? STATUS_OK
                       : item_cache_create(counts.kept, kept->bytes, &source, &kept->cache);
}

enum status operand_blocks_create(const struct contraction_sums *sums,
                                  const struct contraction_settings *settings,
                                  struct kept_blocks *kept, struct operand_blocks **blocks)
{
    struct operand_blocks *made = *blocks = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a contraction's blocks"));
    made->buffers = settings->buffers;
    made->prefetch = settings->prefetch;
    made->kept = kept;
    kept->buffers = settings->buffers;
    kept->bytes = settings->kept_bytes;
    kept->user = made;
    return set_up_factors(made, sums, settings->cache_bytes);
}

void operand_blocks_destroy(struct operand_blocks *blocks)
{
    if (!blocks)
        return;
    for (int operand = 0; operand < N_OPERANDS; operand++) {
        forget_announced(blocks, &blocks->channels[operand]);
        block_buffers_give_back(blocks->buffers, blocks->channels[operand].arrival);
    }
    item_cache_destroy(blocks->cache);
    free(blocks->factors);
    free(blocks);
}

/* Where the block is used without having been loaded, or NULL. */
static const double *find_in_place(const struct factor *factor, int64_t block)
{
    return factor->layout->reduced ? NULL : darray_near(factor->tensor->data, block);
}

void operand_blocks_announce(struct operand_blocks *blocks, struct operand_place place,
                             const struct stored_block *block)
{
    const struct factor *factor = factor_at(blocks, place);
    struct channel *channel = &blocks->channels[place.operand];
    if (!blocks->prefetch || (channel->announced == factor && channel->block == block->block) ||
        darray_near(factor->tensor->data, block->block) ||
        item_cache_holds(cache_of(blocks, factor), item_of_block(factor, block)))
        return;
    forget_announced(blocks, channel);
    channel->buffer = make_buffer(blocks, channel, factor, block->block);
    /* Without memory the pin that follows will say so. */
    if (!channel->buffer)
        return;
    darray_get_begin(factor->tensor->data, block->block, channel->buffer, &channel->request);
    channel->announced = factor;
    channel->block = block->block;
}

enum status operand_blocks_pin(struct operand_blocks *blocks, struct operand_place place,
                               const struct stored_block *block, const double **elements)
{
    const struct factor *factor = factor_at(blocks, place);
    struct channel *channel = &blocks->channels[place.operand];
    int64_t size;
    void *item;
    *elements = find_in_place(factor, block->block);
    if (*elements)
        return STATUS_OK;
    if (factor->used_once) {
        *elements = channel->passing = load_block(blocks, channel, factor, block, &size);
        return *elements ? STATUS_OK : no_memory(factor);
    }
    blocks->wanted = factor;
    blocks->wanted_block = block;
    blocks->wanted_from = channel;
    TRY(item_cache_pin(cache_of(blocks, factor), item_of_block(factor, block), &item));
    *elements = item;
    return STATUS_OK;
}

void operand_blocks_release(struct operand_blocks *blocks, struct operand_place place,
                            const struct stored_block *block)
{
    const struct factor *factor = factor_at(blocks, place);
    struct channel *channel = &blocks->channels[place.operand];
    if (find_in_place(factor, block->block))
        return;
    if (factor->used_once) {
        block_buffers_give_back(blocks->buffers, channel->passing);
        channel->passing = NULL;
    } else {
        item_cache_release(cache_of(blocks, factor), item_of_block(factor, block));
    }
}
