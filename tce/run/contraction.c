/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction.h"

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
        return in_C ? ROLE_ROW : ROLE_SUMMED;
    assert(in_B == in_C);
    return in_B ? ROLE_COLUMN : ROLE_UNUSED;
}

/* The indices of a role, in the order in which a tensor has them. */
static struct index_list group_in(const struct contraction_indices *indices, enum index_role role,
                                  const struct index_list *own)
{
    struct index_list group = {0};
    for (int d = 0; d < own->n; d++)
        if (indices->role[own->index[d]] == role && index_list_count(&group, own->index[d]) == 0)
            index_list_append(&group, own->index[d]);
    return group;
}

void contraction_indices_init(const struct contraction_problem *problem,
                              struct contraction_indices *indices)
{
    *indices = (struct contraction_indices){0};
    note_spaces(&problem->C, indices);
    note_spaces(&problem->A, indices);
    indices->C = list_of(&problem->C);
    indices->A = list_of(&problem->A);
    if (problem->has_B) {
        note_spaces(&problem->B, indices);
        indices->B = list_of(&problem->B);
    }
    for (int x = 0; x < MAX_INDICES; x++) {
        bool in_C = index_list_count(&indices->C, x) > 0;
        bool in_A = index_list_count(&indices->A, x) > 0;
        bool in_B = index_list_count(&indices->B, x) > 0;
        assert(index_list_count(&indices->C, x) <= 1);
        assert(!problem->has_B || in_A + in_B + in_C != 1);
        indices->role[x] = role_of(in_C, in_A, in_B);
    }
    indices->group[ROLE_BATCH] = group_in(indices, ROLE_BATCH, &indices->C);
    indices->group[ROLE_ROW] = group_in(indices, ROLE_ROW, &indices->C);
    indices->group[ROLE_COLUMN] = group_in(indices, ROLE_COLUMN, &indices->C);
    indices->group[ROLE_SUMMED] = group_in(indices, ROLE_SUMMED, &indices->A);
}
