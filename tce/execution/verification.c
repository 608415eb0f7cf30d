/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/verification.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "tce/execution/nested_loops.h"
#include "tce/tensor/tensor_functions.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-12

struct verification {
    const struct program_instance *instance;
    struct whole_array *arrays; /* one for each tensor */
};

/* --- arrays --- */

static enum status create_array(const struct program_instance *instance, int tensor,
                                struct whole_array *array)
{
    const struct program_tensor *declared = &instance->program.tensors[tensor];
    int64_t size[MAX_RANK];
    for (int d = 0; d < declared->rank; d++)
        size[d] = instance->spaces[declared->space[d]]->size;
    return whole_array_init(declared->name, declared->rank, size, array);
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
        i++;
    } while (nested_loops_next(array->rank, array->size, value));
}

static enum status fill_arrays(struct verification *self)
{
    const struct program *program = &self->instance->program;
    for (int i = 0; i < program->n_tensors; i++) {
        const struct program_tensor *declared = &program->tensors[i];
        struct tensor_function function;
        TRY(create_array(self->instance, i, &self->arrays[i]));
        if (!declared->fill)
            continue;
        TRY(tensor_function_find(declared->fill, declared->n_arguments, declared->arguments,
                                 declared->rank, &function));
        fill_array(&self->instance->plan->tensors[i].labels, &function, &self->arrays[i]);
    }
    return STATUS_OK;
}

/* --- statements --- */

/* A tensor keeps what its own labels allow; elsewhere nothing can be added, unless indices
 * are not all summed in pairs. */
static void remove_what_labels_forbid(const struct verification *self, int tensor)
{
    struct whole_array *array = &self->arrays[tensor];
    const struct block_labels *labels = &self->instance->plan->tensors[tensor].labels;
    int64_t value[MAX_RANK] = {0}, i = 0;
    do {
        if (!element_exists(labels, value))
            array->elements[i] = array->norms[i] = 0;
        i++;
    } while (nested_loops_next(array->rank, array->size, value));
}

static void run_statement(const struct verification *self,
                          const struct program_statement *statement)
{
    const struct program_factor *target = &statement->target;
    nested_loops_run(statement, self->arrays, target->index, &self->arrays[target->tensor]);
    remove_what_labels_forbid(self, statement->target.tensor);
}

/* --- comparison --- */

/* Other than fmax, what is no number if one of them is none. */
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
    } while (nested_loops_next(labels->rank, size, value));
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
        whole_array_fini(&self.arrays[i]);
    free(self.arrays);
    return status_agree(instance->comm, status);
}
