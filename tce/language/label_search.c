/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/label_search.h"

#include <stdlib.h>

/* Sums of spins that the sets can hold: from -MAX_SPIN to MAX_SPIN. */
enum { N_LABELS = 3 * N_IRREPS, MAX_SPIN = 31 };

/* Labels of several indices together that can be reached: bit MAX_SPIN + spin. */
struct label_set {
    uint64_t spins[N_IRREPS];
};

/* How an index enters an equation. */
struct coefficient {
    int irrep; /* 0 or 1: its irrep taken twice is trivial */
    int spin;
};

struct search {
    int n_variables, n_equations;
    struct label_set *reach; /* n_equations x (n_variables + 1): by the variables from v; owned,
                                with the memory of those below */
    struct coefficient *coefficients; /* n_equations x n_variables */
    struct coefficient *rest;         /* n_equations: irrep and spin that are still to be met */
    uint32_t *labels;                 /* n_variables: as program_space.labels */
    int *index;                       /* n_variables: the index of the program */
    int64_t *effort;
};

static int label_irrep(int label)
{
    return label / 3;
}

static int label_spin(int label)
{
    return label % 3 - 1;
}

/* The labels that are reached with one more index. */
static struct label_set extend_label_set(const struct label_set *set, uint32_t labels,
                                         struct coefficient coefficient)
{
    struct label_set extended = {{0}};
    for (int label = 0; label < N_LABELS; label++) {
        if (!(labels >> label & 1))
            continue;
        int irrep = coefficient.irrep * label_irrep(label);
        int spin = coefficient.spin * label_spin(label);
        for (int i = 0; i < N_IRREPS; i++)
            extended.spins[i ^ irrep] |= spin >= 0 ? set->spins[i] << spin : set->spins[i] >> -spin;
    }
    return extended;
}

static struct label_set nothing_reached_but_zero(void)
{
    return (struct label_set){{UINT64_C(1) << MAX_SPIN}};
}

static bool set_contains(const struct label_set *set, struct coefficient rest)
{
    bool within = rest.spin >= -MAX_SPIN && rest.spin <= MAX_SPIN;
    return within && (set->spins[rest.irrep] >> (MAX_SPIN + rest.spin) & 1);
}

bool label_search_tensor(const struct program *program, const struct program_tensor *tensor)
{
    struct label_set set = nothing_reached_but_zero();
    for (int d = 0; d < tensor->rank; d++) {
        const struct program_space *space = &program->spaces[tensor->space[d]];
        if (space->binding)
            return true;
        set = extend_label_set(&set, space->labels, (struct coefficient){1, tensor->sign[d]});
    }
    return set_contains(&set, (struct coefficient){tensor->irrep, tensor->spin});
}

static int find_index_variable(const struct search *search, int index)
{
    int v = 0;
    while (v < search->n_variables && search->index[v] != index)
        v++;
    return v;
}

/* Numbers the indices in the order they occur in; false if the labels of one are unknown. */
static bool collect_variables(struct search *search, const struct program *program, int n,
                              const struct program_factor *const factors[])
{
    for (int f = 0; f < n; f++)
        for (int d = 0; d < program->tensors[factors[f]->tensor].rank; d++) {
            int index = factors[f]->index[d];
            const struct program_space *space = &program->spaces[program->indices[index].space];
            if (space->binding)
                return false;
            int v = find_index_variable(search, index);
            search->index[v] = index;
            search->labels[v] = space->labels;
            search->n_variables += v == search->n_variables;
        }
    return true;
}

static enum status search_init(struct search *search, const struct program *program, int n,
                               const struct program_factor *const factors[])
{
    size_t n_variables = 1, n_equations = (size_t)n + 1;
    for (int f = 0; f < n; f++)
        n_variables += (size_t)program->tensors[factors[f]->tensor].rank;
    size_t n_coefficients = n_equations * n_variables, n_reach = n_equations * (n_variables + 1);
    /* One block, those of the largest alignment first. */
    search->reach = calloc(1, n_reach * sizeof *search->reach +
                                  (n_coefficients + n_equations) * sizeof *search->coefficients +
                                  n_variables * (sizeof *search->labels + sizeof *search->index));
    TRY(CHECK_MEMORY(search->reach, "no memory to check the labels of a product of %d tensors", n));
    search->coefficients = (struct coefficient *)(search->reach + n_reach);
    search->rest = search->coefficients + n_coefficients;
    search->labels = (uint32_t *)(search->rest + n_equations);
    search->index = (int *)(search->labels + n_variables);
    search->n_equations = n + 1;
    return STATUS_OK;
}

