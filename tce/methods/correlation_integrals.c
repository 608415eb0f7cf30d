/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/correlation.h"

#include "support/base/agree.h"
#include "tce/execution/plan_memory.h"
#include "tce/integrals/mo_integrals.h"
#include "tce/integrals/mo_plan.h"
#include "tce/methods/method_bindings.h"

#include <math.h>
#include <stdlib.h>

/* The tensors, which are filled by one transformation. */
struct targets {
    struct mo_target *list; /* capacity: plan->n_tensors */
    struct mo_integrals_problem problem;
};

/* A space that is bound to a name, NULL if the program has none. */
static const struct index_space *find_space(const struct program_instance *instance,
                                            const char *name)
{
    for (int i = 0; i < instance->program.n_spaces; i++)
        if (method_space_is(&instance->program, i, name))
            return instance->spaces[i];
    return NULL;
}

/* Positions of p, q, r and s of (pq|rs) in a tensor. */
static const int place_of_index[][4] = {
    [CHEMISTS_ORDER] = {0, 1, 2, 3}, [DIRAC_ORDER] = {0, 2, 1, 3}};

/* Adds a target for one tensor, or for those that are packed from it; tensor: a number of the plan. */
static void add_integral_target(const struct program_instance *instance, int tensor,
                                const struct mo_target *whole, struct targets *targets)
{
    const struct plan_tensor *planned = &instance->plan->tensors[tensor];
    struct mo_target *target = &targets->list[targets->problem.n_targets++];
    *target = *whole;
    target->tensor = instance->executor ? executor_tensor(instance->executor, tensor) : NULL;
    if (planned->filled_from < 0)
        return;
    target->packing = planned->packing;
    target->labels = &instance->plan->tensors[planned->filled_from].labels;
}

static void list_targets(const struct correlation *self, struct targets *targets)
{
    const struct program_instance *instance = &self->instance;
    for (int i = 0; i < instance->program.n_tensors; i++) {
        const struct program_tensor *tensor = &instance->program.tensors[i];
        const struct tensor_binding *binding = method_binding_find(tensor->fill);
        if (!binding || binding->integrals == NO_INTEGRALS)
            continue;
        struct bound_tensor bound =
            method_binding_describe(&instance->program, tensor, self->problem.orbitals);
        struct mo_target whole = {.dirac = binding->integrals == DIRAC_ORDER};
        for (int d = 0; d < 4; d++)
            whole.pattern[d] = bound.is_occupied[place_of_index[binding->integrals][d]] ? 'o' : 'v';
        if (!instance->plan->tensors[i].unstored)
            add_integral_target(instance, i, &whole, targets);
        for (int t = 0; t < instance->plan->n_tensors; t++)
            if (instance->plan->tensors[t].filled_from == i)
                add_integral_target(instance, t, &whole, targets);
    }
}

/* Half-transformed integrals may take so much in any case. */
#define LEAST_HALF_BYTES 5e8

/* Bound on half-transformed integrals at a time. Iterations take longer than some more passes over the
 * integrals: so there is as much room as iterations will need for DIIS and intermediates. Without iterations,
 * integrals take the most time: 0, no limit. Not a matter of the memory at hand: results are to be the same
 * everywhere. */
static enum status limit_half(const struct correlation *self, double *bytes)
{
    struct plan_memory memory;
    *bytes = 0;
    if (self->instance.program.n_unknowns == 0)
        return STATUS_OK;
    TRY(plan_memory_estimate(self->instance.plan, &self->problem.settings->contraction, &memory));
    *bytes = fmax(LEAST_HALF_BYTES,
                  memory.tensors - memory.tensors_of_program + correlation_diis_bytes(self));
    return STATUS_OK;
}

/* The list has to be freed in any case. */
static enum status targets_init(const struct correlation *self, struct targets *targets)
{
    size_t n = (size_t)self->instance.plan->n_tensors + 1;
    *targets = (struct targets){.list = calloc(n, sizeof *targets->list)};
    TRY(CHECK_MEMORY(targets->list, "no memory for a list of integrals"));
    targets->problem = (struct mo_integrals_problem){
        .screening = self->problem.screening,
        .orbitals = self->problem.orbitals,
        .occupied = find_space(&self->instance, BINDING_OCCUPIED),
        .virtual = find_space(&self->instance, BINDING_VIRTUAL),
        .threshold = MO_INTEGRALS_THRESHOLD,
        .targets = targets->list,
    };
    list_targets(self, targets);
    return limit_half(self, &targets->problem.half_bytes);
}

enum status correlation_integrals_fill(const struct correlation *self,
                                       const struct taskpool_settings *pool)
{
    struct targets targets;
    struct mo_integrals *integrals = NULL;
    MPI_Comm comm = self->problem.comm;
    enum status status = status_agree(comm, targets_init(self, &targets));
    if (status != STATUS_OK)
        goto done;
    status = mo_integrals_create(&targets.problem, pool, comm, &integrals);
    if (status != STATUS_OK)
        goto done;
    status = mo_integrals_run(integrals);
done:
    mo_integrals_destroy(integrals);
    free(targets.list);
    return status;
}

enum status correlation_integrals_bytes(const struct correlation *self, double *all, double *own)
{
    struct targets targets;
    struct mo_plan *plan = NULL;
    enum status status = targets_init(self, &targets);
    if (status != STATUS_OK)
        goto done;
    status = mo_plan_create(&targets.problem, &plan);
    if (status != STATUS_OK)
        goto done;
    *all = mo_plan_half_bytes(plan);
    *own = mo_plan_process_bytes(plan);
done:
    mo_plan_destroy(plan);
    free(targets.list);
    return status;
}
