/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_integrals.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"
#include "tce/integrals/ao_integrals.h"
#include "tce/integrals/mo_plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scratch of a process; both steps use it, one after the other. */
struct mo_scratch {
    struct ao_integrals *integrals;
    double *matrices; /* mo_plan_matrices_size */
    double *copy;     /* as many; the first spin's transformation overwrites this copy, so that
                       * `matrices` stay for the second spin; NULL with one spin */
    double *block;    /* mo_plan_block_size: what is put or was got */
    double *work;     /* orbital_transform_work */
    struct packing_scratch **packing; /* of each target, NULL where it is whole */
};

struct mo_integrals {
    struct mo_plan *plan;
    MPI_Comm comm;
    struct taskpool_settings settings;
    struct mo_scratch scratch;
    struct darray *half; /* (mu nu|rs) of the batch at hand */
    const struct orbital_batch *batch;
    struct taskpool *half_pool, *full_pool; /* of the two steps; polled while a task runs */
};

/* The block of `half` with the results of a pair of tiles of functions for the orbital pair of the batch that is in
 * this slot: [r][s][p], p the pairs (mu, nu) as ao_integrals.h numbers them, and perhaps room behind it. */
static int64_t find_half_block(const struct mo_integrals *self, int64_t tile_pair, int64_t slot)
{
    return tile_pair * self->plan->n_slots + slot;
}

/* --- scratch --- */

static enum status create_packing_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    size_t n = (size_t)plan->problem.n_targets;
    scratch->packing = calloc(n + 1, sizeof *scratch->packing);
    TRY(CHECK_MEMORY(scratch->packing, "no memory for %zu tensors of integrals", n));
    for (size_t i = 0; i < n; i++) {
        const struct mo_target *target = &plan->problem.targets[i];
        if (target->packing)
            TRY(packing_scratch_create(target->packing, target->labels, target->tensor->max_block,
                                       &scratch->packing[i]));
    }
    return STATUS_OK;
}

/* fini_scratch follows also after a failure. */
static enum status init_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
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

static void fini_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
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

/* The n_matrices matrices over functions, to be transformed in place to orbitals of the spin;
 * after the last spin they are gone. */
static double *take_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                             int64_t n_matrices, int spin)
{
    int64_t n = plan->problem.orbitals->spin[spin].n_functions;
    if (spin == plan->problem.orbitals->n_orbital_sets - 1)
        return scratch->matrices;
    memcpy(scratch->copy, scratch->matrices, (size_t)(n_matrices * n * n) * sizeof(double));
    return scratch->copy;
}

/* Completes what tasks of either step put. */
static int finish_step(void *context)
{
    (void)context;
    darray_complete();
    return STATUS_OK;
}

/* --- from (mu nu|lambda sigma) to (mu nu|rs): a task is a pair of tiles of basis functions --- */

/* Matrices over the orbitals of a batch, n * n apart: of r in rows and s in columns, or the other way around. */
struct half_matrices {
    const double *elements;
    int64_t n;                        /* functions */
    int64_t first_r, first_s;         /* orbitals */
    int64_t stride_of_r, stride_of_s; /* 1 and the number of columns */
};

/* Transforms the matrices. Columns come first, for all rows over functions, and so get the shorter
 * range. In batches of (vv|, this is a range of r, and hardly any r is in two of them. */
static struct half_matrices transform_half(const struct mo_integrals *self, int spin,
                                           int64_t n_function_pairs)
{
    const struct orbital_space *orbitals = &self->plan->problem.orbitals->spin[spin];
    struct orbital_range r = self->batch->rows[spin], s = self->batch->columns[spin];
    bool turned = orbital_range_size(r) < orbital_range_size(s);
    double *matrices = take_matrices(&self->scratch, self->plan, n_function_pairs, spin);
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
        darray_put(self->half, find_half_block(self, task, k), self->scratch.block);
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
    return darray_owner(self->half, find_half_block(self, task, 0));
}

/* All of the work is proportional to the pairs of functions. */
static double half_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    return (double)function_pairs_count(self->plan->tiling, M, N);
}

static struct taskpool_problem describe_half_step(struct mo_integrals *self)
{
    return (struct taskpool_problem){.n_tasks = tiling_n_pairs(self->plan->tiling),
                                     .run = run_half_task,
                                     .computes = true,
                                     .finish = finish_step,
                                     .owner = half_task_owner,
                                     .cost = half_task_cost,
                                     .context = self};
}

/* --- from (mu nu|rs) to (pq|rs): a task is an orbital pair of the batch --- */

