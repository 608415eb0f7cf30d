/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_worker.h"

#include "support/mpi/wall_time.h"
#include "tce/contraction/contraction_blocks.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_locals.h"
#include "tce/tile_loop/loop_operands.h"
#include "tce/tile_loop/loop_products.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Products of one block of a local tensor that are multiplied together (dense_product.h), with their factors. */
enum { MAX_TERMS = 16 };
struct pinned_terms {
    int n;
    int step[MAX_TERMS];
    struct dense_product products[MAX_TERMS];
    struct pinned_block factors[MAX_TERMS][2];
};

struct loop_worker {
    struct loop_body body;
    struct block_buffers *buffers;
    struct product_scratch *scratch;
    struct local_tensor *locals; /* n_tensors */
    struct loop_product_lists lists;
    struct loop_position at;
    struct loop_operands operands;
    struct taskpool *polled;
    struct pinned_terms terms;
};

/* Where products go. */
struct product_target {
    double *elements;
    bool add; /* to what is there */
};

/* --- products --- */

/* Extents of the tiles of a product's indices, in step s. */
static void set_extents(const struct loop_worker *worker, int s, const struct loop_product *product,
                        int64_t extent[MAX_INDICES])
{
    const struct contraction_indices *indices = &worker->body.steps[s].indices;
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    for (int x = 0; x < MAX_INDICES; x++)
        extent[x] =
            indices->space[x]
                ? index_space_tile_size(indices->space[x],
                                        loop_product_tile(step, product, worker->at.tuple, x))
                : 1;
}

static void release_factors(const struct loop_worker *worker, int s,
                            const struct pinned_block factors[2])
{
    loop_operand_release(&worker->operands, s, LOOP_B, &factors[1]);
    loop_operand_release(&worker->operands, s, LOOP_A, &factors[0]);
}

/* The factors of a product, until they are released, also after a failure. */
static enum status pin_factors(const struct loop_worker *worker, int s,
                               const struct loop_product *product,
                               const int64_t extent[MAX_INDICES], struct pinned_block factors[2])
{
    factors[0] = factors[1] = (struct pinned_block){.view_block = -1};
    TRY(loop_operand_pin(&worker->operands, s, LOOP_A, product, extent, &factors[0]));
    if (!worker->body.steps[s].problem.has_B)
        return STATUS_OK;
    return loop_operand_pin(&worker->operands, s, LOOP_B, product, extent, &factors[1]);
}

static struct dense_product product_of(const struct loop_step_tasks *step,
                                       const int64_t extent[MAX_INDICES],
                                       const struct pinned_block factors[2],
                                       const struct product_target *target)
{
    const struct block_strides of_C = block_strides_of(&step->indices.C.own, extent);
    struct dense_product product = {.n = MAX_INDICES,
                                    .C = target->elements,
                                    .A = factors[0].elements,
                                    .B = factors[1].elements,
                                    .form_A = factors[0].form,
                                    .form_B = factors[1].form,
                                    .factor = step->problem.factor,
                                    .add = target->add};
    for (int x = 0; x < MAX_INDICES; x++)
        product.dimension[x].extent = extent[x];
    contraction_set_side(SIDE_C, &of_C, &product);
    contraction_set_side(SIDE_A, &factors[0].strides, &product);
    contraction_set_side(SIDE_B, &factors[1].strides, &product);
    return product;
}

/* Multiplies the terms, and releases their factors. */
static void run_terms(struct loop_worker *worker)
{
    struct pinned_terms *terms = &worker->terms;
    if (terms->n > 0)
        dense_products_run(terms->n, terms->products, worker->scratch);
    for (int t = 0; t < terms->n; t++)
        release_factors(worker, terms->step[t], terms->factors[t]);
    terms->n = 0;
    if (worker->polled)
        taskpool_poll(worker->polled);
}

/* Adds a product to the terms. Without B its factor is copied at once. */
static enum status add_product(struct loop_worker *worker, int s,
                               const struct loop_product *product, struct product_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    struct pinned_terms *terms = &worker->terms;
    int64_t extent[MAX_INDICES];
    if (terms->n == MAX_TERMS || (terms->n > 0 && !step->problem.has_B))
        run_terms(worker);
    struct pinned_block *factors = terms->factors[terms->n];
    set_extents(worker, s, product, extent);
    enum status status = pin_factors(worker, s, product, extent, factors);
    if (status == STATUS_OK && step->problem.has_B) {
        terms->products[terms->n] = product_of(step, extent, factors, target);
        terms->step[terms->n++] = s;
    } else if (status == STATUS_OK) {
        contraction_copy(&factors[0].strides, &step->indices.C.own, extent, step->problem.factor,
                         factors[0].elements, target->add, target->elements);
    }
    if (status != STATUS_OK || !step->problem.has_B)
        release_factors(worker, s, factors);
    target->add = true;
    return status;
}

/* --- steps --- */

/* Makes a block of C zero that nothing is added to. */
static void clear_block(const struct loop_worker *worker, int s, const struct loop_target *target,
                        double *elements)
{
    const struct tile_loop_tensor *tensor =
        &worker->body.problem->tensors[worker->body.problem->steps[s].tensor[LOOP_C]];
    int64_t size = loop_local_size(&worker->at, tensor, target->at);
    memset(elements, 0, (size_t)size * sizeof *elements);
}

/* One block of the local tensor that steps [s, end) add up; block: its position in the tensor's list. */
static enum status run_block(struct loop_worker *worker, int s, int end, int block)
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
    run_terms(worker);
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
        TRY(run_block(worker, s, end, block));
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
            run_terms(worker);
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
    TRY(loop_locals_begin(problem, worker->body.fills, &worker->at, worker->buffers,
                          worker->locals));
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
    return product_scratch_bytes();
}

enum status loop_worker_create(const struct loop_body *body,
                               const struct contraction_settings *settings, struct taskpool *polled,
                               struct loop_worker **worker)
{
    struct loop_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a loop over tiles"));
    made->body = *body;
    made->buffers = settings->buffers;
    made->polled = polled;
    made->lists.problem = body->problem;
    made->locals = calloc((size_t)body->problem->n_tensors + 1, sizeof *made->locals);
    TRY(CHECK_MEMORY(made->locals, "no memory for a loop over tiles"));
    TRY(product_scratch_create(made->buffers, &made->scratch));
    made->operands = (struct loop_operands){
        .body = &made->body, .buffers = made->buffers, .locals = made->locals, .at = &made->at};
    return loop_operands_create_views(&made->operands, settings->cache_bytes);
}

void loop_worker_destroy(struct loop_worker *worker)
{
    if (!worker)
        return;
    loop_views_destroy(worker->operands.views);
    product_scratch_destroy(worker->buffers, worker->scratch);
    loop_product_lists_fini(&worker->lists);
    for (int t = 0; worker->locals && t < worker->body.problem->n_tensors; t++)
        local_tensor_fini(&worker->locals[t], worker->buffers);
    free(worker->locals);
    free(worker);
}
