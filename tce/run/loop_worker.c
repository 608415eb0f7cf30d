/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_worker.h"

#include "support/mpi/wall_time.h"
#include "tce/run/products.h"
#include "tce/tensor/block_buffers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A local tensor's blocks within the tuple, one after another. */
struct local_tensor {
    const struct open_tiles *tiles;
    const struct block_index *blocks; /* NULL: none */
    double *elements;
    int64_t capacity, block_capacity;
    int64_t *offsets; /* of its blocks */
};

struct loop_worker {
    const struct loop_body *body;
    const int32_t *tuple;
    struct block_buffers *buffers;
    struct local_tensor *locals; /* n_locals */
    struct products *products;
};

/* --- local tensors --- */

static enum status no_memory_for_local(const struct loop_worker *worker, int local)
{
    return FAIL(STATUS_NO_MEMORY, "no memory for local tensor %s: take smaller tiles for its loop",
                worker->body->loop->locals[local].name);
}

static bool reserve_offsets(struct local_tensor *local, int64_t n)
{
    if (n <= local->block_capacity)
        return true;
    free(local->offsets);
    local->offsets = malloc((size_t)n * sizeof *local->offsets);
    local->block_capacity = local->offsets ? n : 0;
    return local->offsets != NULL;
}

static bool reserve_elements(struct local_tensor *local, int64_t n, struct block_buffers *buffers)
{
    if (n <= local->capacity)
        return true;
    block_buffers_give_back(buffers, local->elements);
    local->elements = block_buffers_take(buffers, n);
    local->capacity = local->elements ? n : 0;
    return local->elements != NULL;
}

/* Finds room for the tensor's blocks. */
static enum status lay_out_local(struct loop_worker *worker, int number)
{
    struct local_tensor *local = &worker->locals[number];
    struct local_walk walk;
    int64_t size = 0;
    local_walk_begin(worker->body, number, worker->tuple, &walk);
    local->tiles = walk.tiles;
    local->blocks = walk.blocks;
    if (!reserve_offsets(local, walk.blocks ? block_index_n(walk.blocks) : 0))
        return no_memory_for_local(worker, number);
    for (int64_t block = 0; local_walk_next(&walk); block++) {
        local->offsets[block] = size;
        size += local_walk_size(&walk);
    }
    return reserve_elements(local, size, worker->buffers) ? STATUS_OK
                                                          : no_memory_for_local(worker, number);
}

static enum status fill_local(const struct loop_worker *worker, int number)
{
    const struct tile_fill *fill = &worker->body->fills[number];
    const struct local_tensor *local = &worker->locals[number];
    const struct block_labels *labels = &worker->body->loop->locals[number].labels;
    struct local_walk walk;
    local_walk_begin(worker->body, number, worker->tuple, &walk);
    for (int64_t block = 0; local_walk_next(&walk); block++) {
        int64_t first[MAX_RANK], extent[MAX_RANK];
        for (int d = 0; d < labels->rank; d++) {
            first[d] = labels->space[d]->first[walk.at[d]];
            extent[d] = index_space_tile_size(labels->space[d], walk.at[d]);
        }
        TRY(fill->fill(labels->rank, first, extent, local->elements + local->offsets[block],
                       fill->context));
    }
    return STATUS_OK;
}

/* Makes room for the local tensors of the tuple, and fills those that are filled; parts of scalars are zero. */
static enum status begin_locals(struct loop_worker *worker)
{
    const struct loop_body *body = worker->body;
    for (int t = 0; t < body->loop->n_locals; t++) {
        TRY(lay_out_local(worker, t));
        if (body->fills[t].fill)
            TRY(fill_local(worker, t));
        if (body->loop->locals[t].scalar >= 0 && worker->locals[t].blocks)
            worker->locals[t].elements[0] = 0;
    }
    return STATUS_OK;
}

/* The block of a local factor with the tiles of a product. */
static const double *find_local(const struct local_tensor *local, const struct index_list *own,
                                const int32_t tile[MAX_INDICES])
{
    int32_t at[MAX_RANK];
    const struct index_list *open = &local->tiles->open;
    for (int d = 0; d < open->n; d++)
        at[d] = tile[own->index[open->index[d]]];
    return local->elements + local->offsets[block_index_number(local->blocks, at)];
}

