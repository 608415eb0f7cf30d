/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_worker.h"

#include "support/mpi/wall_time.h"
#include "tce/run/loop_products.h"
#include "tce/run/products.h"
#include "tce/tensor/block_buffers.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where a worker is in the loop. Borrowed. */
struct loop_position {
    const struct loop_products *products; /* of the tuple */
    const int32_t *tuple;
};

/* A local tensor's blocks, one after another; begins as zeros. */
struct local_tensor {
    double *elements;
    int64_t capacity, size;
    int block_capacity;
    int64_t *offsets; /* of its blocks */
};

struct loop_worker {
    struct loop_body body;
    struct block_buffers *buffers;
    struct local_tensor *locals; /* n_tensors */
    struct loop_product_lists lists;
    struct loop_position at;
    struct operands *operands;
    struct products *products;
};

/* --- local tensors --- */

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

/* Elements of a block of a local tensor. tiles: of its places, those of the loop's indices left out */
static int64_t count_local(const struct loop_position *at, const struct tile_loop_tensor *tensor,
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
        local->size += count_local(at, tensor, blocks->at[b]);
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

/* Makes room for the tensors of the tuple, and fills those that are filled. */
static enum status begin_locals(const struct tile_loop_problem *problem,
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

static void local_tensor_fini(struct local_tensor *local, struct block_buffers *buffers)
{
    block_buffers_give_back(buffers, local->elements);
    free(local->offsets);
    *local = (struct local_tensor){0};
}

/* --- products --- */

/* The block of a stored factor's view in a product. */
static int64_t find_view_block(const struct loop_worker *worker, int s, int f,
                               const struct loop_product *product)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    enum loop_operand operand = f == 0 ? LOOP_A : LOOP_B;
    int32_t at[MAX_RANK];
    for (int d = 0; d < step->labels[operand].rank; d++)
        at[d] = loop_product_tile(step, product, worker->at.tuple, step->index[operand][d]);
    return block_index_number(worker->body.steps[s].view[f].blocks, at);
}

/* Adds a product of step s to the target. */
static enum status add_product(struct loop_worker *worker, int s, const struct loop_product *listed,
                               struct product_target *target)
{
    const struct loop_step *step = &worker->body.steps[s];
    const struct tile_loop_step *from = &worker->body.problem->steps[s];
    struct step_product product = {
        .problem = &step->problem, .indices = &step->indices, .factor = 2 * s};
    for (int f = 0; f < 1 + step->problem.has_B; f++) {
        int block = listed->block[LOOP_A + f];
        const struct local_tensor *local = &worker->locals[from->tensor[LOOP_A + f]];
        if (block >= 0)
            product.local[f] = local->elements + local->offsets[block];
        else
            product.block[f].block = find_view_block(worker, s, f, listed);
    }
    for (int x = 0; x < MAX_INDICES; x++) {
        const struct index_space *space = step->indices.space[x];
        int32_t tile = space ? loop_product_tile(from, listed, worker->at.tuple, x) : 0;
        product.extent[x] = space ? index_space_tile_size(space, tile) : 1;
    }
    return products_add(worker->products, &product, NULL, target);
}

/* --- steps --- */

/* Makes a block of C zero that nothing is added to. */
static void clear_block(const struct loop_worker *worker, int s, const struct loop_target *target,
                        double *elements)
{
    const struct tile_loop_tensor *tensor =
        &worker->body.problem->tensors[worker->body.problem->steps[s].tensor[LOOP_C]];
    int64_t size = count_local(&worker->at, tensor, target->at);
    memset(elements, 0, (size_t)size * sizeof *elements);
}

/* One block of the local tensor that steps [s, end) add up; block: its position in the tensor's list. */
static enum status sum_block(struct loop_worker *worker, int s, int end, int block)
{
    const struct loop_products *products = worker->at.products;
    const struct tile_loop_step *first = &worker->body.problem->steps[s];
    const struct local_tensor *local = &worker->locals[first->tensor[LOOP_C]];
    struct product_target target = {.elements = local->elements + local->offsets[block],
                                    .add = first->add};
    enum status status = STATUS_OK;
    for (int t = s; t < end && status == STATUS_OK; t++) {
        const struct loop_target *of_step = &products->targets[products->first_target[t] + block];
        for (int p = of_step->first; p < of_step->end && status == STATUS_OK; p++)
            status = add_product(worker, t, &products->products[p], &target);
    }
    products_run(worker->products);
    if (!target.add)
        clear_block(worker, s, &products->targets[products->first_target[s] + block],
                    target.elements);
    return status;
}

/* Block by block, so that all that is added to one follows each other. */
static enum status run_local_steps(struct loop_worker *worker, int s, int end)
{
    int tensor = worker->body.problem->steps[s].tensor[LOOP_C];
    for (int block = 0; block < worker->at.products->locals[tensor].n; block++)
        TRY(sum_block(worker, s, end, block));
    return STATUS_OK;
}

/* A scalar that the loop sums, or the only element of an intermediate; NULL if labels forbid it. */
static double *find_scalar(const struct loop_worker *worker, int s, double scalars[])
{
    int stored = worker->body.steps[s].scalar;
    int tensor = worker->body.problem->steps[s].tensor[LOOP_C];
    return stored >= 0 ? &scalars[stored] : worker->locals[tensor].elements;
}

static enum status run_scalar_step(struct loop_worker *worker, int s, double scalars[])
{
    const struct loop_products *products = worker->at.products;
    double value = 0, *scalar = find_scalar(worker, s, scalars);
    struct product_target target = {.elements = &value};
    enum status status = STATUS_OK;
    for (int t = products->first_target[s]; t < products->first_target[s + 1]; t++)
        for (int p = products->targets[t].first;
             p < products->targets[t].end && status == STATUS_OK; p++) {
            status = add_product(worker, s, &products->products[p], &target);
            products_run(worker->products);
        }
    if (scalar)
        *scalar = worker->body.problem->steps[s].add ? *scalar + value : value;
    return status;
}

/* The end of the steps from s on that add up one local tensor; s: it makes a scalar. */
static int find_end(const struct tile_loop_problem *problem, int s)
{
    const struct tile_loop_step *first = &problem->steps[s];
    int end = s + 1;
    if (first->labels[LOOP_C].rank == 0)
        return s;
    while (end < problem->n_steps && problem->steps[end].add &&
           problem->steps[end].tensor[LOOP_C] == first->tensor[LOOP_C] &&
           problem->steps[end].tensor[LOOP_A] != first->tensor[LOOP_C] &&
           problem->steps[end].tensor[LOOP_B] != first->tensor[LOOP_C])
        end++;
    return end;
}

static enum status run_steps(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    TRY(loop_product_lists_find(&worker->lists, worker->at.tuple, &worker->at.products));
    TRY(begin_locals(problem, worker->body.fills, &worker->at, worker->buffers, worker->locals));
    for (int s = 0; s < problem->n_steps;) {
        int end = find_end(problem, s);
        TRY(end > s ? run_local_steps(worker, s, end) : run_scalar_step(worker, s, scalars));
        s = end > s ? end : s + 1;
    }
    return STATUS_OK;
}

enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[])
{
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    worker->at.tuple = tuple;
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] = 0;
    enum status status = run_steps(worker, scalars);
    wall_time_end(use);
    return status;
}

