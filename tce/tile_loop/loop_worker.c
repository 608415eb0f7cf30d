/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_worker.h"

#include "support/mpi/wall_time.h"
#include "tce/contraction/contraction_blocks.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_locals.h"
#include "tce/tile_loop/loop_operands.h"
#include "tce/tile_loop/loop_products.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct loop_worker {
    struct loop_body body;
    struct block_buffers *buffers;
    struct product_scratch *scratch;
    struct local_tensor *locals; /* n_tensors */
    struct loop_product_lists lists;
    struct loop_position at;
    struct loop_operands operands;
    struct taskpool *polled;
    double *norms;    /* of the run, or NULL */
    double *of_slice; /* n_scalars */
};

static enum status begin_locals(struct loop_worker *worker)
{
    return loop_locals_begin(worker->body.problem, worker->body.fills, &worker->at, worker->buffers,
                             worker->locals);
}

static double find_norm(int64_t n, const double *elements)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += elements[i] * elements[i];
    return sqrt(sum);
}

/* The norms of what is filled; of what is made, zeros. */
static void begin_norms(struct loop_worker *worker)
{
    for (int t = 0; worker->norms && t < worker->body.problem->n_tensors; t++) {
        const struct local_tensor *local = &worker->locals[t];
        bool filled = worker->body.fills[t].fill && !worker->body.problem->tensors[t].of_slice;
        worker->norms[t] = filled ? find_norm(local->size, local->elements) : 0;
    }
}

/* --- steps --- */

/* Where a step's products go. */
struct product_target {
    double *elements;
    bool add; /* to what is there */
};

static void set_dimensions(const int64_t extent[MAX_INDICES], struct dense_product *product)
{
    product->n = MAX_INDICES;
    for (int x = 0; x < MAX_INDICES; x++)
        product->dimension[x].extent = extent[x];
}

static void multiply_operands(const struct loop_worker *worker, const struct loop_step_tasks *step,
                              const int64_t extent[MAX_INDICES], const struct pinned_block *A,
                              const struct pinned_block *B, struct product_target *target)
{
    const struct index_list *own = &step->indices.C.own;
    const struct block_strides of_C = block_strides_of(own, extent);
    struct dense_product product = {.C = target->elements,
                                    .A = A->elements,
                                    .B = B->elements,
                                    .factor = step->problem.factor,
                                    .add = target->add};
    if (step->problem.has_B) {
        set_dimensions(extent, &product);
        contraction_set_side(SIDE_C, &of_C, &product);
        contraction_set_side(SIDE_A, &A->strides, &product);
        contraction_set_side(SIDE_B, &B->strides, &product);
        dense_product_run(&product, worker->scratch);
    } else {
        contraction_copy(&A->strides, own, extent, product.factor, A->elements, target->add,
                         target->elements);
    }
    target->add = true;
}

/* The norm of a factor: of a local one, what it is made of. */
static double norm_of_factor(const struct loop_worker *worker, int s, enum loop_operand operand,
                             const int64_t extent[MAX_INDICES], const struct pinned_block *pinned)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    int tensor = step->tensor[operand];
    double square = 0;
    if (worker->body.problem->tensors[tensor].local && !worker->body.fills[tensor].fill)
        return worker->norms[tensor];
    struct dense_product product = {
        .C = &square, .A = pinned->elements, .B = pinned->elements, .factor = 1};
    set_dimensions(extent, &product);
    contraction_set_side(SIDE_A, &pinned->strides, &product);
    contraction_set_side(SIDE_B, &pinned->strides, &product);
    dense_product_run(&product, worker->scratch);
    return sqrt(square);
}

static void note_norm(const struct loop_worker *worker, int s, const int64_t extent[MAX_INDICES],
                      const struct pinned_block *A, const struct pinned_block *B)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    double norm = fabs(step->factor) * norm_of_factor(worker, s, LOOP_A, extent, A);
    if (step->tensor[LOOP_B] >= 0)
        norm *= norm_of_factor(worker, s, LOOP_B, extent, B);
    worker->norms[step->tensor[LOOP_C]] += norm;
}

