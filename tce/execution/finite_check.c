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

static enum status fail_statement(const struct program_instance *instance, int step)
{
    const struct program *program = &instance->program;
    const struct plan_step *found = &instance->plan->steps[step];
    const struct program_statement *statement = &program->statements[found->statement];
    bool is_intermediate = found->C.tensor >= instance->plan->n_program_tensors;
    return FAIL(STATUS_NUMERIC,
                "%s:%d:%d: %s%s is not finite from here on, its numbers are beyond double "
                "precision: %s",
                program->file, statement->place.line, statement->place.column,
                is_intermediate ? "a product for " : "",
                program->tensors[statement->target.tensor].name, statement->text);
}

/* Runs the program again from its first values. */
static enum status find_statement(struct program_instance *instance, int *step)
{
    for (int i = 0; i < instance->program.n_tensors; i++)
        if (program_instance_is_assigned(instance, i))
            TRY(program_instance_fill(instance, i));
    return executor_find_not_finite(instance->executor, step);
}

enum status finite_check_run(struct program_instance *instance)
{
    const struct program *program = &instance->program;
    int step = -1, tensor = find_tensor(instance);
    if (tensor == program->n_tensors)
        return STATUS_OK;
    if (program->n_unknowns == 0)
        TRY(find_statement(instance, &step));
    return step >= 0 ? fail_statement(instance, step)
                     : FAIL(STATUS_NUMERIC, "%s: %s is not finite", program->file,
                            program->tensors[tensor].name);
}