/* --- creation --- */

int64_t loop_worker_bytes(void)
{
    return products_bytes();
}

static enum status create_loop_operands(struct loop_worker *worker, int64_t cache_bytes)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct factor *factors = calloc(2 * (size_t)problem->n_steps + 1, sizeof *factors);
    TRY(CHECK_MEMORY(factors, "no memory for the tensors of a loop"));
    for (int s = 0; s < problem->n_steps; s++)
        for (int f = 0; f < 2; f++) {
            const struct loop_step *step = &worker->body.steps[s];
            if (step->view[f].blocks)
                factors[2 * (size_t)s + (size_t)f] = (struct factor){
                    .tensor = worker->body.tensors[problem->steps[s].tensor[LOOP_A + f]],
                    .layout = f == 0 ? &step->indices.A : &step->indices.B,
                    .view = step->view[f]};
        }
    const struct operand_settings settings = {.cache_bytes = cache_bytes,
                                              .buffers = worker->buffers};
    enum status status =
        operands_create(2 * problem->n_steps, factors, &settings, &worker->operands);
    free(factors);
    return status;
}

enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker)
{
    struct loop_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    made->body = *body;
    made->buffers = settings->buffers;
    made->lists.problem = body->problem;
    made->locals = calloc((size_t)body->problem->n_tensors + 1, sizeof *made->locals);
    TRY(CHECK_MEMORY(made->locals, "no memory for a loop over tiles"));
    TRY(create_loop_operands(made, settings->cache_bytes));
    return products_create(PRODUCTS_MAX_TOGETHER, made->operands, made->buffers, polled,
                           &made->products);
}

void loop_worker_destroy(struct loop_worker *worker)
{
    if (!worker)
        return;
    products_destroy(worker->products);
    operands_destroy(worker->operands);
    loop_product_lists_fini(&worker->lists);
    for (int t = 0; worker->locals && t < worker->body.problem->n_tensors; t++)
        local_tensor_fini(&worker->locals[t], worker->buffers);
    free(worker->locals);
    free(worker);
}
