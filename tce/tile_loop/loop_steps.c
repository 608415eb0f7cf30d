/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_blocks.h"
#include "tce/tile_loop/loop_worker_private.h"

#include <string.h>

static void set_dimensions(const int64_t extent[MAX_INDICES], struct dense_product *product)
{
    product->n = MAX_INDICES;
    for (int x = 0; x < MAX_INDICES; x++)
        product->dimension[x].extent = extent[x];
}

void loop_worker_set_product(const struct loop_step_tasks *step, const int64_t extent[MAX_INDICES],
                             const struct pinned_block factors[2],
                             const struct product_target *target, struct dense_product *product)
{
    const struct block_strides of_C = block_strides_of(&step->indices.C.own, extent);
    product->C = target->elements;
    product->A = factors[0].elements;
    product->B = factors[1].elements;
    product->form_A = factors[0].form;
    product->form_B = factors[1].form;
    product->factor = step->problem.factor;
    product->add = target->add;
    set_dimensions(extent, product);
    contraction_set_side(SIDE_C, &of_C, product);
    contraction_set_side(SIDE_A, &factors[0].strides, product);
    contraction_set_side(SIDE_B, &factors[1].strides, product);
}

static void multiply_operands(const struct loop_worker *worker, const struct loop_step_tasks *step,
                              const int64_t extent[MAX_INDICES],
                              const struct pinned_block factors[2], struct product_target *target)
{
    struct dense_product product;
    if (step->problem.has_B) {
        loop_worker_set_product(step, extent, factors, target, &product);
        dense_product_run(&product, worker->scratch);
    } else {
        contraction_copy(&factors[0].strides, &step->indices.C.own, extent, step->problem.factor,
                         factors[0].elements, target->add, target->elements);
    }
    target->add = true;
}

enum status loop_worker_pin(const struct loop_worker *worker, int s,
                            const struct loop_product *product, const int64_t extent[MAX_INDICES],
                            struct pinned_block factors[2])
{
    factors[0] = factors[1] = (struct pinned_block){.view_block = -1};
    TRY(loop_operand_pin(&worker->operands, s, LOOP_A, product, extent, &factors[0]));
    if (!worker->body.steps[s].problem.has_B)
        return STATUS_OK;
    return loop_operand_pin(&worker->operands, s, LOOP_B, product, extent, &factors[1]);
}

void loop_worker_release(const struct loop_worker *worker, int s,
                         const struct pinned_block factors[2])
{
    loop_operand_release(&worker->operands, s, LOOP_B, &factors[1]);
    loop_operand_release(&worker->operands, s, LOOP_A, &factors[0]);
}

static enum status add_product(struct loop_worker *worker, int s,
                               const struct loop_product *product,
                               const int64_t extent[MAX_INDICES], struct product_target *target)
{
    struct pinned_block factors[2];
    enum status status = loop_worker_pin(worker, s, product, extent, factors);
    if (status == STATUS_OK) {
        multiply_operands(worker, &worker->body.steps[s], extent, factors, target);
        if (worker->polled)
            taskpool_poll(worker->polled);
    }
    loop_worker_release(worker, s, factors);
    return status;
}

void loop_worker_set_extents(const struct loop_worker *worker, int s,
                             const struct loop_product *product, int64_t extent[MAX_INDICES])
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
        loop_worker_set_extents(worker, s, product, extent);
        TRY(add_product(worker, s, product, extent, sum));
    }
    return STATUS_OK;
}

void loop_worker_clear_target(const struct loop_worker *worker, int s,
                              const struct loop_target *target, double *elements)
{
    const struct tile_loop_tensor *tensor =
        &worker->body.problem->tensors[worker->body.problem->steps[s].tensor[LOOP_C]];
    int64_t size = 1, extent[MAX_RANK];
    loop_local_extents(&worker->at, tensor, target->at, extent);
    for (int d = 0; d < tensor->labels.rank; d++)
        size *= extent[d];
    memset(elements, 0, (size_t)size * sizeof *elements);
}

static enum status run_local_target(struct loop_worker *worker, int s,
                                    const struct loop_target *target)
{
    const struct loop_step_tasks *step = &worker->body.steps[s];
    const struct local_tensor *local =
        &worker->locals[worker->body.problem->steps[s].tensor[LOOP_C]];
    struct product_target sum = {.elements = local->elements + local->offsets[target->block],
                                 .add = step->problem.add};
    if (target->first == target->end && !step->problem.add)
        loop_worker_clear_target(worker, s, target, sum.elements);
    return add_products(worker, s, target, &sum);
}

/* A scalar that the loop sums, or the only element of an intermediate; NULL if labels forbid it. */
static double *find_sum(const struct loop_worker *worker, int s, double scalars[])
{
    int stored = worker->body.steps[s].scalar;
    int tensor = worker->body.problem->steps[s].tensor[LOOP_C];
    return stored >= 0 ? &scalars[stored] : worker->locals[tensor].elements;
}

enum status loop_worker_run_step(struct loop_worker *worker, int s, double scalars[])
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
