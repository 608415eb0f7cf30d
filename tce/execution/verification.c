/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/verification.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "tce/tensor/odometer.h"
#include "tce/tensor/tensor_functions.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-12

/* A whole tensor. */
struct whole_array {
    int rank;
    int64_t size[MAX_RANK], stride[MAX_RANK];
    int64_t n;
    /* n, row-major; with more digits than the elements that they are compared with, for sums of millions. */
    long double *elements;
    double *norms; /* n: the sum of the absolute values of all products that make the element */
};

struct verification {
    const struct program_instance *instance;
    struct whole_array *arrays; /* one for each tensor */
};

/* --- arrays --- */

/* A zero array; fini_array follows in any case. */
static enum status init_array(const struct program_instance *instance, int tensor,
                              struct whole_array *array)
{
    const struct program_tensor *declared = &instance->program.tensors[tensor];
    double n = 1;
    *array = (struct whole_array){.rank = declared->rank, .n = 1};
    for (int d = declared->rank - 1; d >= 0; d--) {
        array->size[d] = instance->spaces[declared->space[d]]->size;
        array->stride[d] = array->n;
        n *= (double)array->size[d];
        if (n > 0x1p40)
            return FAIL(STATUS_LIMIT, "tensor %s has %.3g elements: too many for nested loops",
                        declared->name, n);
        array->n *= array->size[d];
    }
    array->elements = calloc((size_t)array->n, sizeof *array->elements);
    array->norms = calloc((size_t)array->n, sizeof *array->norms);
    return CHECK_MEMORY(array->elements && array->norms,
                        "no memory for the %.3g elements of tensor %s", n, declared->name);
}

static void fini_array(struct whole_array *array)
{
    free(array->elements);
    free(array->norms);
    *array = (struct whole_array){0};
}

/* Whether the labels of the values' tiles allow the element. */
static bool element_exists(const struct block_labels *labels, const int64_t value[])
{
    int irrep = labels->irrep, spin = labels->spin;
    for (int d = 0; d < labels->rank; d++) {
        const struct index_space *space = labels->space[d];
        int32_t tile = 0;
        while (space->first[tile + 1] <= value[d])
            tile++;
        irrep ^= space->irrep[tile];
        spin -= labels->sign[d] * space->spin[tile];
    }
    return irrep == 0 && spin == 0;
}

static void fill_array(const struct block_labels *labels, struct tensor_function *function,
                       struct whole_array *array)
{
    int64_t value[MAX_RANK] = {0}, i = 0;
    do {
        if (element_exists(labels, value))
            array->elements[i] = function->element(value, function);
        array->norms[i] = fabs((double)array->elements[i]);
        i++;
    } while (odometer_next(array->rank, NULL, array->size, value));
}

static enum status fill_arrays(struct verification *self)
{
    const struct program *program = &self->instance->program;
    for (int i = 0; i < program->n_tensors; i++) {
        const struct program_tensor *declared = &program->tensors[i];
        struct tensor_function function;
        TRY(init_array(self->instance, i, &self->arrays[i]));
        if (!declared->fill)
            continue;
        TRY(tensor_function_find(declared->fill, declared->n_arguments, declared->arguments,
                                 declared->rank, &function));
        fill_array(&self->instance->plan->tensors[i].labels, &function, &self->arrays[i]);
    }
    return STATUS_OK;
}

/* --- nested loops --- */

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
    double norm = fabs(coefficient);
    for (int f = 0; f < n_factors; f++) {
        product *= factors[f].array->elements[offset[f]];
        norm *= factors[f].array->norms[offset[f]];
    }
    *to += product;
    *to_norm += norm;
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
    } while (odometer_next(nest.n - 1, NULL, nest.size, nest.value));
}

/* --- statements --- */

/* Zeroes the elements that the tensor's own labels forbid. They are zero already if all indices are
 * summed in pairs. */
