/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tile_loop/loop_step_tasks.h"

#include <string.h>

static struct contraction_operand operand_of(const struct tile_loop_step *step,
                                             enum loop_operand which)
{
    struct contraction_operand operand = {.labels = &step->labels[which]};
    memcpy(operand.index, step->index[which], sizeof operand.index);
    return operand;
}

/* Whether an index occurs twice. */
static bool has_diagonal(const struct index_list *list)
{
    bool has = false;
    for (int d = 0; d < list->n; d++)
        has = has || index_list_count(list, list->index[d]) > 1;
    return has;
}

/* The order of a view: what is summed over first, by its number, and then as in C: products pack neighbours
 * in C together. A diagonal stays as it is. */
static struct index_list order_of_view(const struct contraction_indices *indices,
                                       const struct index_list *own)
{
    struct index_list order = {0};
    if (has_diagonal(own))
        return *own;
    for (int x = 0; x < MAX_INDICES; x++)
        if (index_list_count(own, x) > 0 && index_list_count(&indices->C.own, x) == 0)
            index_list_append(&order, x);
    for (int d = 0; d < indices->C.own.n; d++)
        if (index_list_count(own, indices->C.own.index[d]) > 0)
            index_list_append(&order, indices->C.own.index[d]);
    return order;
}

/* Whether the factor is a matrix, of rows or columns of C and what is summed over, and the other one, too. */
static bool is_matrix(const struct contraction_indices *indices, const struct block_layout *layout)
{
    return !has_diagonal(&layout->own) && indices->group[ROLE_BATCH].n == 0 &&
           indices->group[ROLE_ROW].n > 0 && indices->group[ROLE_COLUMN].n > 0 &&
           indices->group[ROLE_SUMMED].n > 0;
}

/* The form of a view: panels where products of matrices read it again and again. */
static enum factor_form form_of_view(const struct contraction_indices *indices,
                                     const struct block_layout *layout)
{
    if (layout->reduced || !is_matrix(indices, layout))
        return BY_STRIDES;
    int nearest = indices->C.own.index[indices->C.own.n - 1];
    return index_list_count(&layout->own, nearest) > 0 ? ROW_PANELS : COLUMN_PANELS;
}

/* How step s reads a factor. */
static enum status prepare_factor(const struct tile_loop_problem *problem, int s,
                                  enum loop_operand operand, struct loop_step_tasks *step)
{
    const struct tile_loop_step *from = &problem->steps[s];
    const struct block_layout *layout = operand == LOOP_A ? &step->indices.A : &step->indices.B;
    step->order[operand] = layout->own;
    if (problem->tensors[from->tensor[operand]].local)
        return STATUS_OK;
    step->order[operand] = order_of_view(&step->indices, &layout->own);
    step->form[operand] = form_of_view(&step->indices, layout);
    return block_index_create(&from->labels[operand], &step->blocks[operand]);
}

enum status loop_step_tasks_init(const struct tile_loop_problem *problem, int s,
                                 struct loop_step_tasks *step)
{
    const struct tile_loop_step *from = &problem->steps[s];
    bool has_B = from->tensor[LOOP_B] >= 0;
    step->problem = (struct contraction_problem){.C = operand_of(from, LOOP_C),
                                                 .A = operand_of(from, LOOP_A),
                                                 .has_B = has_B,
                                                 .add = from->add,
                                                 .factor = from->factor};
    if (has_B)
        step->problem.B = operand_of(from, LOOP_B);
    contraction_indices_init(&step->problem, &step->indices);
    TRY(prepare_factor(problem, s, LOOP_A, step));
    return has_B ? prepare_factor(problem, s, LOOP_B, step) : STATUS_OK;
}

void loop_step_tasks_fini(struct loop_step_tasks *step)
{
    for (int operand = LOOP_A; operand < N_LOOP_OPERANDS; operand++)
        block_index_destroy(step->blocks[operand]);
}
