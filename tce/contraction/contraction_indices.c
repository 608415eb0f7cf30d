/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_indices.h"

#include <assert.h>
#include <string.h>

int index_list_count(const struct index_list *list, int index)
{
    int n = 0;
    for (int d = 0; d < list->n; d++)
        n += list->index[d] == index;
    return n;
}

int index_list_place(const struct index_list *list, int index)
{
    int d = 0;
    while (list->index[d] != index)
        d++;
    return d;
}

void index_list_append(struct index_list *list, int index)
{
    assert(list->n < MAX_RANK);
    list->index[list->n++] = index;
}

static void append_list(struct index_list *list, const struct index_list *more)
{
    for (int d = 0; d < more->n; d++)
        index_list_append(list, more->index[d]);
}

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
                                  const struct matrix_layout *layout)
{
    struct index_list group = {0};
    for (int d = 0; d < layout->own.n; d++)
        if (indices->role[layout->own.index[d]] == role &&
            index_list_count(&group, layout->own.index[d]) == 0)
            index_list_append(&group, layout->own.index[d]);
    return group;
}

/* Whether the blocks, without their batch indices, are one group and then the other, and
 * no batch index makes the distance between neighbours of a group uneven. */
static bool lies_as(const struct contraction_indices *indices, const struct index_list *own,
                    const struct index_list *first, const struct index_list *second)
{
    int n = 0;
    for (int d = 0; d < own->n; d++) {
        int index = own->index[d];
        if (indices->role[index] == ROLE_BATCH) {
            bool between = n == 0 || (n == first->n && second->n > 0);
            if (!between || index_list_count(own, index) > 1)
                return false;
            continue;
        }
        if (n >= first->n + second->n)
            return false;
        if (index != (n < first->n ? first->index[n] : second->index[n - first->n]))
            return false;
        n++;
    }
    return n == first->n + second->n;
}

/* Decides whether the blocks lie as a matrix of these groups, and how they are packed if not: the group
 * with the fastest index last, so that runs of neighbours stay. */
static void lay_out_matrix(const struct contraction_indices *indices, enum index_role rows,
                           enum index_role columns, struct matrix_layout *layout)
{
    const struct index_list *first = &indices->group[rows], *second = &indices->group[columns];
    layout->packed = !lies_as(indices, &layout->own, first, second) &&
                     !lies_as(indices, &layout->own, second, first);
    layout->order = layout->own;
    if (!layout->packed)
        return;
    layout->order = indices->group[ROLE_BATCH];
    bool ends_in_first = first->n > 0 && layout->own.n > 0 &&
                         first->index[first->n - 1] == layout->own.index[layout->own.n - 1];
    append_list(&layout->order, ends_in_first ? second : first);
    append_list(&layout->order, ends_in_first ? first : second);
}

/* Tries the orders of rows, columns and summed indices that the tensors themselves have.
 * The cost of packing is taken as the tensors' elements: each block is packed about once. Where a factor
 * may have any order, C's are tried first: its packed blocks then have longer runs. */
static void choose_orders(const struct contraction_problem *problem,
                          struct contraction_indices *indices)
{
    double weight_C = tensor_count_elements(problem->C.labels);
    double weight_A = problem->A.any_order ? 0 : tensor_count_elements(problem->A.labels);
    double weight_B = problem->B.any_order ? 0 : tensor_count_elements(problem->B.labels);
    struct contraction_indices best = *indices;
    double least = -1;
    int first = problem->A.any_order || problem->B.any_order ? 3 : 0;
    for (int tried_so_far = 0; tried_so_far < 8; tried_so_far++) {
        int choice = (first + tried_so_far) % 8;
        struct contraction_indices tried = *indices;
        tried.group[ROLE_ROW] = group_in(&tried, ROLE_ROW, choice & 1 ? &tried.C : &tried.A);
        tried.group[ROLE_COLUMN] = group_in(&tried, ROLE_COLUMN, choice & 2 ? &tried.C : &tried.B);
        tried.group[ROLE_SUMMED] = group_in(&tried, ROLE_SUMMED, choice & 4 ? &tried.B : &tried.A);
        lay_out_matrix(&tried, ROLE_ROW, ROLE_COLUMN, &tried.C);
        lay_out_matrix(&tried, ROLE_ROW, ROLE_SUMMED, &tried.A);
        lay_out_matrix(&tried, ROLE_SUMMED, ROLE_COLUMN, &tried.B);
        double cost =
            tried.C.packed * weight_C + tried.A.packed * weight_A + tried.B.packed * weight_B;
        if (least < 0 || cost < least) {
            least = cost;
            best = tried;
        }
    }
    *indices = best;
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
    indices->group[ROLE_LONE_A] = group_in(indices, ROLE_LONE_A, &indices->A);
    indices->group[ROLE_LONE_B] = group_in(indices, ROLE_LONE_B, &indices->B);
    if (problem->has_B) {
        choose_orders(problem, indices);
        return;
    }
    indices->group[ROLE_ROW] = group_in(indices, ROLE_ROW, &indices->C);
    indices->C.order = indices->C.own;
    indices->A.order = indices->A.own;
}