static void remove_what_labels_forbid(const struct verification *self, int tensor)
{
    struct whole_array *array = &self->arrays[tensor];
    const struct block_labels *labels = &self->instance->plan->tensors[tensor].labels;
    int64_t value[MAX_RANK] = {0}, i = 0;
    do {
        if (!element_exists(labels, value))
            array->elements[i] = array->norms[i] = 0;
        i++;
    } while (odometer_next(array->rank, NULL, array->size, value));
}

static void run_statement(const struct verification *self,
                          const struct program_statement *statement)
{
    struct whole_array *to = &self->arrays[statement->target.tensor];
    for (int64_t i = 0; i < to->n && !statement->add; i++)
        to->elements[i] = to->norms[i] = 0;
    for (int t = 0; t < statement->n_terms; t++)
        add_looped_term(&statement->terms[t], self->arrays, statement->target.index, to);
    remove_what_labels_forbid(self, statement->target.tensor);
}

/* --- comparison --- */

/* NaN if either is NaN, unlike fmax. */
static double larger_or_nan(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

/* The largest deviation of a block's elements from the array's, as a share of their norms. */
static double compare_block(const struct tensor *tensor, int64_t block,
                            const struct whole_array *array, double *elements)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    int32_t tile[MAX_RANK];
    int64_t value[MAX_RANK] = {0}, size[MAX_RANK] = {0}, i = 0;
    double deviation = 0;
    block_index_tuple(tensor->blocks, block, tile);
    darray_get(tensor->data, block, elements);
    for (int d = 0; d < labels->rank; d++)
        size[d] = index_space_tile_size(labels->space[d], tile[d]);
    do {
        int64_t offset = 0;
        for (int d = 0; d < labels->rank; d++)
            offset += (labels->space[d]->first[tile[d]] + value[d]) * array->stride[d];
        double difference = (double)fabsl(elements[i++] - array->elements[offset]);
        deviation = larger_or_nan(
            deviation, difference > 0 || isnan(difference) ? difference / array->norms[offset] : 0);
    } while (odometer_next(labels->rank, NULL, size, value));
    return deviation;
}

static enum status compare_tensor(const struct verification *self, int number)
{
    const struct tensor *tensor = executor_tensor(self->instance->executor, number);
    const struct whole_array *array = &self->arrays[number];
    double *elements = malloc(((size_t)tensor->max_block + 1) * sizeof *elements);
    double deviation = 0;
    TRY(CHECK_MEMORY(elements, "no memory for a block of tensor %s", tensor->name));
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++)
        deviation = larger_or_nan(deviation, compare_block(tensor, block, array, elements));
    free(elements);
    log_print("%-10s deviates by at most %.2e of the products that make an element\n", tensor->name,
              deviation);
    if (!(deviation <= TOLERANCE))
        return FAIL(STATUS_NUMERIC,
                    "tensor %s is wrong: it deviates from nested loops by %.2e of the products "
                    "that make an element",
                    tensor->name, deviation);
    return STATUS_OK;
}

static enum status verify_all(struct verification *self)
{
    const struct program_instance *instance = self->instance;
    const struct program *program = &instance->program;
    TRY(fill_arrays(self));
    for (int i = 0; i < program->n_statements; i++)
        run_statement(self, &program->statements[i]);
    for (int i = 0; i < program->n_tensors; i++)
        if (program_instance_is_assigned(instance, i))
            TRY(compare_tensor(self, i));
    return STATUS_OK;
}

enum status verification_run(const struct program_instance *instance)
{
    int n = instance->program.n_tensors;
    struct verification self = {.instance = instance,
                                .arrays = calloc((size_t)n + 1, sizeof *self.arrays)};
    log_print("\nComparison with nested loops\n");
    enum status status =
        self.arrays ? verify_all(&self) : FAIL(STATUS_NO_MEMORY, "no memory for %d arrays", n);
    for (int i = 0; self.arrays && i < n; i++)
        fini_array(&self.arrays[i]);
    free(self.arrays);
    return status_agree(instance->comm, status);
}