static enum status add_product(struct loop_worker *worker, int s,
                               const struct loop_product *product,
                               const int64_t extent[MAX_INDICES], struct product_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    struct pinned_block A, B = {.view_block = -1};
    enum status status = loop_operand_pin(&worker->operands, s, LOOP_A, product, extent, &A);
    if (status != STATUS_OK)
        goto done;
    if (step->problem.has_B)
        status = loop_operand_pin(&worker->operands, s, LOOP_B, product, extent, &B);
    if (status != STATUS_OK)
        goto done;
    multiply_operands(worker, step, extent, &A, &B, target);
    if (worker->norms)
        note_norm(worker, s, extent, &A, &B);
    if (worker->polled)
        taskpool_poll(worker->polled);
done:
    loop_operand_release(&worker->operands, s, LOOP_B, &B);
    loop_operand_release(&worker->operands, s, LOOP_A, &A);
    return status;
}

static void set_extents(const struct loop_worker *worker, int s, const struct loop_product *product,
                        int64_t extent[MAX_INDICES])
{
    const struct contraction_indices *indices = &worker->body.steps[s].indices;
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    for (int x = 0; x < MAX_INDICES; x++) {
        int of_loop = step->loop_index[x];
        extent[x] = 1;
        if (indices->space[x])
            extent[x] = of_loop >= 0 ? worker->at.range.extent[of_loop]
                                     : index_space_tile_size(indices->space[x], product->tile[x]);
    }
}

static enum status add_products(struct loop_worker *worker, int s, const struct loop_target *target,
                                struct product_target *sum)
{
    for (int p = target->first; p < target->end; p++) {
        const struct loop_product *product = &worker->at.products->products[p];
        int64_t extent[MAX_INDICES];
        set_extents(worker, s, product, extent);
        TRY(add_product(worker, s, product, extent, sum));
    }
    return STATUS_OK;
}

/* The extents of a block of C, and its size. */
static void set_extents_of_C(const struct loop_worker *worker, int s,
                             const struct loop_target *target, int64_t extent[MAX_INDICES],
                             int64_t *size)
{
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    *size = 1;
    for (int d = 0; d < step->labels[LOOP_C].rank; d++) {
        int index = step->index[LOOP_C][d], of_loop = step->loop_index[index];
        extent[index] = of_loop >= 0
                            ? worker->at.range.extent[of_loop]
                            : index_space_tile_size(step->labels[LOOP_C].space[d], target->at[d]);
        *size *= extent[index];
    }
}

static enum status run_local_target(struct loop_worker *worker, int s,
                                    const struct loop_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    const struct local_tensor *local =
        &worker->locals[worker->body.problem->steps[s].tensor[LOOP_C]];
    struct product_target sum = {.elements = local->elements + local->offsets[target->block],
                                 .add = step->problem.add};
    int64_t size, extent[MAX_INDICES];
    set_extents_of_C(worker, s, target, extent, &size);
    if (target->first == target->end && !step->problem.add)
        memset(sum.elements, 0, (size_t)size * sizeof *sum.elements);
    return add_products(worker, s, target, &sum);
}

/* A scalar that the loop sums, or the only element of an intermediate; NULL if labels forbid it. */
static double *find_sum(const struct loop_worker *worker, int s, double scalars[])
{
    int stored = worker->body.steps[s].scalar;
    int tensor = worker->body.problem->steps[s].tensor[LOOP_C];
    return stored >= 0 ? &scalars[stored] : worker->locals[tensor].elements;
}

static enum status run_loop_step(struct loop_worker *worker, int s, double scalars[])
{
    const struct loop_products *products = worker->at.products;
    const struct tile_loop_step *step = &worker->body.problem->steps[s];
    bool is_scalar = step->labels[LOOP_C].rank == 0;
    double value = 0;
    struct product_target sum = {.elements = &value};
    for (int t = products->first_target[s]; t < products->first_target[s + 1]; t++) {
        if (is_scalar)
            TRY(add_products(worker, s, &products->targets[t], &sum));
        else
            TRY(run_local_target(worker, s, &products->targets[t]));
    }
    if (is_scalar) {
        double *scalar = find_sum(worker, s, scalars);
        if (scalar)
            *scalar = step->add ? *scalar + value : value;
    }
    return STATUS_OK;
}

