#include "tce/integrals/mo_half_step.h"

#include "support/base/agree.h"
#include "support/base/log.h"

#include <stdlib.h>

enum status mo_half_create(const struct mo_plan *plan, MPI_Comm comm, struct darray **half)
{
    int64_t n_tile_pairs = tiling_n_pairs(plan->tiling);
    int64_t n_blocks = n_tile_pairs * plan->n_orbital_pairs;
    int64_t *sizes = malloc((size_t)(n_blocks + 1) * sizeof *sizes);
    *half = NULL;
    enum status status = CHECK_MEMORY(sizes, "no memory for the sizes of %lld blocks of integrals",
                                      (long long)n_blocks);
    status = status_agree(comm, status);
    for (int64_t t = 0; status == STATUS_OK && t < n_tile_pairs; t++) {
        int64_t M, N;
        tile_pair_of_index(t, &M, &N);
        for (int64_t k = 0; k < plan->n_orbital_pairs; k++)
            sizes[mo_half_block(plan, t, k)] = function_pairs_count(plan->tiling, M, N) *
                                               orbital_pair_size(&plan->orbital_pairs[k]);
    }
    if (status == STATUS_OK)
        status = darray_create("half-transformed integrals", DARRAY_DOUBLE, n_blocks, sizes, half);
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

/* Of the orbital pairs of one spin. */
static void put_blocks(const struct mo_half_step *step, int64_t task, int64_t n_function_pairs,
                       int spin)
{
    const struct mo_plan *plan = step->plan;
    struct mo_scratch *scratch = step->scratch;
    double *matrices = mo_scratch_matrices(scratch, plan, n_function_pairs, spin);
    orbital_transform(&plan->problem.orbitals->spin[spin], plan->half_rows[spin],
                      plan->half_columns[spin], n_function_pairs, matrices, scratch->work);
    for (int64_t k = 0; k < plan->n_orbital_pairs; k++) {
        if (plan->orbital_pairs[k].R.spin != spin)
            continue;
        gather_block(plan, &plan->orbital_pairs[k], n_function_pairs, matrices, scratch->block);
        darray_put(step->half, mo_half_block(plan, task, k), scratch->block);
    }
}

static void poll_given_pool(void *context)
{
    taskpool_poll(context);
}

static enum status run_half_task(int64_t task, void *context)
{
    struct mo_half_step *step = context;
    const struct mo_plan *plan = step->plan;
    struct mo_scratch *scratch = step->scratch;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    if (ao_integrals_are_null(scratch->integrals, plan->tiling, M, N))
        return STATUS_OK;
    const struct ao_integrals_call call = {.tiling = plan->tiling,
                                           .M = M,
                                           .N = N,
                                           .between = step->pool ? poll_given_pool : NULL,
                                           .context = step->pool,
                                           .matrices = scratch->matrices};
    TRY(ao_integrals_compute(scratch->integrals, &call));
    int64_t n_function_pairs = function_pairs_count(plan->tiling, M, N);
    for (int spin = 0; spin < plan->problem.orbitals->n_spins; spin++)
        put_blocks(step, task, n_function_pairs, spin);
    if (step->pool && log_progress_visible())
        log_progress("Integrals over orbitals, 1 of 2", taskpool_progress(step->pool));
    return STATUS_OK;
}

static int half_task_owner(int64_t task, int n_workers, void *context)
{
    const struct mo_half_step *step = context;
    (void)n_workers;
    return darray_owner(step->half, mo_half_block(step->plan, task, 0));
}

/* All of the work is proportional to the pairs of functions. */
static double half_task_cost(int64_t task, void *context)
{
    const struct mo_half_step *step = context;
    int64_t M, N;
    tile_pair_of_index(task, &M, &N);
    return (double)function_pairs_count(step->plan->tiling, M, N);
}

struct taskpool_problem mo_half_step_problem(struct mo_half_step *step)
{
    bool any = step->plan->n_orbital_pairs > 0; /* there may be no targets */
    return (struct taskpool_problem){.n_tasks = any ? tiling_n_pairs(step->plan->tiling) : 0,
                                     .run = run_half_task,
                                     .owner = half_task_owner,
                                     .cost = half_task_cost,
                                     .context = step};
}