/* --- steps --- */

/* Adds the pair that the walk of step s is at to the target. */
static enum status add_product(const struct loop_worker *worker, int s,
                               const struct pair_walk *pairs, struct product_target *target)
{
    const int *local = worker->body->loop->steps[s].local;
    const struct contraction_indices *indices = &pairs->pairs->indices;
    struct step_product product = {.step = pairs->pairs,
                                   .block = {pairs->block[0], pairs->block[1]}};
    int A = local[CONTRACTION_A], B = local[CONTRACTION_B];
    if (A >= 0)
        product.local[0] = find_local(&worker->locals[A], &indices->A, pairs->tile);
    if (B >= 0)
        product.local[1] = find_local(&worker->locals[B], &indices->B, pairs->tile);
    pair_walk_extents(pairs, product.extent);
    return products_add(worker->products, &product, NULL, target);
}

/* The block of C that the walk is at, which steps [s, end) add up. */
static enum status sum_block(const struct loop_worker *worker, int s, int end,
                             const struct local_walk *block, double *elements)
{
    struct product_target target = {.elements = elements, .add = worker->body->problems[s].add};
    for (int t = s; t < end; t++) {
        struct pair_walk pairs;
        loop_pairs_begin(worker->body, t, worker->tuple, block->at, PAIR_BLOCKS, &pairs);
        while (pair_walk_next(&pairs))
            TRY(add_product(worker, t, &pairs, &target));
    }
    products_run(worker->products);
    if (!target.add)
        memset(elements, 0, (size_t)local_walk_size(block) * sizeof *elements);
    return STATUS_OK;
}

/* The end of the steps from s on that add up one tensor. */
static int find_end(const struct tile_loop *loop, int s)
{
    int C = loop->steps[s].local[CONTRACTION_C], end = s + 1;
    while (end < loop->n_steps && loop->steps[end].problem.add &&
           loop->steps[end].local[CONTRACTION_C] == C &&
           loop->steps[end].local[CONTRACTION_A] != C && loop->steps[end].local[CONTRACTION_B] != C)
        end++;
    return end;
}

/* Block by block, so that all that is added to one follows each other. */
static enum status run_steps(const struct loop_worker *worker, int s, int end)
{
    int C = worker->body->loop->steps[s].local[CONTRACTION_C];
    const struct local_tensor *local = &worker->locals[C];
    struct local_walk walk;
    local_walk_begin(worker->body, C, worker->tuple, &walk);
    for (int64_t block = 0; local_walk_next(&walk); block++)
        TRY(sum_block(worker, s, end, &walk, local->elements + local->offsets[block]));
    return STATUS_OK;
}

static enum status run_tuple(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop *loop = worker->body->loop;
    int end;
    TRY(begin_locals(worker));
    for (int s = 0; s < loop->n_steps; s = end) {
        end = find_end(loop, s);
        TRY(run_steps(worker, s, end));
    }
    for (int t = 0; t < loop->n_locals; t++)
        if (loop->locals[t].scalar >= 0)
            scalars[loop->locals[t].scalar] =
                worker->locals[t].blocks ? worker->locals[t].elements[0] : 0;
    return STATUS_OK;
}

enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[])
{
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    worker->tuple = tuple;
    enum status status = run_tuple(worker, scalars);
    wall_time_end(use);
    return status;
}

/* --- creation --- */

enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker)
{
    struct loop_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    made->body = body;
    made->buffers = settings->buffers;
    made->locals = calloc((size_t)body->loop->n_locals + 1, sizeof *made->locals);
    TRY(CHECK_MEMORY(made->locals, "no memory for a loop over tiles"));
    return products_create(body->loop->n_steps, body->pairs, body->views, settings,
                           PRODUCTS_MAX_TOGETHER, polled, &made->products);
}

void loop_worker_destroy(struct loop_worker *worker)
{
    if (!worker)
        return;
    products_destroy(worker->products);
    for (int t = 0; worker->locals && t < worker->body->loop->n_locals; t++) {
        block_buffers_give_back(worker->buffers, worker->locals[t].elements);
        free(worker->locals[t].offsets);
    }
    free(worker->locals);
    free(worker);
}