static enum status run_steps(struct loop_worker *worker, int first, int end, double scalars[])
{
    for (int s = first; s < end; s++)
        TRY(run_loop_step(worker, s, scalars));
    return STATUS_OK;
}

static struct value_range whole_range(const struct loop_worker *worker)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct value_range range = {{0}, {0}};
    for (int i = 0; i < problem->tuples.n; i++)
        range.extent[i] = index_space_tile_size(problem->space[i], worker->at.tuple[i]);
    return range;
}

/* The next slice of the tuple; false after the last. */
static bool next_slice(struct loop_worker *worker, const struct value_range *whole)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    struct value_range *range = &worker->at.range;
    for (int i = problem->tuples.n - 1; i >= 0; i--) {
        bool more = range->first[i] + range->extent[i] < whole->extent[i];
        range->first[i] = more ? range->first[i] + range->extent[i] : 0;
        int64_t left = whole->extent[i] - range->first[i];
        range->extent[i] = left < problem->slice_tile ? left : problem->slice_tile;
        if (more)
            return true;
    }
    return false;
}

/* Whether a sliced step replaces what steps before it added to a scalar. */
static bool is_replaced_in_slices(const struct loop_worker *worker, int scalar)
{
    const struct tile_loop_problem *problem = worker->body.problem;
    for (int s = problem->first_sliced; s < problem->n_steps; s++)
        if (worker->body.steps[s].scalar == scalar && !problem->steps[s].add)
            return true;
    return false;
}

/* Runs the steps for a slice and adds what they make to scalars. */
static enum status run_slice(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    for (int i = 0; i < worker->body.n_scalars; i++)
        worker->of_slice[i] = 0;
    TRY(begin_locals(worker));
    TRY(run_steps(worker, problem->first_sliced, problem->n_steps, worker->of_slice));
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] += worker->of_slice[i];
    return STATUS_OK;
}

static enum status run_slices(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    const struct value_range whole = worker->at.range;
    for (int i = 0; i < worker->body.n_scalars; i++)
        if (is_replaced_in_slices(worker, i))
            scalars[i] = 0;
    for (int i = 0; i < problem->tuples.n; i++)
        if (problem->slice_tile < whole.extent[i])
            worker->at.range.extent[i] = problem->slice_tile;
    worker->at.in_slice = true;
    do
        TRY(run_slice(worker, scalars));
    while (next_slice(worker, &whole));
    return STATUS_OK;
}

static enum status run_loop_steps(struct loop_worker *worker, double scalars[])
{
    const struct tile_loop_problem *problem = worker->body.problem;
    TRY(loop_product_lists_find(&worker->lists, worker->at.tuple, &worker->at.products));
    worker->at.in_slice = false;
    worker->at.range = whole_range(worker);
    TRY(begin_locals(worker));
    begin_norms(worker);
    TRY(run_steps(worker, 0, problem->first_sliced, scalars));
    return problem->first_sliced < problem->n_steps ? run_slices(worker, scalars) : STATUS_OK;
}

enum status loop_worker_run(struct loop_worker *worker, const int32_t tuple[], double scalars[],
                            double norms[])
{
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    worker->at.tuple = tuple;
    worker->norms = norms;
    for (int i = 0; i < worker->body.n_scalars; i++)
        scalars[i] = 0;
    enum status status = run_loop_steps(worker, scalars);
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
    made->body = *body;
    made->buffers = settings->buffers;
    made->polled = polled;
    made->lists.problem = body->problem;
    made->locals = calloc((size_t)body->problem->n_tensors + 1, sizeof *made->locals);
    made->of_slice = calloc((size_t)body->n_scalars + 1, sizeof *made->of_slice);
    TRY(CHECK_MEMORY(made->locals && made->of_slice, "no memory for a loop over tiles"));
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
    free(worker->of_slice);
    free(worker);
}
