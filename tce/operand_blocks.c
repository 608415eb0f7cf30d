#include "tce/operand_blocks.h"

#include "hf/tile_cache.h"
#include "tce/block_buffers.h"
#include "tce/contraction_matrix.h"

#include <stdlib.h>

/* One factor. A block that this process holds is read where it lies. Another one that is
 * packed arrives in `arrival`, which is kept for all of them; one that is used as it is
 * arrives where it stays. */
struct factor {
    const struct tensor *tensor;
    const struct matrix_layout *layout;
    struct block_buffers *buffers;
    bool copy_own;
    bool used_once;    /* no block is wanted by two tasks: none is kept */
    double *passing;   /* the matrix that is pinned of such a factor */
    double *arrival;   /* max_block elements; NULL unless packed */
    int64_t announced; /* the block on its way, -1 if none */
    double *buffer;    /* that it is on its way to */
    struct darray_request request;
};

struct operand_blocks {
    const struct contraction_tasks *tasks;
    struct block_buffers *buffers;
    bool prefetch;
    struct factor factor[N_OPERANDS];
    int64_t first_number[N_OPERANDS]; /* of a factor's blocks in the cache */
    struct tile_cache *cache;
};

static double *make_buffer(struct factor *factor, int64_t block)
{
    if (factor->arrival)
        return factor->arrival;
    return block_buffers_take(factor->buffers, darray_block_size(factor->tensor->data, block));
}

static const double *find_own(const struct factor *factor, int64_t block)
{
    return factor->copy_own ? NULL : darray_local(factor->tensor->data, block);
}

/* Ends a transfer that nobody waits for. */
static void forget_announced(struct factor *factor)
{
    if (factor->announced < 0)
        return;
    darray_get_end(&factor->request);
    if (factor->buffer != factor->arrival)
        block_buffers_give_back(factor->buffers, factor->buffer);
    factor->announced = -1;
}

/* The block as it lies, announced or not; in `arrival` or to be freed. NULL without memory. */
static double *receive(struct factor *factor, int64_t block)
{
    if (factor->announced == block) {
        darray_get_end(&factor->request);
        factor->announced = -1;
        return factor->buffer;
    }
    /* There is one `arrival`. */
    forget_announced(factor);
    double *buffer = make_buffer(factor, block);
    if (buffer)
        darray_get(factor->tensor->data, block, buffer);
    return buffer;
}

/* Extents of the tiles of a block, by index number; returns the packed block's elements. */
static int64_t extents_of(const struct factor *factor, int64_t block, int64_t extent[MAX_INDICES])
{
    const struct block_labels *labels = block_index_labels(factor->tensor->blocks);
    const struct index_list *own = &factor->layout->own, *order = &factor->layout->order;
    int32_t tile[MAX_RANK];
    block_index_tuple(factor->tensor->blocks, block, tile);
    for (int d = 0; d < own->n; d++)
        extent[own->index[d]] = index_space_tile_size(labels->space[d], tile[d]);
    int64_t size = 1;
    for (int d = 0; d < order->n; d++)
        size *= extent[order->index[d]];
    return size;
}

/* NULL without memory; *size elements. */
static double *load_packed(struct factor *factor, int64_t block, int64_t *size)
{
    int64_t extent[MAX_INDICES];
    *size = extents_of(factor, block, extent);
    const double *source = find_own(factor, block);
    if (!source)
        source = receive(factor, block);
    double *packed = source ? block_buffers_take(factor->buffers, *size) : NULL;
    if (packed)
        contraction_pack(&factor->layout->own, &factor->layout->order, extent, 1, source, false,
                         packed);
    return packed;
}

/* NULL without memory; *size elements. */
static double *load_matrix(struct factor *factor, int64_t block, int64_t *size)
{
    *size = darray_block_size(factor->tensor->data, block);
    return factor->layout->packed ? load_packed(factor, block, size) : receive(factor, block);
}

static enum status no_memory(const struct factor *factor)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for a block of tensor %s", factor->tensor->name);
}

static enum status load(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct operand_blocks *blocks = context;
    enum operand operand = number >= blocks->first_number[OPERAND_B] ? OPERAND_B : OPERAND_A;
    struct factor *factor = &blocks->factor[operand];
    int64_t size;
    *item = load_matrix(factor, number - blocks->first_number[operand], &size);
    *bytes = block_buffers_bytes(size);
    return *item ? STATUS_OK : no_memory(factor);
}

