/* SPDX-License-Identifier: BSD-3-Clause */
/* The two steps of a transformation of integrals.
 *
 * The first goes from (mu nu|lambda sigma) to (mu nu|rs). Task t is the pair of tiles M >= N of
 * basis functions of number t (tile_pair_of_index). Its results for orbital pair k are block
 * t * n_orbital_pairs + k of the array `half`: [r][s][p], p the pairs (mu, nu) as ao_integrals.h
 * numbers them.
 *
 * The second goes from (mu nu|rs) to (pq|rs). Task k is orbital pair k of the plan. */
#include "tce/integrals/mo_integrals.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/memory.h"
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
    double *copy;     /* as many, of the matrices while they are transformed to orbitals of one
                       * spin and still to be to those of another; NULL: there is none */
    double *block;    /* mo_plan_block_size: what is put or was got */
    double *work;     /* orbital_transform_work */
    struct packing_scratch **packing; /* of each target, NULL where it is whole */
};

struct mo_integrals {
    struct mo_plan *plan;
    struct darray *half; /* (mu nu|rs) */
    struct mo_scratch scratch;
    struct taskpool *half_pool, *full_pool; /* of the two steps; polled while a task runs */
};

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

static enum status init_mo_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
{
    const struct mo_integrals_problem *problem = &plan->problem;
    const struct orbital_spaces *orbitals = problem->orbitals;
    size_t matrices_bytes = (size_t)mo_plan_matrices_size(plan) * sizeof(double);
    *scratch = (struct mo_scratch){
        .matrices = malloc(matrices_bytes),
        .copy = orbitals->n_spins > 1 ? malloc(matrices_bytes) : NULL,
        .block = malloc((size_t)mo_plan_block_size(plan) * sizeof(double)),
        .work = malloc((size_t)orbital_transform_work(&orbitals->spin[0]) * sizeof(double)),
    };
    TRY(create_packing_scratch(plan, scratch));
    bool copied = scratch->copy || orbitals->n_spins == 1;
    TRY(CHECK_MEMORY(scratch->matrices && copied && scratch->block && scratch->work,
                     "no memory for the integrals of a pair of tiles"));
    return ao_integrals_create(problem->screening, problem->threshold, &scratch->integrals);
}

static void fini_mo_scratch(const struct mo_plan *plan, struct mo_scratch *scratch)
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
static double *scratch_matrices(const struct mo_scratch *scratch, const struct mo_plan *plan,
                                int64_t n_matrices, int spin)
{
    int64_t n = plan->problem.orbitals->spin[spin].n_functions;
    if (spin == plan->problem.orbitals->n_spins - 1)
        return scratch->matrices;
    memcpy(scratch->copy, scratch->matrices, (size_t)(n_matrices * n * n) * sizeof(double));
    return scratch->copy;
}

/* --- the first step --- */

static int64_t half_block(const struct mo_plan *plan, int64_t tile_pair, int64_t orbital_pair)
{
    return tile_pair * plan->n_orbital_pairs + orbital_pair;
}

/* The array, of zeros. */
static enum status create_half(const struct mo_plan *plan, MPI_Comm comm, struct darray **half)
{
    int64_t n_tile_pairs = tiling_n_pairs(plan->tiling);
    int64_t n_blocks = n_tile_pairs * plan->n_orbital_pairs;
    int64_t *sizes = malloc((size_t)(n_blocks + 1) * sizeof *sizes);
    enum status status = CHECK_MEMORY(sizes, "no memory for the sizes of %lld blocks of integrals",
                                      (long long)n_blocks);
    status = status_agree(comm, status);
    if (status != STATUS_OK)
        goto done;
    for (int64_t t = 0; t < n_tile_pairs; t++) {
        int64_t M, N;
        tile_pair_of_index(t, &M, &N);
        for (int64_t k = 0; k < plan->n_orbital_pairs; k++)
            sizes[half_block(plan, t, k)] = function_pairs_count(plan->tiling, M, N) *
                                            orbital_pair_size(&plan->orbital_pairs[k]);
    }
    status = darray_create("half-transformed integrals", DARRAY_DOUBLE, n_blocks, sizes, half);
done:
    free(sizes);
    return status;
}

/* block[r][s][p] from matrices[p][r][s], whose rows and columns are those of all pairs. */
static void gather_block(const struct mo_plan *plan, const struct orbital_pair *pair,
                         int64_t n_function_pairs, const double *matrices, double *block)
{
    int spin = pair->R.spin;
    int64_t n = plan->problem.orbitals->spin[spin].n_functions;
    int64_t n_columns = orbital_range_size(plan->half_columns[spin]);
    int64_t first = (pair->R.range.first - plan->half_rows[spin].first) * n_columns +
                    pair->S.range.first - plan->half_columns[spin].first;
    for (int64_t r = 0; r < orbital_range_size(pair->R.range); r++)
        for (int64_t s = 0; s < orbital_range_size(pair->S.range); s++) {
            const double *element = matrices + first + r * n_columns + s;
            for (int64_t p = 0; p < n_function_pairs; p++)
                *block++ = element[p * n * n];
        }
}