static struct coefficient *equation_of(const struct search *search, int e)
{
    return search->coefficients + (ptrdiff_t)e * search->n_variables;
}

/* The equation of a tensor, and its part in that of all: the first tensor less the others. */
static void add_equation(struct search *search, const struct program *program, int e,
                         const struct program_factor *factor)
{
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    int all = search->n_equations - 1, sign = e == 0 ? 1 : -1;
    for (int d = 0; d < tensor->rank; d++) {
        int v = find_index_variable(search, factor->index[d]);
        equation_of(search, e)[v].irrep ^= 1;
        equation_of(search, e)[v].spin += tensor->sign[d];
        equation_of(search, all)[v].irrep ^= 1;
        equation_of(search, all)[v].spin += sign * tensor->sign[d];
    }
    search->rest[e] = (struct coefficient){tensor->irrep, tensor->spin};
    search->rest[all].irrep ^= tensor->irrep;
    search->rest[all].spin += sign * tensor->spin;
}

/* The sets have room for what one tensor can have, not for any number of them. */
static void leave_out_large_spins(struct search *search)
{
    int all = search->n_equations - 1, largest = abs(search->rest[all].spin);
    for (int v = 0; v < search->n_variables; v++)
        largest += abs(equation_of(search, all)[v].spin);
    if (largest <= MAX_SPIN)
        return;
    search->rest[all].spin = 0;
    for (int v = 0; v < search->n_variables; v++)
        equation_of(search, all)[v].spin = 0;
}

static struct label_set *reach_from(const struct search *search, int e, int v)
{
    return &search->reach[(ptrdiff_t)e * (search->n_variables + 1) + v];
}

static void fill_reach(struct search *search)
{
    for (int e = 0; e < search->n_equations; e++) {
        *reach_from(search, e, search->n_variables) = nothing_reached_but_zero();
        for (int v = search->n_variables - 1; v >= 0; v--)
            *reach_from(search, e, v) = extend_label_set(
                reach_from(search, e, v + 1), search->labels[v], equation_of(search, e)[v]);
    }
    *search->effort -= (int64_t)N_IRREPS * search->n_equations * search->n_variables;
}

/* Gives variable v a label, or takes it back (direction -1); whether what is left to be
 * met is within the reach of the variables after it. */
static bool place_label(struct search *search, int v, int label, int direction)
{
    bool possible = true;
    for (int e = 0; e < search->n_equations; e++) {
        struct coefficient coefficient = equation_of(search, e)[v];
        search->rest[e].irrep ^= coefficient.irrep * label_irrep(label);
        search->rest[e].spin -= direction * coefficient.spin * label_spin(label);
        possible = possible && set_contains(reach_from(search, e, v + 1), search->rest[e]);
    }
    *search->effort -= search->n_equations;
    return possible;
}

/* Whether the variables from v on can meet what is left; those before have labels. */
static bool search_labels(struct search *search, int v)
{
    if (v == search->n_variables || *search->effort <= 0)
        return true;
    for (int label = 0; label < N_LABELS; label++) {
        if (!(search->labels[v] >> label & 1))
            continue;
        if (place_label(search, v, label, 1) && search_labels(search, v + 1))
            return true;
        place_label(search, v, label, -1);
    }
    return false;
}

enum status label_search(const struct program *program, int n,
                         const struct program_factor *const factors[], int64_t *effort,
                         bool *possible)
{
    struct search search = {.effort = effort};
    *possible = true;
    TRY(search_init(&search, program, n, factors));
    if (*effort <= 0 || !collect_variables(&search, program, n, factors))
        goto done;
    for (int f = 0; f < n; f++)
        add_equation(&search, program, f, factors[f]);
    leave_out_large_spins(&search);
    fill_reach(&search);
    for (int e = 0; e < search.n_equations; e++)
        *possible = *possible && set_contains(reach_from(&search, e, 0), search.rest[e]);
    *possible = *possible && search_labels(&search, 0);
done:
    free(search.reach);
    return STATUS_OK;
}
