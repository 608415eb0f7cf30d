/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/nested_loops.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum status whole_array_init(const char *name, int rank, const int64_t size[],
                             struct whole_array *array)
{
    double n = 1;
    *array = (struct whole_array){.rank = rank, .n = 1};
    for (int d = rank - 1; d >= 0; d--) {
        array->size[d] = size[d];
        array->stride[d] = array->n;
        n *= (double)size[d];
        if (n > 0x1p40)
            return FAIL(STATUS_LIMIT, "tensor %s has %.3g elements: too many for nested loops",
                        name, n);
        array->n *= size[d];
    }
    array->elements = calloc((size_t)array->n, sizeof *array->elements);
    array->norms = calloc((size_t)array->n, sizeof *array->norms);
    return CHECK_MEMORY(array->elements && array->norms,
                        "no memory for the %.3g elements of tensor %s", n, name);
}

void whole_array_fini(struct whole_array *array)
{
    free(array->elements);
    free(array->norms);
    *array = (struct whole_array){0};
}

bool nested_loops_next(int n, const int64_t size[], int64_t value[])
{
    for (int d = n - 1; d >= 0; d--) {
        if (++value[d] < size[d])
            return true;
        value[d] = 0;
    }
    return false;
}

/* The indices of a term and its target, each once. */
struct loop_nest {
    int n, index[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
    int64_t size[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
    int64_t value[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)];
};

static void add_indices(const struct whole_array *array, const int index[], struct loop_nest *nest)
{
    for (int d = 0; d < array->rank; d++) {
        int i = 0;
        while (i < nest->n && nest->index[i] != index[d])
            i++;
        if (i < nest->n)
            continue;
        nest->index[nest->n] = index[d];
        nest->size[nest->n] = array->size[d];
        nest->value[nest->n++] = 0;
    }
}

/* A factor, or the target, in the loops: the distance between its elements along each, and from the first
 * of an innermost loop. */
struct looped_array {
    const struct whole_array *array;
    int64_t stride[MAX_RANK * (PROGRAM_MAX_FACTORS + 1)], first;
};

static struct looped_array loop_array(const struct whole_array *array, const int index[],
                                      const struct loop_nest *nest)
{
    struct looped_array looped = {.array = array};
    for (int i = 0; i < nest->n; i++)
        for (int d = 0; d < array->rank; d++)
            if (nest->index[i] == index[d])
                looped.stride[i] += array->stride[d];
    return looped;
}

static void begin_innermost_loop(const struct loop_nest *nest, struct looped_array *looped)
{
    looped->first = 0;
    for (int i = 0; i < nest->n - 1; i++)
        looped->first += nest->value[i] * looped->stride[i];
}

static void add_looped_product(double coefficient, int n_factors,
                               const struct looped_array factors[], const int64_t offset[],
                               long double *to, double *to_norm)
{
    long double product = coefficient;
    double size = fabs(coefficient), norm = 0;
    for (int f = 0; f < n_factors; f++) {
        long double element = factors[f].array->elements[offset[f]];
        double element_norm = factors[f].array->norms[offset[f]];
        /* One that vanishes is still rounded. */
        double factor = fabs((double)element) + DBL_EPSILON * element_norm;
        product *= element;
        norm = norm * factor + size * element_norm;
        size *= factor;
    }
    *to += product;
    *to_norm += size + norm;
}

static void run_innermost_loop(const struct loop_nest *nest, const struct program_term *term,
                               struct looped_array factors[], struct looped_array *to)
{
    int inner = nest->n - 1;
    int64_t n = nest->n > 0 ? nest->size[inner] : 1, offset[PROGRAM_MAX_FACTORS];
    begin_innermost_loop(nest, to);
    for (int f = 0; f < term->n_factors; f++)
        begin_innermost_loop(nest, &factors[f]);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = to->first + (i > 0 ? i * to->stride[inner] : 0);
        for (int f = 0; f < term->n_factors; f++)
            offset[f] = factors[f].first + (i > 0 ? i * factors[f].stride[inner] : 0);
        add_looped_product(term->coefficient, term->n_factors, factors, offset,
                           &to->array->elements[at], &to->array->norms[at]);
    }
}

static void add_looped_term(const struct program_term *term, const struct whole_array arrays[],
                            const int index[], const struct whole_array *target)
{
    struct loop_nest nest = {0};
    struct looped_array to, factors[PROGRAM_MAX_FACTORS];
    add_indices(target, index, &nest);
    for (int f = 0; f < term->n_factors; f++)
        add_indices(&arrays[term->factors[f].tensor], term->factors[f].index, &nest);
    to = loop_array(target, index, &nest);
    for (int f = 0; f < term->n_factors; f++)
        factors[f] = loop_array(&arrays[term->factors[f].tensor], term->factors[f].index, &nest);
    do {
        run_innermost_loop(&nest, term, factors, &to);
    } while (nested_loops_next(nest.n - 1, nest.size, nest.value));
}

void nested_loops_run(const struct program_statement *statement, const struct whole_array arrays[],
                      const int index[], struct whole_array *to)
{
    for (int64_t i = 0; i < to->n && !statement->add; i++)
        to->elements[i] = to->norms[i] = 0;
    /* A sum is rounded to the digits of its largest part, which may be a fill's. */
    for (int64_t i = 0; i < to->n && statement->add; i++)
        to->norms[i] += fabs((double)to->elements[i]);
    for (int t = 0; t < statement->n_terms; t++)
        add_looped_term(&statement->terms[t], arrays, index, to);
}
