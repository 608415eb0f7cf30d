/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/class_costs.h"

#include "basis/integrals/shell_groups.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum status class_costs_create(const struct shells *shells, struct class_costs **costs)
{
    int n = shells->n_types * (shells->n_types + 1) / 2;
    struct class_costs *made = calloc(1, sizeof *made);
    struct class_cost *of = calloc((size_t)n * (size_t)n, sizeof *of);
    *costs = NULL;
    if (!made || !of) {
        free(made);
        free(of);
        return FAIL(STATUS_NO_MEMORY, "no memory for the costs of classes");
    }
    int64_t n_numbers = (int64_t)n * n * (int64_t)(sizeof *of / sizeof(double));
    *made = (struct class_costs){shells, n, n_numbers, of};
    *costs = made;
    return STATUS_OK;
}

void class_costs_destroy(struct class_costs *costs)
{
    if (!costs)
        return;
    free(costs->of);
    free(costs);
}

void class_costs_clear(struct class_costs *costs)
{
    memset(costs->of, 0, (size_t)costs->n_numbers * sizeof(double));
}

static int find_pair_type(const struct shells *shells, const struct pair_class *class)
{
    int first = (int)(class->type[0] - shells->types);
    int second = (int)(class->type[1] - shells->types);
    assert(0 <= second && second <= first && first < shells->n_types);
    return first * (first + 1) / 2 + second;
}

static void split_pair_type(int pair_type, int types[2])
{
    types[0] = 0;
    while ((types[0] + 1) * (types[0] + 2) / 2 <= pair_type)
        types[0]++;
    types[1] = pair_type - types[0] * (types[0] + 1) / 2;
}

struct class_cost *class_costs_of(struct class_costs *costs, const struct quartet_batch *batch)
{
    int64_t bra = find_pair_type(costs->shells, batch->bra);
    int64_t ket = find_pair_type(costs->shells, batch->ket);
    return &costs->of[bra * costs->n_pair_types + ket];
}

/* Appends to a name that has room for the longest: GROUP_MAX_FUNCTIONS letters, and brackets. */
static char *append_group_name(const struct group_type *type, char *end)
{
    static const char letters[] = "spdfgh";
    static_assert(sizeof letters == BASIS_MAX_L + 2, "a letter for each angular momentum");
    static_assert(CLASS_NAME_SIZE > 4 * (GROUP_MAX_FUNCTIONS + 2) + 3, "room for four groups");
    if (type->n_shells > 1)
        *end++ = '[';
    for (int i = 0; i < type->n_shells;) {
        int first = i;
        while (i < type->n_shells && type->l[i] == type->l[first])
            i++;
        if (i - first > 1)
            end += snprintf(end, 3, "%d", i - first);
        *end++ = letters[type->l[first]];
    }
    if (type->n_shells > 1)
        *end++ = ']';
    *end = '\0';
    return end;
}

static char *append_pair_name(const struct class_costs *costs, int pair, char *end)
{
    int types[2];
    split_pair_type(pair, types);
    const struct group_type *all = costs->shells->types;
    return append_group_name(&all[types[1]], append_group_name(&all[types[0]], end));
}

void class_costs_name(const struct class_costs *costs, int bra, int ket, char name[CLASS_NAME_SIZE])
{
    char *end = name;
    *end++ = '(';
    end = append_pair_name(costs, bra, end);
    *end++ = '|';
    end = append_pair_name(costs, ket, end);
    *end++ = ')';
    *end = '\0';
}

void class_cost_add(struct class_cost *cost, const struct quartet_batch *batch)
{
    cost->quartets += batch->n_quartets;
    for (int32_t first = 0; first < batch->n_quartets; first += QUARTET_LANES) {
        int most_bra = 0, most_ket = 0;
        for (int32_t i = first; i < first + QUARTET_LANES && i < batch->n_quartets; i++) {
            int n_bra = batch->bra->pairs[batch->quartets[i].bra].n_primitives;
            int n_ket = batch->ket->pairs[batch->quartets[i].ket].n_primitives;
            cost->primitives += (double)n_bra * n_ket;
            most_bra = n_bra > most_bra ? n_bra : most_bra;
            most_ket = n_ket > most_ket ? n_ket : most_ket;
        }
        cost->lanes += (double)most_bra * most_ket * QUARTET_LANES;
    }
}
