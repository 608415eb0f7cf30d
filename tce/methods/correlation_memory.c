/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a method fits into memory. */
#include "tce/methods/correlation.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/methods/correlation_integrals.h"
#include "tce/plan/plan_loops.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Elements of a block that no memory holds, and whose bytes an int64_t can count. */
#define MOST_ELEMENTS 1e15

/* Bytes. Shared memory is spread over the processes; the rest is each process's own. */
struct estimate {
    double tensors, diis;      /* shared, at most at a time while iterating */
    double tensors_of_program; /* shared, while integrals are transformed */
    double half_transformed;   /* shared, at the same time */
    double scf, tables;        /* own */
    double cache;              /* own, while iterating */
    double transformation;     /* own, while integrals are transformed */
    double max_block;          /* elements */
    double loops;              /* own: the local tensors of a loop over tiles, while it runs */
    double windows; /* shared, of each process: of all tensors, in addition to their elements */
};

/* The tensors of the plan: where their blocks begin is known to every process. */
static enum status add_tensor_estimate(const struct plan *plan, int number,
                                       struct estimate *estimate)
{
    const struct plan_tensor *tensor = &plan->tensors[number];
    struct block_index *blocks;
    TRY(block_index_create(&tensor->labels, &blocks));
    double block = 1;
    for (int d = 0; d < tensor->labels.rank; d++)
        block *= (double)tensor->labels.space[d]->max_tile;
    estimate->tables += tensor_index_bytes(block_index_n(blocks));
    estimate->max_block = fmax(estimate->max_block, block);
    if (number < plan->n_program_tensors)
        estimate->tensors_of_program += sizeof(double) * tensor->elements;
    block_index_destroy(blocks);
    return STATUS_OK;
}

/* Of the local tensors of a tuple of tiles, and once more for products and packed factors; the parts of
 * scalars. Loops run one after another. */
static enum status add_loop_estimate(const struct plan *plan, int loop, struct estimate *estimate)
{
    struct plan_loop_problem problem;
    enum status status = plan_loop_problem_init(plan, loop, &problem);
    double parts = (double)problem.problem.n_tensors * tile_tuples_count(&problem.problem.tuples) *
                   sizeof(double);
    estimate->loops = fmax(estimate->loops, 2 * problem.local_bytes + parts);
    plan_loop_problem_fini(&problem);
    return status;
}

static enum status make_estimate(const struct correlation *self, int diis_size,
                                 struct estimate *estimate)
{
    const struct plan *plan = self->instance.plan;
    const struct program *program = &self->instance.program;
    *estimate = (struct estimate){.tensors = sizeof(double) * plan->peak_elements,
                                  .scf = (double)self->problem.scf_bytes};
    for (int i = 0; i < plan->n_tensors; i++)
        if (plan->tensors[i].loop < 0)
            TRY(add_tensor_estimate(plan, i, estimate));
    for (int i = 0; i < program->n_loops; i++)
        TRY(add_loop_estimate(plan, i, estimate));
    for (int i = 0; i < program->n_unknowns; i++)
        estimate->diis +=
            sizeof(double) * amplitude_solver_count_elements(
                                 plan->tensors[program->unknowns[i].tensor].elements, diis_size);
    estimate->cache =
        fmax(0, fmin((double)self->problem.contraction.cache_bytes, estimate->tensors)) +
        (double)executor_work_bytes((int64_t)fmin(estimate->max_block, MOST_ELEMENTS));
    return correlation_integrals_bytes(self, &estimate->half_transformed,
                                       &estimate->transformation);
}

/* Upper bound of the number of arrays: all tensors, as if at the same time, and the density. */
static int64_t count_arrays(const struct correlation *self, int diis_size)
{
    return self->instance.plan->n_tensors + self->problem.orbitals->n_spins +
           amplitude_solver_count_tensors(self->instance.program.n_unknowns, diis_size);
}

enum { ITERATING, TRANSFORMING, N_PHASES };

/* The needs of one of n_processes in each phase. */
static void list_needs(const struct estimate *estimate, double n_processes,
                       struct memory_need needs[N_PHASES])
{
    double always = estimate->tables + estimate->scf;
    needs[ITERATING] = (struct memory_need){
        .shared_bytes = (estimate->tensors + estimate->diis) / n_processes + estimate->windows,
        .own_bytes = estimate->cache + estimate->loops + always};
    needs[TRANSFORMING] = (struct memory_need){
        .shared_bytes = (estimate->tensors_of_program + estimate->half_transformed) / n_processes +
                        estimate->windows,
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
        TRY(memory_check(self->problem.method, &needs[phase], budget, remedy));
    return STATUS_OK;
}

enum status correlation_memory_check(const struct correlation *self, int diis_size)
{
    struct estimate estimate;
    int n_processes;
    MPI_Comm_size(self->problem.comm, &n_processes);
    TRY(status_agree(self->problem.comm, make_estimate(self, diis_size, &estimate)));
    estimate.windows = darray_overhead_bytes(count_arrays(self, diis_size));
    struct memory_budget budget = memory_budget(self->problem.memory_bytes, self->problem.comm);
    struct memory_need needs[N_PHASES];
    list_needs(&estimate, n_processes, needs);
    double needed = fmax(needs[ITERATING].shared_bytes + needs[ITERATING].own_bytes,
                         needs[TRANSFORMING].shared_bytes + needs[TRANSFORMING].own_bytes);
    log_print(
        "           %.0f MB per process, the SCF's %.0f included; available %.0f MB\n"
        "           of all together: tensors %.0f, DIIS %.0f, half-transformed integrals %.0f MB\n",
        1e-6 * needed, 1e-6 * estimate.scf, 1e-6 * budget.main_bytes, 1e-6 * estimate.tensors,
        1e-6 * estimate.diis, 1e-6 * estimate.half_transformed);
    return check_phases(self, &estimate, needs, &budget);
}