static void unload(int64_t number, void *item, void *context)
{
    const struct operand_blocks *blocks = context;
    (void)number;
    block_buffers_give_back(blocks->buffers, item);
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

static enum status init_factor(struct factor *factor, const struct tensor *tensor,
                               const struct matrix_layout *layout,
                               const struct contraction_settings *settings)
{
    *factor = (struct factor){.tensor = tensor,
                              .layout = layout,
                              .buffers = settings->buffers,
                              .copy_own = settings->copy_own,
                              .announced = -1};
    if (layout->packed) {
        factor->arrival = block_buffers_take(settings->buffers, tensor->max_block);
        if (!factor->arrival)
            return no_memory(factor);
    }
    return STATUS_OK;
}

static enum status fill(struct operand_blocks *blocks, const struct contraction_settings *settings)
{
    const struct contraction_problem *problem = blocks->tasks->problem;
    const struct contraction_indices *indices = &blocks->tasks->indices;
    struct factor *A = &blocks->factor[OPERAND_A], *B = &blocks->factor[OPERAND_B];
    TRY(init_factor(A, problem->A.tensor, &indices->A, settings));
    A->used_once = is_one_tile(indices, ROLE_COLUMN) && is_one_tile(indices, ROLE_LONE_B);
    blocks->first_number[OPERAND_B] = block_index_n(A->tensor->blocks);
    int64_t n_items = blocks->first_number[OPERAND_B];
    if (problem->has_B) {
        TRY(init_factor(B, problem->B.tensor, &indices->B, settings));
        B->used_once = is_one_tile(indices, ROLE_ROW) && is_one_tile(indices, ROLE_LONE_A);
        n_items += block_index_n(B->tensor->blocks);
    }
    struct tile_cache_source source = {load, unload, blocks};
    return tile_cache_create(n_items, settings->cache_bytes, &source, &blocks->cache);
}

enum status operand_blocks_create(const struct contraction_tasks *tasks,
                                  const struct contraction_settings *settings,
                                  struct operand_blocks **blocks)
{
    struct operand_blocks *made = calloc(1, sizeof *made);
    *blocks = NULL;
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for a contraction's blocks");
    made->tasks = tasks;
    made->buffers = settings->buffers;
    made->prefetch = settings->prefetch;
    made->factor[OPERAND_A].announced = made->factor[OPERAND_B].announced = -1;
    enum status status = fill(made, settings);
    if (status != STATUS_OK) {
        operand_blocks_destroy(made);
        return status;
    }
    *blocks = made;
    return STATUS_OK;
}

void operand_blocks_destroy(struct operand_blocks *blocks)
{
    if (!blocks)
        return;
    for (int operand = 0; operand < N_OPERANDS; operand++) {
        forget_announced(&blocks->factor[operand]);
        block_buffers_give_back(blocks->buffers, blocks->factor[operand].arrival);
    }
    tile_cache_destroy(blocks->cache);
    free(blocks);
}

/* Where the block is used without having been loaded, or NULL. */
static const double *find_in_place(const struct factor *factor, int64_t block)
{
    return factor->layout->packed ? NULL : find_own(factor, block);
}

void operand_blocks_announce(struct operand_blocks *blocks, enum operand operand, int64_t block)
{
    struct factor *factor = &blocks->factor[operand];
    if (!blocks->prefetch || factor->announced == block || find_own(factor, block) ||
        tile_cache_holds(blocks->cache, blocks->first_number[operand] + block))
        return;
    forget_announced(factor);
    factor->buffer = make_buffer(factor, block);
    /* Without memory the pin that follows will say so. */
    if (!factor->buffer)
        return;
    darray_get_begin(factor->tensor->data, block, factor->buffer, &factor->request);
    factor->announced = block;
}

enum status operand_blocks_pin(struct operand_blocks *blocks, enum operand operand, int64_t block,
                               const double **matrix)
{
    struct factor *factor = &blocks->factor[operand];
    int64_t size;
    void *item;
    *matrix = find_in_place(factor, block);
    if (*matrix)
        return STATUS_OK;
    if (factor->used_once) {
        *matrix = factor->passing = load_matrix(factor, block, &size);
        return *matrix ? STATUS_OK : no_memory(factor);
    }
    TRY(tile_cache_pin(blocks->cache, blocks->first_number[operand] + block, &item));
    *matrix = item;
    return STATUS_OK;
}

void operand_blocks_release(struct operand_blocks *blocks, enum operand operand, int64_t block)
{
    struct factor *factor = &blocks->factor[operand];
    if (factor->used_once) {
        block_buffers_give_back(blocks->buffers, factor->passing);
        factor->passing = NULL;
    } else if (!find_in_place(factor, block)) {
        tile_cache_release(blocks->cache, blocks->first_number[operand] + block);
    }
}
