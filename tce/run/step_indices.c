/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/step_indices.h"

#include <assert.h>
#include <string.h>

static struct index_list list_of(const struct contraction_operand *operand)
{
    struct index_list list = {.n = operand->labels->rank};
    memcpy(list.index, operand->index, (size_t)list.n * sizeof list.index[0]);
    return list;
}

static void note_spaces(const struct contraction_operand *operand,
                        struct contraction_indices *indices)
{
    for (int d = 0; d < operand->labels->rank; d++)
        indices->space[operand->index[d]] = operand->labels->space[d];
}

static enum index_role role_of(bool in_C, bool in_A, bool in_B)
{
    if (in_A && in_B)
        return in_C ? ROLE_BATCH : ROLE_SUMMED;
    if (in_A)
        return in_C ? ROLE_ROW : ROLE_LONE_A;
    if (in_B)
        return in_C ? ROLE_COLUMN : ROLE_LONE_B;
    assert(!in_C);
    return ROLE_UNUSED;
}

/* The indices of a role, in the order in which a tensor has them. */
static struct index_list group_in(const struct contraction_indices *indices, enum index_role role,
                                  const struct block_layout *layout)
{
    struct index_list group = {0};
    for (int d = 0; d < layout->own.n; d++)
        if (indices->role[layout->own.index[d]] == role &&
            index_list_count(&group, layout->own.index[d]) == 0)
            index_list_append(&group, layout->own.index[d]);
    return group;
}

/* Decides whether a factor's blocks are reduced. */
static void lay_out_factor(const struct contraction_indices *indices, enum index_role lone,
                           struct block_layout *layout)
{
    layout->order = layout->own;
    layout->reduced = indices->group[lone].n > 0;
    if (!layout->reduced)
        return;
    layout->order.n = 0;
    for (int d = 0; d < layout->own.n; d++) {
        int index = layout->own.index[d];
        if (indices->role[index] != lone && index_list_count(&layout->order, index) == 0)
            index_list_append(&layout->order, index);
    }
}

void contraction_indices_init(const struct contraction_problem *problem,
                              struct contraction_indices *indices)
{
    *indices = (struct contraction_indices){0};
    note_spaces(&problem->C, indices);
    note_spaces(&problem->A, indices);
    indices->C.own = list_of(&problem->C);
    indices->A.own = list_of(&problem->A);
    if (problem->has_B) {
        note_spaces(&problem->B, indices);
        indices->B.own = list_of(&problem->B);
    }
    for (int x = 0; x < MAX_INDICES; x++) {
        assert(index_list_count(&indices->C.own, x) <= 1);
        indices->role[x] = role_of(index_list_count(&indices->C.own, x) > 0,
                                   index_list_count(&indices->A.own, x) > 0,
                                   index_list_count(&indices->B.own, x) > 0);
    }
    indices->group[ROLE_BATCH] = group_in(indices, ROLE_BATCH, &indices->C);
    indices->group[ROLE_ROW] = group_in(indices, ROLE_ROW, &indices->C);
    indices->group[ROLE_COLUMN] = group_in(indices, ROLE_COLUMN, &indices->C);
    indices->group[ROLE_SUMMED] = group_in(indices, ROLE_SUMMED, &indices->A);
    indices->group[ROLE_LONE_A] = group_in(indices, ROLE_LONE_A, &indices->A);
    indices->group[ROLE_LONE_B] = group_in(indices, ROLE_LONE_B, &indices->B);
    indices->C.order = indices->C.own;
    lay_out_factor(indices, ROLE_LONE_A, &indices->A);
    lay_out_factor(indices, ROLE_LONE_B, &indices->B);
    /* Without B, A's lone indices are summed over while it is added to C. */
    if (!problem->has_B) {
        indices->A.order = indices->A.own;
        indices->A.reduced = false;
    }
}
