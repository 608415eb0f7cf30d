/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/shell_groups.h"

#include "basis/integrals/shells.h"

#include <stdlib.h>

struct group_type group_type_of(int n_shells, const int *l, bool spherical)
{
    struct group_type type = {.n_shells = n_shells};
    for (int i = 0; i < n_shells; i++) {
        type.l[i] = l[i];
        type.max_l = l[i] > type.max_l ? l[i] : type.max_l;
        type.n_functions += angular_map(l[i], spherical)->n_functions;
    }
    type.spherical = spherical && type.max_l >= 2;
    return type;
}

/* The primitive of that exponent; -1 without one. */
static int find_exponent(const struct shell *shell, double exponent)
{
    for (int p = 0; p < shell->n_primitives; p++)
        if (shell->exponents[p] == exponent)
            return p;
    return -1;
}

static bool has_all_exponents(const struct shell *of, const struct shell *in)
{
    for (int p = 0; p < of->n_primitives; p++)
        if (find_exponent(in, of->exponents[p]) < 0)
            return false;
    return true;
}

/* Shells [first, last), and which of them has the exponents of all. */
struct shell_range {
    int64_t first, last, widest;
    int n_functions;
};

static bool joins_range(const struct shell *shells, const struct shell_range *range, int64_t next)
{
    const struct shell *shell = &shells[next], *widest = &shells[range->widest];
    return shell->atom == widest->atom && shell->l <= GROUP_MAX_L &&
           shells[range->first].l <= GROUP_MAX_L &&
           range->n_functions + shell->n_functions <= GROUP_MAX_FUNCTIONS &&
           (has_all_exponents(shell, widest) || has_all_exponents(widest, shell));
}

static struct shell_range next_range(const struct shells *shells, int64_t first)
{
    const struct shell *all = shells->shells;
    struct shell_range range = {first, first + 1, first, all[first].n_functions};
    for (; range.last < shells->n_shells && joins_range(all, &range, range.last); range.last++) {
        range.n_functions += all[range.last].n_functions;
        if (all[range.last].n_primitives > all[range.widest].n_primitives)
            range.widest = range.last;
    }
    return range;
}

static struct group_type type_of_range(const struct shells *shells, const struct shell_range *range)
{
    int l[GROUP_MAX_FUNCTIONS], n = 0;
    for (int64_t s = range->first; s < range->last; s++)
        l[n++] = shells->shells[s].l;
    return group_type_of(n, l, shells->spherical);
}

/* By the highest angular momentum first, so that pairs of types are ordered by it. */
static int compare_types(const void *left, const void *right)
{
    const struct group_type *a = left, *b = right;
    if (a->max_l != b->max_l)
        return a->max_l - b->max_l;
    if (a->n_shells != b->n_shells)
        return a->n_shells - b->n_shells;
    for (int i = 0; i < a->n_shells; i++)
        if (a->l[i] != b->l[i])
            return a->l[i] - b->l[i];
    return 0;
}

static int find_type(const struct shells *shells, const struct group_type *type)
{
    int t = 0;
    while (t < shells->n_types && !group_types_equal(&shells->types[t], type))
        t++;
    return t;
}

/* Sets the types in their order; counts groups, and coefficients of groups of several shells. */
static size_t collect_types(struct shells *shells)
{
    size_t n_coefficients = 0;
    for (int64_t first = 0; first < shells->n_shells; shells->n_groups++) {
        struct shell_range range = next_range(shells, first);
        struct group_type type = type_of_range(shells, &range);
        int t = find_type(shells, &type);
        if (t == shells->n_types)
            shells->types[shells->n_types++] = type;
        if (type.n_functions > shells->max_group_functions)
            shells->max_group_functions = type.n_functions;
        if (type.n_shells > 1)
            n_coefficients +=
                (size_t)type.n_shells * (size_t)shells->shells[range.widest].n_primitives;
        first = range.last;
    }
    qsort(shells->types, (size_t)shells->n_types, sizeof *shells->types, compare_types);
    return n_coefficients;
}

/* The coefficients of a range over the primitives of its widest shell. */
static void spread_coefficients(const struct shell *shells, const struct shell_range *range,
                                double *coefficients)
{
    const struct shell *widest = &shells[range->widest];
    for (int64_t s = range->first; s < range->last; s++, coefficients += widest->n_primitives)
        for (int p = 0; p < shells[s].n_primitives; p++)
            coefficients[find_exponent(widest, shells[s].exponents[p])] +=
                shells[s].coefficients[p];
}

static void place_groups(struct shells *shells)
{
    double *coefficients = shells->group_coefficients;
    int64_t first = 0;
    for (int64_t g = 0; g < shells->n_groups; g++) {
        struct shell_range range = next_range(shells, first);
        struct group_type type = type_of_range(shells, &range);
        const struct shell *widest = &shells->shells[range.widest];
        shells->groups[g] = (struct shell_group){
            .type = find_type(shells, &type),
            .first_shell = first,
            .first_function = shells->shells[first].first_function,
            .n_primitives = widest->n_primitives,
            .center = {widest->center[0], widest->center[1], widest->center[2]},
            .exponents = widest->exponents,
            .coefficients = type.n_shells == 1 ? widest->coefficients : coefficients};
        if (type.n_shells > 1) {
            spread_coefficients(shells->shells, &range, coefficients);
            coefficients += (int64_t)type.n_shells * widest->n_primitives;
        }
        first = range.last;
    }
}

enum status shell_groups_create(struct shells *shells)
{
    /* Room for as many types as shells: most of it is never touched. */
    shells->types = malloc((size_t)shells->n_shells * sizeof *shells->types);
    shells->groups = malloc((size_t)shells->n_shells * sizeof *shells->groups);
    TRY(CHECK_MEMORY(shells->types && shells->groups, "no memory for the groups of shells"));
    size_t n_coefficients = collect_types(shells);
    shells->group_coefficients = calloc(n_coefficients + 1, sizeof(double));
    TRY(CHECK_MEMORY(shells->group_coefficients, "no memory for the groups of shells"));
    place_groups(shells);
    return STATUS_OK;
}

void shell_groups_destroy(struct shells *shells)
{
    free(shells->types);
    free(shells->groups);
    free(shells->group_coefficients);
}
