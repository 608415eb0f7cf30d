/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_integrals.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "tce/integrals/mo_plan.h"
#include "tce/integrals/mo_steps.h"

#include <stdio.h>
#include <stdlib.h>

struct mo_integrals {
    struct mo_plan *plan;
    struct darray *half; /* (mu nu|rs): mo_steps.h */
    struct mo_scratch scratch;
    struct mo_step half_step, full_step;
};

static enum status check_transformation_memory(const struct mo_plan *plan, MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    struct memory_need need = {.shared_bytes = mo_plan_half_bytes(plan) / n_processes,
                               .own_bytes = mo_plan_process_bytes(plan)};
    struct memory_budget budget = memory_budget(plan->problem.memory_bytes, comm);
    char subject[256];
    snprintf(subject, sizeof subject,
             "the transformation of the integrals over %lld functions to %lld orbitals",
             (long long)plan->problem.orbitals->spin[0].n_functions,
             (long long)(orbital_spaces_n_occupied(plan->problem.orbitals) +
                         orbital_spaces_n_virtual(plan->problem.orbitals)));
    return memory_check(subject, &need, &budget,
                        "use more processes on more nodes, or smaller tiles of orbitals");
}

static enum status create_pools(struct mo_integrals *made, const struct taskpool_settings *settings,
                                MPI_Comm comm)
{
    struct taskpool_problem half = mo_half_step_problem(&made->half_step);
    struct taskpool_problem full = mo_full_step_problem(&made->full_step);
    TRY(taskpool_create(comm, &half, settings, &made->half_step.pool));
    return taskpool_create(comm, &full, settings, &made->full_step.pool);
}

static enum status set_up_steps(struct mo_integrals *made,
                                const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *settings, MPI_Comm comm)
{
    TRY(status_agree(comm, mo_plan_create(problem, &made->plan)));
    TRY(check_transformation_memory(made->plan, comm));
    TRY(mo_half_create(made->plan, comm, &made->half));
    TRY(status_agree(comm, mo_scratch_init(made->plan, &made->scratch)));
    made->half_step = made->full_step =
        (struct mo_step){.plan = made->plan, .half = made->half, .scratch = &made->scratch};
    return create_pools(made, settings, comm);
}

enum status mo_integrals_create(const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *pool, MPI_Comm comm,
                                struct mo_integrals **integrals)
{
    struct mo_integrals *made = calloc(1, sizeof *made);
    enum status status = CHECK_MEMORY(made, "no memory for a transformation of integrals");
    status = status_agree(comm, status);
    if (status == STATUS_OK)
        status = set_up_steps(made, problem, pool, comm);
    if (status != STATUS_OK)
        mo_integrals_destroy(made);
    *integrals = status == STATUS_OK ? made : NULL;
    return status;
}

void mo_integrals_destroy(struct mo_integrals *integrals)
{
    if (!integrals)
        return;
    taskpool_destroy(integrals->half_step.pool);
    taskpool_destroy(integrals->full_step.pool);
    mo_scratch_fini(&integrals->scratch);
    darray_destroy(integrals->half);
    mo_plan_destroy(integrals->plan);
    free(integrals);
}

static enum status run_step(struct taskpool *pool)
{
    if (taskpool_n_iterations(pool) > 0)
        TRY(taskpool_restore(pool));
    enum status status = taskpool_run(pool);
    log_progress("", 1);
    return status;
}

enum status mo_integrals_run(struct mo_integrals *integrals)
{
    TRY(run_step(integrals->half_step.pool));
    return run_step(integrals->full_step.pool);
}
