/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/amplitude_solution.h"

#include "tce/tensor/tensor_algebra.h"

#include <mpi.h>

/* Whether a solution has it: the energy, or what an unknown becomes. */
static bool is_of_solution(const struct program *program, int tensor)
{
    for (int i = 0; i < program->n_unknowns; i++)
        if (program->unknowns[i].residual == tensor)
            return true;
    return tensor == program->energy;
}

static bool statement_reads(const struct program_statement *statement, int tensor)
{
    if (statement->add && statement->target.tensor == tensor)
        return true;
    for (int t = 0; t < statement->n_terms; t++)
        for (int f = 0; f < statement->terms[t].n_factors; f++)
            if (statement->terms[t].factors[f].tensor == tensor)
                return true;
    return false;
}

/* Whether a tensor that the iterations make is needed after them; scalars belong to the result. */
static bool is_needed(const struct program *program, int tensor)
{
    if (program->tensors[tensor].loop >= 0 || is_of_solution(program, tensor))
        return false;
    for (int s = program->first_final; s < program->n_statements; s++)
        if (statement_reads(&program->statements[s], tensor))
            return true;
    return program->tensors[tensor].rank == 0;
}

/* Whether a step reads an intermediate that the iterations made. */
static bool reads_iterated(const struct plan *plan, const struct plan_step *step)
{
    const int operands[] = {step->A.tensor, step->B.tensor};
    for (int i = 0; i < 2; i++) {
        int tensor = operands[i];
        if (tensor < plan->n_program_tensors || plan->tensors[tensor].loop >= 0)
            continue;
        int made = plan->tensors[tensor].first_step;
        if (made >= plan->first_iterated && made < plan->first_final)
            return true;
    }
    return false;
}

bool amplitude_solution_is_enough(const struct correlation *self)
{
    const struct program *program = &self->instance.program;
    const struct plan *plan = self->instance.plan;
    for (int s = program->first_iterated; s < program->first_final; s++)
        if (is_needed(program, program->statements[s].target.tensor))
            return false;
    for (int s = plan->first_final; s < plan->n_steps; s++)
        if (reads_iterated(plan, &plan->steps[s]))
            return false;
    for (int l = 0; l < program->n_loops; l++)
        for (int s = 0; s < plan->loops[l].n_steps; s++)
            if (program->loops[l].first_statement >= program->first_final &&
                reads_iterated(plan, &plan->loops[l].steps[s]))
                return false;
    return true;
}

static void copy_tensors(int n, struct tensor *const from[], struct tensor *const to[])
{
    const double one = 1;
    darray_sync();
    for (int i = 0; i < n; i++)
        tensor_combine(1, &one, (const struct tensor *const[]){from[i]}, to[i]);
    darray_sync();
}

void amplitude_solution_settle(const struct correlation *self)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    int n = correlation_unknowns(self, x, f);
    copy_tensors(n, f, x);
}

void amplitude_solution_resume(const struct correlation *self, double energy)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    int rank, n = correlation_unknowns(self, x, f);
    MPI_Comm_rank(self->problem.comm, &rank);
    if (rank == 0)
        darray_put(executor_tensor(self->instance.executor, self->energy)->data, 0, &energy);
    copy_tensors(n, x, f);
}
