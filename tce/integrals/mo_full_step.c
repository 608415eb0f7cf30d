/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/mo_steps.h"

#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"

#include <assert.h>
#include <string.h>

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
        darray_get(self->half, mo_half_block(self, t, k), self->scratch.block);
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
    const struct orbital_pair *pair = &plan->orbital_pairs[self->batch->first + task];
    int64_t n_matrices = orbital_pair_size(pair);
    double *matrices = mo_scratch_matrices(scratch, plan, n_matrices, spin);
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
    return darray_owner(self->half, mo_half_block(self, 0, task));
}

static double full_task_cost(int64_t task, void *context)
{
    const struct mo_integrals *self = context;
    return (double)orbital_pair_size(&self->plan->orbital_pairs[self->batch->first + task]);
}

struct taskpool_problem mo_full_step(struct mo_integrals *self)
{
    return (struct taskpool_problem){.n_tasks = orbital_batch_size(self->batch),
                                     .run = run_full_task,
                                     .computes = true,
                                     .finish = mo_step_finish,
                                     .owner = full_task_owner,
                                     .cost = full_task_cost,
                                     .context = self};
}
