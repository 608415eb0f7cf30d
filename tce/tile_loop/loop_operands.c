/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_operands.h"

#include "tce/tensor/block_buffers.h"

#include <stdlib.h>

static const struct block_layout *layout_of(const struct loop_step_tasks *step,
                                            enum loop_operand operand)
{
    return operand == LOOP_A ? &step->indices.A : &step->indices.B;
}

/* Sums over the lone indices of a factor. */
static enum status reduce_operand(const struct loop_operands *self,
                                  const struct block_layout *layout,
                                  const int64_t extent[MAX_INDICES], struct pinned_block *pinned)
{
    int64_t size = 1;
    for (int d = 0; d < layout->order.n; d++)
        size *= extent[layout->order.index[d]];
    pinned->reduced = block_buffers_take(self->buffers, size);
    TRY(CHECK_MEMORY(pinned->reduced, "no memory for a block of a loop over tiles"));
    contraction_copy(&pinned->strides, &layout->order, extent, 1, pinned->elements, false,
                     pinned->reduced);
    pinned->elements = pinned->reduced;
    pinned->strides = block_strides_of(&layout->order, extent);
    return STATUS_OK;
}

/* The block of a stored factor's view in a product. */
static int64_t find_view_block(const struct loop_operands *self, int s, enum loop_operand operand,
                               const struct loop_product *product)
{
    const struct tile_loop_step *step = &self->body->problem->steps[s];
    int32_t at[MAX_RANK];
    for (int d = 0; d < step->labels[operand].rank; d++)
        at[d] = loop_product_tile(step, product, self->at->tuple, step->index[operand][d]);
    return block_index_number(self->body->steps[s].blocks[operand], at);
}

enum status loop_operand_pin(const struct loop_operands *self, int s, enum loop_operand operand,
                             const struct loop_product *product, const int64_t extent[MAX_INDICES],
                             struct pinned_block *pinned)
{
    const struct loop_step_tasks *step = &self->body->steps[s];
    const struct block_layout *layout = layout_of(step, operand);
    const struct local_tensor *local = &self->locals[self->body->problem->steps[s].tensor[operand]];
    *pinned = (struct pinned_block){.view_block = -1};
    if (product->block[operand] < 0) {
        struct view_block view;
        int64_t block = find_view_block(self, s, operand, product);
        TRY(loop_views_pin(self->views, 2 * s + (operand == LOOP_B), block, &view));
        pinned->elements = view.elements;
        pinned->form = view.form;
        pinned->size = view.size;
        pinned->view_block = block;
    } else {
        pinned->elements = local->elements + local->offsets[product->block[operand]];
    }
    pinned->strides = block_strides_of(&step->order[operand], extent);
    return layout->reduced ? reduce_operand(self, layout, extent, pinned) : STATUS_OK;
}

void loop_operand_release(const struct loop_operands *self, int s, enum loop_operand operand,
                          const struct pinned_block *pinned)
{
    block_buffers_give_back(self->buffers, pinned->reduced);
    if (pinned->view_block >= 0)
        loop_views_release(self->views, 2 * s + (operand == LOOP_B), pinned->view_block);
}

static struct loop_view_source view_source_of(const struct loop_operands *self, int s,
                                              enum loop_operand operand)
{
    const struct loop_step_tasks *step = &self->body->steps[s];
    const struct index_list *own = &layout_of(step, operand)->own;
    struct loop_view_source source = {
        .tensor = self->body->tensors[self->body->problem->steps[s].tensor[operand]],
        .blocks = step->blocks[operand],
        .form = step->form[operand],
        .n_summed = step->indices.group[ROLE_SUMMED].n};
    for (int d = 0; d < own->n; d++) {
        int index = step->order[operand].index[d];
        /* A list with a diagonal is in its own order. */
        source.place[d] = index_list_count(own, index) > 1 ? d : index_list_place(own, index);
    }
    return source;
}

enum status loop_operands_create_views(struct loop_operands *self, int64_t cache_bytes)
{
    const struct tile_loop_problem *problem = self->body->problem;
    struct loop_view_source *sources = calloc(2 * (size_t)problem->n_steps + 1, sizeof *sources);
    TRY(CHECK_MEMORY(sources, "no memory for the tensors of a loop"));
    for (int s = 0; s < problem->n_steps; s++)
        for (int operand = LOOP_A; operand < N_LOOP_OPERANDS; operand++) {
            int tensor = problem->steps[s].tensor[operand];
            if (tensor >= 0 && !problem->tensors[tensor].local)
                sources[2 * s + (operand == LOOP_B)] =
                    view_source_of(self, s, (enum loop_operand)operand);
        }
    enum status status =
        loop_views_create(2 * problem->n_steps, sources, cache_bytes, self->buffers, &self->views);
    free(sources);
    return status;
}