/* A task's matrices for p and q of one spin: matrices[r][s], n * n apart, each over p in rows and
 * q in columns. */
struct full_pair {
    const struct mo_plan *plan;
    const struct orbital_pair *pair;
    int spin;
    struct orbital_range rows, columns;
    const double *matrices;
    struct packing_scratch *const *packing; /* of each target */
};

/* matrices[r][s][mu][nu] for one tile pair, both orders of mu and nu, from block[r][s][p]. */
static void spread_block(const struct mo_plan *plan, const struct orbital_pair *pair, int64_t M,
                         int64_t N, const double *block, double *matrices)
{
    int64_t n = plan->problem.orbitals->spin[0].n_functions;
    const int64_t *first = plan->tiling->first_function;
    for (int64_t rs = 0; rs < orbital_pair_size(pair); rs++, matrices += n * n)
        for (int64_t mu = first[M]; mu < first[M + 1]; mu++) {
            int64_t end = M == N ? mu + 1 : first[N + 1];
            for (int64_t nu = first[N]; nu < end; nu++) {
                matrices[mu * n + nu] = *block;
                matrices[nu * n + mu] = *block++;
            }
        }
}

static void get_matrices(struct mo_integrals *self, int64_t k)
{
    const struct mo_plan *plan = self->plan;
    for (int64_t t = 0; t < tiling_n_pairs(plan->tiling); t++) {
        int64_t M, N;
        tile_pair_of_index(t, &M, &N);
        darray_get(self->half, find_half_block(self, t, k), self->scratch.block);
        spread_block(plan, &plan->orbital_pairs[self->batch->first + k], M, N, self->scratch.block,
                     self->scratch.matrices);
        taskpool_poll(self->full_pool);
    }
}

/* Whether a target has blocks that begin with tiles of these spaces, in this order. */
static bool begins_with(const struct mo_target *target, enum mo_space x, enum mo_space y)
{
    return mo_target_space(target, 0) == x && mo_target_space(target, 1) == y;
}

/* The ranges of p and q that the targets need with this pair. */
static void find_ranges(struct full_pair *full)
{
    const struct mo_plan *plan = full->plan;
    enum mo_space x = full->pair->R.space, y = full->pair->S.space;
    for (int i = 0; i < plan->problem.n_targets; i++) {
        const struct mo_target *target = &plan->problem.targets[i];
        if (!begins_with(target, x, y) && !begins_with(target, y, x))
            continue;
        struct orbital_range p = mo_plan_range(plan, mo_target_space(target, 2), full->spin);
        struct orbital_range q = mo_plan_range(plan, mo_target_space(target, 3), full->spin);
        full->rows = orbital_range_union(full->rows, p);
        full->columns = orbital_range_union(full->columns, q);
    }
}

/* The part over tiles P and Q of the matrix of r and s, its rows `stride` apart. */
static void copy_orbital_part(const struct full_pair *full, const struct orbital_tile *P,
                              const struct orbital_tile *Q, int64_t rs, int64_t stride,
                              double *block)
{
    int64_t n = full->plan->problem.orbitals->spin[0].n_functions;
    int64_t n_columns = orbital_range_size(full->columns);
    int64_t n_q = orbital_range_size(Q->range);
    const double *matrix = full->matrices + rs * n * n;
    for (int64_t p = P->range.first; p < P->range.last; p++, block += stride)
        memcpy(block,
               matrix + (p - full->rows.first) * n_columns + Q->range.first - full->columns.first,
               (size_t)n_q * sizeof *block);
}

/* The block [r][s][p][q], or [s][r][p][q] where the order is turned around; in Dirac's order
 * [r][p][s][q] or [s][p][r][q]. */
static void put_block(const struct full_pair *full, const struct mo_target *target, bool turned,
                      const struct orbital_tile *P, const struct orbital_tile *Q, double *block)
{
    const struct orbital_tile *R = &full->pair->R, *S = &full->pair->S;
    const struct orbital_tile *X = turned ? S : R, *Y = turned ? R : S;
    int32_t tiles[] = {X->tile, target->dirac ? P->tile : Y->tile,
                       target->dirac ? Y->tile : P->tile, Q->tile};
    int64_t number = target->packing ? -1 : block_index_number(target->tensor->blocks, tiles);
    if (!target->packing && number < 0) /* symmetry makes it of another block */
        return;
    int64_t n_x = orbital_range_size(X->range), n_y = orbital_range_size(Y->range);
    int64_t n_p = orbital_range_size(P->range), n_q = orbital_range_size(Q->range);
    for (int64_t x = 0; x < n_x; x++)
        for (int64_t y = 0; y < n_y; y++) {
            int64_t rs = turned ? y * n_x + x : x * n_y + y;
            double *part = block + x * n_y * n_p * n_q + y * n_q * (target->dirac ? 1 : n_p);
            copy_orbital_part(full, P, Q, rs, target->dirac ? n_y * n_q : n_q, part);
        }
    if (target->packing) {
        packing_add_block(target->packing, target->labels, tiles, block, target->tensor,
                          full->packing[target - full->plan->problem.targets]);
        return;
    }
    assert(darray_block_size(target->tensor->data, number) == n_x * n_y * n_p * n_q);
    darray_put(target->tensor->data, number, block);
}

