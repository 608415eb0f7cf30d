/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/finite_check.h"

#include "support/base/agree.h"

#include <stdlib.h>

/* Which tensors hold numbers that are all finite, on all processes; others hold none any more. */
static enum status find_finite(const struct program_instance *instance, bool **is_finite)
{
    int n = instance->program.n_tensors;
    bool *found = *is_finite = agree_calloc(instance->comm, (size_t)n + 1, "checks of tensors");
    if (!found)
        return STATUS_NO_MEMORY;
    for (int t = 0; t < n; t++) {
        const struct tensor *tensor = executor_tensor(instance->executor, t);
        found[t] = !tensor || tensor_is_finite_here(tensor);
    }
    MPI_Allreduce(MPI_IN_PLACE, found, n, MPI_C_BOOL, MPI_LAND, instance->comm);
    return STATUS_OK;
}

static bool are_results_finite(const struct program_instance *instance, const bool is_finite[])
{
    bool all = true;
    for (int t = 0; t < instance->program.n_tensors; t++)
        all = all && (is_finite[t] || !program_instance_is_result(instance, t));
    return all;
}

/* Whether all that is read for a tensor is finite, but for the tensor itself. */
static bool are_factors_finite(const struct program *program, int tensor, const bool is_finite[])
{
    bool all = true;
    for (int s = 0; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        for (int t = 0; t < statement->n_terms && statement->target.tensor == tensor; t++)
            for (int f = 0; f < statement->terms[t].n_factors; f++) {
                int factor = statement->terms[t].factors[f].tensor;
                all = all && (factor == tensor || is_finite[factor]);
            }
    }
    return all;
}

/* The first statement for a tensor that is not finite and has its numbers from finite ones, or else for any that
 * is not finite. */
static const struct program_statement *find_statement(const struct program *program,
                                                      const bool is_finite[])
{
    const struct program_statement *found = NULL;
    for (int s = program->n_statements - 1; s >= 0; s--) {
        const struct program_statement *statement = &program->statements[s];
        int target = statement->target.tensor;
        if (!is_finite[target] && (!found || are_factors_finite(program, target, is_finite) ||
                                   !are_factors_finite(program, found->target.tensor, is_finite)))
            found = statement;
    }
    return found;
}

static enum status check_tensors(const struct program_instance *instance, const bool is_finite[])
{
    const struct program *program = &instance->program;
    if (are_results_finite(instance, is_finite))
        return STATUS_OK;
    const struct program_statement *statement = find_statement(program, is_finite);
    return FAIL(STATUS_NUMERIC,
                "%s:%d:%d: %s is not finite from here on, its numbers are beyond double precision: "
                "%s",
                program->file, statement->place.line, statement->place.column,
                program->tensors[statement->target.tensor].name, statement->text);
}

enum status finite_check_run(const struct program_instance *instance)
{
    bool *is_finite;
    TRY(find_finite(instance, &is_finite));
    enum status status = check_tensors(instance, is_finite);
    free(is_finite);
    return status;
}
