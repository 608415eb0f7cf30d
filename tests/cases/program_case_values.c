/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/cases/program_case_values.h"

#include "tce/tensor/tensor_functions.h"
#include "tests/check.h"

#include <stdlib.h>

static int stride_of(const struct program_case *one, int tensor, int d)
{
    int stride = 1;
    for (int e = d + 1; e < one->tensors[tensor].rank; e++)
        stride *= one->spaces[one->tensors[tensor].space[e]].size;
    return stride;
}

int case_values_place(const struct program_case *one, int tensor, const int64_t value[])
{
    int place = 0;
    for (int d = 0; d < one->tensors[tensor].rank; d++)
        place += (int)value[d] * stride_of(one, tensor, d);
    return place;
}

/* Whether the labels allow the tensor's element; value: of each of its indices. */
static bool exists(const struct program_case *one, int tensor, const int64_t value[])
{
    const struct case_tensor *declared = &one->tensors[tensor];
    int irrep = declared->irrep, spin = declared->spin;
    for (int d = 0; d < declared->rank; d++) {
        const struct case_space *space = &one->spaces[declared->space[d]];
        irrep ^= space->irrep[value[d]];
        spin -= declared->sign[d] * space->spin[value[d]];
    }
    return irrep == 0 && spin == 0;
}

static bool next_element(const struct program_case *one, int tensor, int64_t value[])
{
    for (int d = one->tensors[tensor].rank - 1; d >= 0; d--) {
        if (++value[d] < one->spaces[one->tensors[tensor].space[d]].size)
            return true;
        value[d] = 0;
    }
    return false;
}

static void fill_values(const struct program_case *one, int tensor, struct case_values *values)
{
    const struct case_tensor *declared = &one->tensors[tensor];
    struct tensor_function function;
    int64_t value[CASE_RANK] = {0};
    check_ok(tensor_function_find(declared->fill, declared->n_arguments, &declared->argument,
                                  declared->rank, &function));
    for (int i = 0; i < values->n; i++) {
        if (exists(one, tensor, value))
            values->value[i] = function.element(value, &function);
        values->norm[i] = fabs(values->value[i]);
        next_element(one, tensor, value);
    }
}

void case_values_fill(const struct program_case *one, struct case_values values[CASE_TENSORS])
{
    for (int t = 0; t < one->n_tensors; t++) {
        const struct case_tensor *declared = &one->tensors[t];
        values[t].n = 1;
        for (int d = 0; d < declared->rank; d++)
            values[t].n *= one->spaces[declared->space[d]].size;
        values[t].value = calloc((size_t)values[t].n, sizeof *values[t].value);
        values[t].norm = calloc((size_t)values[t].n, sizeof *values[t].norm);
        assert_true(values[t].value && values[t].norm);
        if (declared->fill)
            fill_values(one, t, &values[t]);
    }
}

void case_values_free(const struct program_case *one, struct case_values values[CASE_TENSORS])
{
    for (int t = 0; t < one->n_tensors; t++) {
        free(values[t].value);
        free(values[t].norm);
    }
}

/* A factor's place as a sum over all indices. */
struct strides {
    int of[CASE_INDICES];
};

static struct strides strides_of(const struct program_case *one, const struct case_factor *factor)
{
    struct strides strides = {0};
    for (int d = 0; d < one->tensors[factor->tensor].rank; d++)
        strides.of[factor->index[d]] += stride_of(one, factor->tensor, d);
    return strides;
}

static int place_of(const struct strides *strides, const struct case_loops *loops)
{
    int place = 0;
    for (int i = 0; i < loops->n; i++)
        place += strides->of[loops->index[i]] * loops->value[loops->index[i]];
    return place;
}

static void add_term(const struct program_case *one, const struct case_factor *target,
                     const struct case_term *term, struct case_values values[CASE_TENSORS])
{
    struct strides to = strides_of(one, target), from[CASE_FACTORS];
    struct case_loops loops = {0};
    case_loops_add(one, target, &loops);
    for (int f = 0; f < term->n_factors; f++) {
        case_loops_add(one, &term->factors[f], &loops);
        from[f] = strides_of(one, &term->factors[f]);
    }
    do {
        double value = term->coefficient, norm = fabs(term->coefficient);
        for (int f = 0; f < term->n_factors; f++) {
            const struct case_values *factor = &values[term->factors[f].tensor];
            int place = place_of(&from[f], &loops);
            value *= factor->value[place];
            norm *= factor->norm[place];
        }
        if (!program_case_exists(one, target, loops.value))
            continue;
        values[target->tensor].value[place_of(&to, &loops)] += value;
        values[target->tensor].norm[place_of(&to, &loops)] += norm;
    } while (case_loops_next(one, &loops));
}

static void run_statement(const struct program_case *one, const struct case_statement *statement,
                          struct case_values values[CASE_TENSORS])
{
    struct case_values *target = &values[statement->target.tensor];
    for (int i = 0; i < target->n && !statement->add; i++)
        target->value[i] = target->norm[i] = 0;
    for (int t = 0; t < statement->n_terms; t++)
        add_term(one, &statement->target, &statement->terms[t], values);
}

void case_values_run(const struct program_case *one, struct case_values values[CASE_TENSORS])
{
    for (int s = 0; s < one->n_statements; s++)
        run_statement(one, &one->statements[s], values);
}
