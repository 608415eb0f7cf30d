/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_integrals.h"

#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"
#include "tce/integrals/mo_steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- scratch --- */

static enum status create_packing_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    size_t n = (size_t)plan->problem.n_targets;
    scratch->packing = calloc(n + 1, sizeof *scratch->packing);
    TRY(CHECK_MEMORY(scratch->packing, "no memory for %zu tensors of integrals", n));
    for (size_t i = 0; i < n; i++) {
        const struct mo_target *target = &plan->targets[i];
        if (target->packing)
            TRY(packing_scratch_create(target->packing, target->labels, target->tensor->max_block,
                                       &scratch->packing[i]));
    }
    return STATUS_OK;
}

enum status mo_scratch_init(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    const struct mo_integrals_problem *problem = &plan->problem;
    const struct orbital_spaces *orbitals = problem->orbitals;
    size_t matrices_bytes = (size_t)mo_plan_matrices_size(plan) * sizeof(double);
    *scratch = (struct mo_scratch){
        .matrices = malloc(matrices_bytes),
        .copy = orbitals->n_orbital_sets > 1 ? malloc(matrices_bytes) : NULL,
        .block = malloc((size_t)mo_plan_block_size(plan) * sizeof(double)),
        .work = malloc((size_t)orbital_transform_work(&orbitals->spin[0]) * sizeof(double)),
    };
    TRY(create_packing_scratch(plan, scratch));
    bool copied = scratch->copy || orbitals->n_orbital_sets == 1;
    TRY(CHECK_MEMORY(scratch->matrices && copied && scratch->block && scratch->work,
                     "no memory for the integrals of a pair of tiles"));
    return ao_integrals_create(problem->screening, problem->threshold, &scratch->integrals);
}

void mo_scratch_fini(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    for (int i = 0; scratch->packing && i < plan->problem.n_targets; i++)
        packing_scratch_destroy(scratch->packing[i]);
    free(scratch->packing);
    ao_integrals_destroy(scratch->integrals);
    free(scratch->matrices);
    free(scratch->copy);
    free(scratch->block);
    free(scratch->work);
}

double *mo_scratch_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                            int64_t n_matrices, int spin)
{
    int64_t n = plan->problem.orbitals->spin[spin].n_functions;
    if (spin == plan->problem.orbitals->n_orbital_sets - 1)
        return scratch->matrices;
    memcpy(scratch->copy, scratch->matrices, (size_t)(n_matrices * n * n) * sizeof(double));
    return scratch->copy;
}

/* --- the transformation --- */

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

/* The array, of zeros, for all batches. */
static enum status create_half(struct mo_integrals *self)
{
    const struct mo_plan *plan = self->plan;
    int64_t n_tile_pairs = tiling_n_pairs(plan->tiling), n_blocks = n_tile_pairs * plan->n_slots;
    int64_t *sizes = malloc((size_t)(n_blocks + 1) * sizeof *sizes);
    enum status status = CHECK_MEMORY(sizes, "no memory for the sizes of %lld blocks of integrals",
                                      (long long)n_blocks);
    status = status_agree(self->comm, status);
    if (status != STATUS_OK)
        goto done;
    for (int64_t t = 0; t < n_tile_pairs; t++) {
        int64_t M, N;
        tile_pair_of_index(t, &M, &N);
        for (int64_t slot = 0; slot < plan->n_slots; slot++)
            sizes[mo_half_block(self, t, slot)] =
                function_pairs_count(plan->tiling, M, N) * plan->slot_size[slot];
    }
    status =
        darray_create("half-transformed integrals", DARRAY_DOUBLE, n_blocks, sizes, &self->half);
done:
    free(sizes);
    return status;
}

static enum status set_up_integrals(struct mo_integrals *self,
                                    const struct mo_integrals_problem *problem)
{
    TRY(status_agree(self->comm, mo_plan_create(problem, &self->plan)));
    TRY(check_transformation_memory(self->plan, self->comm));
    TRY(create_half(self));
    return status_agree(self->comm, mo_scratch_init(self->plan, &self->scratch));
}

enum status mo_integrals_create(const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *pool, MPI_Comm comm,
                                struct mo_integrals **integrals)
{
    struct mo_integrals *made = *integrals = calloc(1, sizeof *made);
    TRY(status_agree(comm, CHECK_MEMORY(made, "no memory for a transformation of integrals")));
    made->comm = comm;
    made->settings = *pool;
    return set_up_integrals(made, problem);
}

void mo_integrals_destroy(struct mo_integrals *integrals)
{
    if (!integrals)
        return;
    darray_destroy(integrals->half);
    mo_scratch_fini(integrals->plan, &integrals->scratch);
    mo_plan_destroy(integrals->plan);
    free(integrals);
}

/* Blocks are added to packed targets. */
static void zero_packed_targets(const struct mo_plan *plan)
{
    bool any = false;
    for (int i = 0; i < plan->problem.n_targets; i++)
        if (plan->targets[i].packing) {
            darray_zero(plan->targets[i].tensor->data);
            any = true;
        }
    if (any)
        darray_sync();
}

/* --- batches --- */

int mo_step_finish(void *context)
{
    (void)context;
    darray_complete();
    return STATUS_OK;
}

/* number: of the step, among those of all batches. */
static enum status run_step(const struct mo_integrals *self, int64_t number, struct taskpool *pool)
{
    char what[128];
    snprintf(what, sizeof what, "Integrals over orbitals, %lld of %lld", (long long)number + 1,
             2 * (long long)self->plan->n_batches);
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    progress_begin(what);
    enum status status = taskpool_run(pool);
    progress_end();
    wall_time_end(use);
    return status;
}

static enum status run_batch_steps(struct mo_integrals *self, int64_t number)
{
    struct taskpool_problem half = mo_half_step(self), full = mo_full_step(self);
    TRY(taskpool_create(self->comm, &half, &self->settings, &self->half_pool));
    TRY(taskpool_create(self->comm, &full, &self->settings, &self->full_pool));
    TRY(run_step(self, 2 * number, self->half_pool));
    return run_step(self, 2 * number + 1, self->full_pool);
}

/* Clears the last batch: blocks that the next one leaves out as null have to be zero. */
static void zero_half(const struct mo_integrals *self)
{
    darray_zero(self->half);
    darray_sync();
}

static enum status run_orbital_batch(struct mo_integrals *self, int64_t number)
{
    self->batch = &self->plan->batches[number];
    if (self->plan->n_batches > 1)
        zero_half(self);
    enum status status = run_batch_steps(self, number);
    taskpool_destroy(self->half_pool);
    taskpool_destroy(self->full_pool);
    self->half_pool = self->full_pool = NULL;
    return status;
}

enum status mo_integrals_run(struct mo_integrals *integrals)
{
    zero_packed_targets(integrals->plan);
    for (int64_t batch = 0; batch < integrals->plan->n_batches; batch++)
        TRY(run_orbital_batch(integrals, batch));
    return STATUS_OK;
}
