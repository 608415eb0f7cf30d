/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/finite_check.h"

/* The first result that is not finite on any process; the number of tensors if there is none. */
static int find_tensor(const struct program_instance *instance)
{
    int first = 0, n = instance->program.n_tensors;
    while (first < n && (!program_instance_is_result(instance, first) ||
                         tensor_is_finite_here(executor_tensor(instance->executor, first))))
        first++;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, instance->comm);
    return first;
}

static enum status fail_statement(const struct program_instance *instance,
                                  const struct executor_fault *fault)
{
    const struct program *program = &instance->program;
    const struct program_statement *statement = &program->statements[fault->statement];
    return FAIL(STATUS_NUMERIC,
                "%s:%d:%d: %s%s is not finite from here on, its numbers are beyond double "
                "precision: %s",
                program->file, statement->place.line, statement->place.column,
                fault->intermediate ? "a product for " : "",
                program->tensors[statement->target.tensor].name, statement->text);
}

/* Runs the program again from its first values. */
static enum status find_statement(struct program_instance *instance, struct executor_fault *fault)
{
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (program_instance_is_assigned(instance, i))
            TRY(program_instance_fill(instance, i));
    return executor_find_not_finite(instance->executor, fault);
}

enum status finite_check_run(struct program_instance *instance)
{
    const struct program *program = &instance->program;
    struct executor_fault fault = {.statement = -1};
    int tensor = find_tensor(instance);
    if (tensor == program->n_tensors)
        return STATUS_OK;
    if (program->n_unknowns == 0)
        TRY(find_statement(instance, &fault));
    return fault.statement >= 0 ? fail_statement(instance, &fault)
                                : FAIL(STATUS_NUMERIC, "%s: %s is not finite", program->file,
                                       program->tensors[tensor].name);
}