/* Transforms the integrals of a task to the orbital pairs of one spin and puts their blocks. */
static void put_blocks(struct mo_integrals *self, int64_t task, int64_t n_function_pairs, int spin)
{
    const struct mo_plan *plan = self->plan;
    struct mo_scratch *scratch = &self->scratch;
    double *matrices = scratch_matrices(scratch, plan, n_function_pairs, spin);
    orbital_transform(&plan->problem.orbitals->spin[spin], plan->half_rows[spin],
                      plan->half_columns[spin], n_function_pairs, matrices, scratch->work);
    for (int64_t k = 0; k < plan->n_orbital_pairs; k++) {
        if (plan->orbital_pairs[k].R.spin != spin)
            continue;
        gather_block(plan, &plan->orbital_pairs[k], n_function_pairs, matrices, scratch->block);
        darray_put(self->half, half_block(plan, task, k), scratch->block);
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
    for (int spin = 0; spin < plan->problem.orbitals->n_spins; spin++)
        put_blocks(self, task, n_function_pairs, spin);
    wall_time_end(use);
    if (log_progress_visible())
        progress_show(taskpool_progress(self->half_pool));
    return STATUS_OK;
}

static int finish_step(void *context)
{
    (void)context;
    darray_complete();
    return STATUS_OK;
}

static int half_task_owner(int64_t task, int n_workers, void *context)
{
    const struct mo_integrals *self = context;
    (void)n_workers;
    return darray_owner(self->half, half_block(self->plan, task, 0));
}

/* All of the work is proportional to the pairs of functions. */
static double half_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    return (double)function_pairs_count(self->plan->tiling, M, N);
}

static struct taskpool_problem half_step_problem(struct mo_integrals *self)
{
    bool any = self->plan->n_orbital_pairs > 0; /* there may be no targets */
    return (struct taskpool_problem){.n_tasks = any ? tiling_n_pairs(self->plan->tiling) : 0,
                                     .run = run_half_task,
                                     .finish = finish_step,
                                     .owner = half_task_owner,
                                     .cost = half_task_cost,
                                     .context = self};
}

/* --- the second step --- */

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
        darray_get(self->half, half_block(plan, t, k), self->scratch.block);
        spread_block(plan, &plan->orbital_pairs[k], M, N, self->scratch.block,
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
        const struct mo_target *target = &plan->targets[i];
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
                          full->packing[target - full->plan->targets]);
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
    const struct orbital_pair *pair = &plan->orbital_pairs[task];
    int64_t n_matrices = orbital_pair_size(pair);
    double *matrices = scratch_matrices(scratch, plan, n_matrices, spin);
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
        const struct mo_target *target = &plan->targets[i];
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
    for (int spin = 0; spin < self->plan->problem.orbitals->n_spins; spin++)
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
    return darray_owner(self->half, half_block(self->plan, 0, task));
}

static double full_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    return (double)orbital_pair_size(&self->plan->orbital_pairs[task]);
}

static struct taskpool_problem full_step_problem(struct mo_integrals *self)
{
    return (struct taskpool_problem){.n_tasks = self->plan->n_orbital_pairs,
                                     .run = run_full_task,
                                     .finish = finish_step,
                                     .owner = full_task_owner,
                                     .cost = full_task_cost,
                                     .context = self};
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

static enum status set_up_steps(struct mo_integrals *self,
                                const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *settings, MPI_Comm comm)
{
    TRY(status_agree(comm, mo_plan_create(problem, &self->plan)));
    TRY(check_transformation_memory(self->plan, comm));
    TRY(create_half(self->plan, comm, &self->half));
    TRY(status_agree(comm, init_mo_scratch(self->plan, &self->scratch)));
    struct taskpool_problem half = half_step_problem(self), full = full_step_problem(self);
    TRY(taskpool_create(comm, &half, settings, &self->half_pool));
    return taskpool_create(comm, &full, settings, &self->full_pool);
}

enum status mo_integrals_create(const struct mo_integrals_problem *problem,
                                const struct taskpool_settings *pool, MPI_Comm comm,
                                struct mo_integrals **integrals)
{
    *integrals = calloc(1, sizeof **integrals);
    TRY(status_agree(comm,
                     CHECK_MEMORY(*integrals, "no memory for a transformation of integrals")));
    return set_up_steps(*integrals, problem, pool, comm);
}

void mo_integrals_destroy(struct mo_integrals *integrals)
{
    if (!integrals)
        return;
    taskpool_destroy(integrals->half_pool);
    taskpool_destroy(integrals->full_pool);
    fini_mo_scratch(integrals->plan, &integrals->scratch);
    darray_destroy(integrals->half);
    mo_plan_destroy(integrals->plan);
    free(integrals);
}

static enum status run_step(const char *what, struct taskpool *pool)
{
    if (taskpool_n_iterations(pool) > 0)
        TRY(taskpool_restore(pool));
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    progress_begin(what);
    enum status status = taskpool_run(pool);
    progress_end();
    wall_time_end(use);
    return status;
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

enum status mo_integrals_run(struct mo_integrals *integrals)
{
    zero_packed_targets(integrals->plan);
    TRY(run_step("Integrals over orbitals, 1 of 2", integrals->half_pool));
    return run_step("Integrals over orbitals, 2 of 2", integrals->full_pool);
}
