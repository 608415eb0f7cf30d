/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/loop_steps.h"

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

/* How step s reads a factor that is stored. */
static enum status set_view(const struct tile_loop_problem *problem, int s, int f,
                            struct loop_step *step)
{
    const struct tile_loop_step *from = &problem->steps[s];
    const struct block_layout *layout = f == 0 ? &step->indices.A : &step->indices.B;
    struct block_index *blocks;
    if (problem->tensors[from->tensor[LOOP_A + f]].local)
        return STATUS_OK;
    TRY(block_index_create(&from->labels[LOOP_A + f], &blocks));
    step->view[f] = (struct factor_view){.blocks = blocks,
                                         .order = order_of_view(&step->indices, &layout->own),
                                         .form = form_of_view(&step->indices, layout),
                                         .n_summed = step->indices.group[ROLE_SUMMED].n};
    return STATUS_OK;
}

enum status loop_step_init(const struct tile_loop_problem *problem, int s, struct loop_step *step)
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
    TRY(set_view(problem, s, 0, step));
    return has_B ? set_view(problem, s, 1, step) : STATUS_OK;
}

void loop_step_fini(struct loop_step *step)
{
    for (int f = 0; f < 2; f++)
        block_index_destroy(step->view[f].blocks);
}