static void put_target(const struct full_pair *full, const struct mo_target *target, bool turned,
                       double *block)
{
    enum mo_space x = mo_target_space(target, 2), y = mo_target_space(target, 3);
    for (int32_t p = 0; p < mo_plan_n_tiles(full->plan, x); p++)
        for (int32_t q = 0; q < mo_plan_n_tiles(full->plan, y); q++) {
            struct orbital_tile P = mo_plan_tile(full->plan, x, p);
            struct orbital_tile Q = mo_plan_tile(full->plan, y, q);
            if (P.spin == full->spin && Q.spin == full->spin)
                put_block(full, target, turned, &P, &Q, block);
        }
}

/* All blocks with p and q of one spin. */
static void put_targets(struct mo_integrals *self, int64_t task, int spin)
{
    const struct mo_plan *plan = self->plan;
    struct mo_scratch *scratch = &self->scratch;
    const struct orbital_pair *pair = &plan->orbital_pairs[self->batch->first + task];
    int64_t n_matrices = orbital_pair_size(pair);
    double *matrices = take_matrices(scratch, plan, n_matrices, spin);
    struct full_pair full = {.plan = plan,
                             .pair = pair,
                             .spin = spin,
                             .matrices = matrices,
                             .packing = scratch->packing};
    const struct orbital_tile *R = &pair->R, *S = &pair->S;
    find_ranges(&full);
    orbital_transform(&plan->problem.orbitals->spin[spin], full.rows, full.columns, n_matrices,
                      matrices, scratch->work);
    bool same = R->space == S->space && R->tile == S->tile;
    for (int i = 0; i < plan->problem.n_targets; i++) {
        const struct mo_target *target = &plan->problem.targets[i];
        if (begins_with(target, R->space, S->space))
            put_target(&full, target, false, scratch->block);
        if (begins_with(target, S->space, R->space) && !same)
            put_target(&full, target, true, scratch->block);
    }
}

static int run_full_task(int64_t task, void *context)
{
    struct mo_integrals *self = context;
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    get_matrices(self, task);
    for (int spin = 0; spin < self->plan->problem.orbitals->n_orbital_sets; spin++)
        put_targets(self, task, spin);
    wall_time_end(use);
    if (log_progress_visible())
        progress_show(taskpool_progress(self->full_pool));
    return STATUS_OK;
}

static int full_task_owner(int64_t task, int n_workers, void *context)
{
    const struct mo_integrals *self = context;
    (void)n_workers;
    return darray_owner(self->half, find_half_block(self, 0, task));
}

static double full_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    return (double)orbital_pair_size(&self->plan->orbital_pairs[self->batch->first + task]);
}

static struct taskpool_problem describe_full_step(struct mo_integrals *self)
{
    return (struct taskpool_problem){.n_tasks = orbital_batch_size(self->batch),
                                     .run = run_full_task,
                                     .computes = true,
                                     .finish = finish_step,
                                     .owner = full_task_owner,
                                     .cost = full_task_cost,
                                     .context = self};
}

/* --- the transformation --- */

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
            sizes[find_half_block(self, t, slot)] =
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
    TRY(create_half(self));
    return status_agree(self->comm, init_scratch(self->plan, &self->scratch));
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
    fini_scratch(integrals->plan, &integrals->scratch);
    mo_plan_destroy(integrals->plan);
    free(integrals);
}

/* Blocks are added to packed targets. */
static void zero_packed_targets(const struct mo_plan *plan)
{
    bool any = false;
    for (int i = 0; i < plan->problem.n_targets; i++)
        if (plan->problem.targets[i].packing) {
            darray_zero(plan->problem.targets[i].tensor->data);
            any = true;
        }
    if (any)
        darray_sync();
}

/* --- batches --- */

/* number: of the step, counted over all batches. */
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
    struct taskpool_problem half = describe_half_step(self), full = describe_full_step(self);
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
