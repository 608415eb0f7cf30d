/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_steps.h"

#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"

#include <stdbool.h>

/* Matrices over the orbitals of a batch, n * n apart: of r in rows and s in columns, or the other way around. */
struct half_matrices {
    const double *elements;
    int64_t n;                        /* functions */
    int64_t first_r, first_s;         /* orbitals */
    int64_t stride_of_r, stride_of_s; /* 1 and the number of columns */
};

/* Transforms the matrices. Columns come first, for all rows over functions: so the shorter range is that of the
 * columns. In batches of (vv|, this is a range of r, and hardly any r is in two of them. */
static struct half_matrices transform_half(const struct mo_integrals *self, int spin,
                                           int64_t n_function_pairs)
{
    const struct orbital_space *orbitals = &self->plan->problem.orbitals->spin[spin];
    struct orbital_range r = self->batch->rows[spin], s = self->batch->columns[spin];
    bool turned = orbital_range_size(r) < orbital_range_size(s);
    double *matrices = mo_scratch_matrices(&self->scratch, self->plan, n_function_pairs, spin);
    orbital_transform(orbitals, turned ? s : r, turned ? r : s, n_function_pairs, matrices,
                      self->scratch.work);
    return (struct half_matrices){.elements = matrices,
                                  .n = orbitals->n_functions,
                                  .first_r = r.first,
                                  .first_s = s.first,
                                  .stride_of_r = turned ? 1 : orbital_range_size(s),
                                  .stride_of_s = turned ? orbital_range_size(r) : 1};
}

/* block[r][s][p] from the matrices, one for each p. */
static void gather_block(const struct half_matrices *matrices, const struct orbital_pair *pair,
                         int64_t n_function_pairs, double *block)
{
    for (int64_t r = pair->R.range.first; r < pair->R.range.last; r++)
        for (int64_t s = pair->S.range.first; s < pair->S.range.last; s++) {
            const double *element = matrices->elements +
                                    (r - matrices->first_r) * matrices->stride_of_r +
                                    (s - matrices->first_s) * matrices->stride_of_s;
            for (int64_t p = 0; p < n_function_pairs; p++)
                *block++ = element[p * matrices->n * matrices->n];
        }
}

/* Transforms the integrals of a task to the orbital pairs of one spin and puts their blocks. */
static void put_blocks(struct mo_integrals *self, int64_t task, int64_t n_function_pairs, int spin)
{
    const struct orbital_pair *pairs = self->plan->orbital_pairs + self->batch->first;
    const struct half_matrices matrices = transform_half(self, spin, n_function_pairs);
    for (int64_t k = 0; k < orbital_batch_size(self->batch); k++) {
        if (pairs[k].R.spin != spin)
            continue;
        gather_block(&matrices, &pairs[k], n_function_pairs, self->scratch.block);
        darray_put(self->half, mo_half_block(self, task, k), self->scratch.block);
    }
}

static int run_half_task(int64_t task, void *context)
{
    struct mo_integrals *self = context;
    const struct mo_plan *plan = self->plan;
    struct mo_scratch *scratch = &self->scratch;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    if (ao_integrals_are_null(scratch->integrals, plan->tiling, M, N))
        return STATUS_OK;
    const struct ao_integrals_call call = {.tiling = plan->tiling,
                                           .M = M,
                                           .N = N,
                                           .polled = self->half_pool,
                                           .matrices = scratch->matrices};
    enum wall_use use = wall_time_begin(WALL_INTEGRALS);
    enum status status = ao_integrals_compute(scratch->integrals, &call);
    wall_time_end(use);
    TRY(status);
    int64_t n_function_pairs = function_pairs_count(plan->tiling, M, N);
    wall_time_begin(WALL_ALGEBRA);
    for (int spin = 0; spin < plan->problem.orbitals->n_orbital_sets; spin++)
        put_blocks(self, task, n_function_pairs, spin);
    wall_time_end(use);
    if (log_progress_visible())
        progress_show(taskpool_progress(self->half_pool));
    return STATUS_OK;
}

static int half_task_owner(int64_t task, int n_workers, void *context)
{
    const struct mo_integrals *self = context;
    (void)n_workers;
    return darray_owner(self->half, mo_half_block(self, task, 0));
}

/* All of the work is proportional to the pairs of functions. */
static double half_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    return (double)function_pairs_count(self->plan->tiling, M, N);
}

struct taskpool_problem mo_half_step(struct mo_integrals *self)
{
    return (struct taskpool_problem){.n_tasks = tiling_n_pairs(self->plan->tiling),
                                     .run = run_half_task,
                                     .computes = true,
                                     .finish = mo_step_finish,
                                     .owner = half_task_owner,
                                     .cost = half_task_cost,
                                     .context = self};
}
