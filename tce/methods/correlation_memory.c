/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a method fits into memory. */
#include "tce/methods/correlation.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "tce/execution/plan_memory.h"
#include "tce/methods/amplitude_solver.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes. Shared memory is spread over the processes; the rest is each process's own. */
struct estimate {
    struct plan_memory plan;
    double diis;             /* shared, while iterating */
    double half_transformed; /* shared, while integrals are transformed */
    double scf;              /* own */
    double transformation;   /* own, while integrals are transformed */
    double windows; /* shared, of each process: of all tensors, in addition to their elements */
    double in_use;  /* own, before anything of the calculation's size is allocated */
};

double correlation_diis_bytes(const struct correlation *self)
{
    const struct program *program = &self->instance.program;
    double n_elements = 0;
    for (int i = 0; i < program->n_unknowns; i++)
        n_elements += self->instance.plan->tensors[program->unknowns[i].tensor].elements;
    return sizeof(double) *
           amplitude_solver_count_elements(n_elements, (int)self->problem.settings->diis_size);
}

static enum status make_estimate(const struct correlation *self, struct estimate *estimate)
{
    *estimate = (struct estimate){.scf = (double)self->problem.scf_bytes,
                                  .in_use = (double)memory_part_bytes(),
                                  .diis = correlation_diis_bytes(self)};
    TRY(plan_memory_estimate(self->instance.plan, &self->problem.settings->contraction,
                             &estimate->plan));
    return correlation_integrals_bytes(self, &estimate->half_transformed,
                                       &estimate->transformation);
}

/* Upper bound of the number of arrays: all tensors, as if at the same time, and the density. */
static int64_t count_arrays(const struct correlation *self)
{
    return self->instance.plan->n_tensors + self->problem.orbitals->n_orbital_sets +
           amplitude_solver_count_tensors(self->instance.program.n_unknowns,
                                          (int)self->problem.settings->diis_size);
}

enum { ITERATING, TRANSFORMING, N_PHASES };

/* The needs of one of n_processes in each phase. Windows keep the pages of freed arrays: iterations
 * begin with the pages of half-transformed integrals. */
static void list_needs(const struct estimate *estimate, double n_processes,
                       struct memory_need needs[N_PHASES])
{
    const struct plan_memory *plan = &estimate->plan;
    double always = plan->tables + estimate->scf;
    double transforming = plan->tensors_of_program + estimate->half_transformed;
    needs[ITERATING] = (struct memory_need){
        .shared_bytes =
            fmax(plan->tensors + estimate->diis, transforming) / n_processes + estimate->windows,
        .own_bytes = plan_memory_cached(plan, n_processes) + plan_memory_scratch(plan) + always};
    needs[TRANSFORMING] =
        (struct memory_need){.shared_bytes = transforming / n_processes + estimate->windows,
                             .own_bytes = estimate->transformation + always};
}

static bool all_fit(const struct estimate *estimate, double n_processes,
                    const struct memory_budget *budget)
{
    struct memory_need needs[N_PHASES];
    list_needs(estimate, n_processes, needs);
    return memory_fits(&needs[ITERATING], budget) && memory_fits(&needs[TRANSFORMING], budget);
}

enum { MOST_PROCESSES = 1 << 24 };

/* The least number of processes that have enough, each as much as is available here; 0: none. */
static int64_t find_enough(const struct estimate *estimate, const struct memory_budget *budget)
{
    int64_t too_few = 0, enough = MOST_PROCESSES;
    if (!all_fit(estimate, (double)enough, budget))
        return 0;
    while (enough - too_few > 1) {
        int64_t middle = (too_few + enough) / 2;
        if (all_fit(estimate, (double)middle, budget))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}

static enum status check_phases(const struct correlation *self, const struct estimate *estimate,
                                const struct memory_need needs[N_PHASES],
                                const struct memory_budget *budget)
{
    int64_t enough = find_enough(estimate, budget);
    char remedy[256] = "";
    if (enough > 0)
        snprintf(remedy, sizeof remedy, "%lld processes with as much each would do; or ",
                 (long long)enough);
    size_t length = strlen(remedy);
    snprintf(remedy + length, sizeof remedy - length,
             "try a smaller --cache, --orbital-tile or --diis-amplitudes");
    for (int phase = 0; phase < N_PHASES; phase++)
        TRY(memory_check(self->problem.settings->method, &needs[phase], budget, remedy));
    return STATUS_OK;
}

enum status correlation_memory_check(const struct correlation *self)
{
    struct estimate estimate;
    int n_processes;
    MPI_Comm_size(self->problem.comm, &n_processes);
    TRY(status_agree(self->problem.comm, make_estimate(self, &estimate)));
    estimate.windows = darray_overhead_bytes(count_arrays(self));
    struct memory_budget budget = memory_budget(self->problem.memory_bytes, self->problem.comm);
    struct memory_need needs[N_PHASES];
    list_needs(&estimate, n_processes, needs);
    double needed = fmax(needs[ITERATING].shared_bytes + needs[ITERATING].own_bytes,
                         needs[TRANSFORMING].shared_bytes + needs[TRANSFORMING].own_bytes);
    log_print(
        "           %.0f MB per process: %.0f in use, the SCF's %.0f and the method's %.0f; "
        "available "
        "%.0f MB more\n"
        "           of all together: tensors %.0f, DIIS %.0f, half-transformed integrals %.0f MB\n",
        1e-6 * (needed + estimate.in_use), 1e-6 * estimate.in_use, 1e-6 * estimate.scf,
        1e-6 * (needed - estimate.scf), 1e-6 * budget.main_bytes, 1e-6 * estimate.plan.tensors,
        1e-6 * estimate.diis, 1e-6 * estimate.half_transformed);
    return check_phases(self, &estimate, needs, &budget);
}
