/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction_worker.h"

#include "support/mpi/long_reduce.h"
#include "support/mpi/wall_time.h"
#include "tce/run/products.h"

#include <stdlib.h>
#include <string.h>

struct contraction_worker {
    const struct contraction_sums *sums;
    struct block_buffers *buffers;
    struct operands *operands;
    struct products *products;
    double *block;              /* of C, where this process does not see it, or a scalar */
    double *parts;              /* sums->n_parts; NULL without scalars */
    struct darray *block_parts; /* NULL without slices */
};

/* --- creation --- */

static enum status take_scratch_blocks(struct contraction_worker *worker)
{
    const struct contraction_sums *sums = worker->sums;
    const struct tensor *largest = NULL;
    for (int t = 0; t < sums->n_terms; t++) {
        const struct tensor *C = sums->problems[t].C.tensor;
        largest = !largest || C->max_block > largest->max_block ? C : largest;
    }
    worker->block = block_buffers_take(worker->buffers, largest->max_block);
    if (sums->has_scalars)
        worker->parts = calloc((size_t)sums->n_parts + 1, sizeof(double));
    return CHECK_MEMORY(worker->block && (worker->parts || !sums->has_scalars),
                        "no memory for a block of tensor %s", largest->name);
}

/* Whether the indices have but one tuple of tiles. */
static bool is_one_tile(const struct contraction_indices *indices, enum index_role role)
{
    const struct index_list *group = &indices->group[role];
    for (int d = 0; d < group->n; d++)
        if (indices->space[group->index[d]]->n_tiles != 1)
            return false;
    return true;
}

/* A factor, whose blocks tasks share unless the other factor's indices have one tuple of tiles. */
static struct factor factor_of(const struct contraction_operand *operand,
                               const struct block_layout *layout,
                               const struct contraction_indices *indices,
                               enum index_role role_of_other, enum index_role lone_of_other)
{
    return (struct factor){.tensor = operand->tensor,
                           .layout = layout,
                           .used_once = is_one_tile(indices, role_of_other) &&
                                        is_one_tile(indices, lone_of_other)};
}

static enum status create_operands(struct contraction_worker *worker,
                                   const struct contraction_settings *settings)
{
    const struct contraction_sums *sums = worker->sums;
    struct factor *factors = calloc(2 * (size_t)sums->n_terms, sizeof *factors);
    TRY(CHECK_MEMORY(factors, "no memory for a contraction"));
    for (int t = 0; t < sums->n_terms; t++) {
        const struct contraction_problem *problem = &sums->problems[t];
        const struct contraction_indices *indices = &sums->terms[t].indices;
        factors[2 * (size_t)t] =
            factor_of(&problem->A, &indices->A, indices, ROLE_COLUMN, ROLE_LONE_B);
        if (problem->has_B)
            factors[2 * (size_t)t + 1] =
                factor_of(&problem->B, &indices->B, indices, ROLE_ROW, ROLE_LONE_A);
    }
    const struct operand_settings of_operands = {.cache_bytes = settings->cache_bytes,
                                                 .prefetch = settings->prefetch,
                                                 .buffers = settings->buffers};
    enum status status =
        operands_create(2 * sums->n_terms, factors, &of_operands, &worker->operands);
    free(factors);
    return status;
}

int64_t contraction_worker_bytes(int64_t max_block)
{
    return block_buffers_bytes(max_block) + products_bytes() + operands_bytes(max_block);
}

enum status contraction_worker_create(const struct contraction_sums *sums, struct darray *parts,
                                      const struct contraction_settings *settings,
                                      struct taskpool *polled, struct contraction_worker **worker)
{
    struct contraction_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a contraction"));
    made->sums = sums;
    made->block_parts = parts;
    made->buffers = settings->buffers;
    TRY(take_scratch_blocks(made));
    TRY(create_operands(made, settings));
    return products_create(1, made->operands, made->buffers, polled, &made->products);
}

void contraction_worker_destroy(struct contraction_worker *worker)
{
    if (!worker)
        return;
    products_destroy(worker->products);
    operands_destroy(worker->operands);
    block_buffers_give_back(worker->buffers, worker->block);
    free(worker->parts);
    free(worker);
}

/* --- tasks --- */

/* The pair that the walk is at. */
static struct step_product product_at(const struct term_walk *walk)
{
    const struct contraction_tasks *term = &walk->sums->terms[walk->term];
    const struct block_pair *pair = &walk->pairs.pair;
    struct step_product product = {.problem = term->problem,
                                   .indices = &term->indices,
                                   .factor = 2 * walk->term,
                                   .block = {pair->A, pair->B}};
    for (int x = 0; x < MAX_INDICES; x++)
        product.extent[x] = term->indices.space[x]
                                ? index_space_tile_size(term->indices.space[x], pair->tile[x])
                                : 1;
    return product;
}

static enum status add_all_pairs(struct contraction_worker *worker,
                                 const struct contraction_task *task, struct product_target *target)
{
    struct term_walk walk;
    struct step_product product, next;
    term_walk_begin(worker->sums, task, PAIR_BLOCKS, &walk);
    bool more = term_walk_next(&walk);
    if (more)
        next = product_at(&walk);
    while (more) {
        product = next;
        more = term_walk_next(&walk);
        if (more)
            next = product_at(&walk);
        TRY(products_add(worker->products, &product, more ? &next : NULL, target));
    }
    products_run(worker->products);
    return STATUS_OK;
}

/* A block that this process sees is written where it lies.
 * block  of the array, that the task makes or, to `add`, adds to */
static enum status make_block(struct contraction_worker *worker,
                              const struct contraction_task *task, struct darray *array,
                              int64_t block, bool add)
{
    double *near = darray_near(array, block);
    struct product_target target = {.elements = near ? near : worker->block, .add = add};
    if (add && !near)
        darray_get(array, block, target.elements);
    TRY(add_all_pairs(worker, task, &target));
    if (!target.add)
        memset(target.elements, 0, (size_t)darray_block_size(array, block) * sizeof(double));
    if (!near)
        darray_put(array, block, target.elements);
    return STATUS_OK;
}

static enum status run_block(struct contraction_worker *worker, const struct contraction_task *task)
{
    const struct contraction_problem *first = &worker->sums->problems[task->sum->first_term];
    if (task->part >= 0)
        return make_block(worker, task, worker->block_parts, task->part, false);
    return make_block(worker, task, first->C.tensor->data, task->block, first->add);
}

/* Keeps the part of a scalar that the task adds up. */
static enum status run_scalar(struct contraction_worker *worker,
                              const struct contraction_task *task)
{
    double sum = 0;
    struct product_target target = {.elements = &sum};
    TRY(add_all_pairs(worker, task, &target));
    worker->parts[task->part] = sum;
    return STATUS_OK;
}

enum status contraction_worker_run(struct contraction_worker *worker, int64_t task)
{
    struct contraction_task found;
    enum wall_use use = wall_time_begin(WALL_ALGEBRA);
    contraction_sums_task(worker->sums, task, &found);
    enum status status = found.sum->scalar ? run_scalar(worker, &found) : run_block(worker, &found);
    wall_time_end(use);
    return status;
}

/* --- after the pool --- */

/* Adds the parts of a term to a scalar. Process 0, which holds block 0, does so for all terms, so
 * that their writes and reads are in order. */
static void write_scalar(const struct contraction_problem *problem, int64_t n, const double *parts)
{
    struct darray *C = problem->C.tensor->data;
    double sum = 0, old = 0;
    for (int64_t i = 0; i < n; i++)
        sum += parts[i];
    if (problem->add)
        darray_get(C, 0, &old);
    sum += old;
    darray_put(C, 0, &sum);
}

void contraction_worker_reduce(struct contraction_worker *worker, MPI_Comm comm)
{
    const struct contraction_sums *sums = worker->sums;
    int rank;
    MPI_Comm_rank(comm, &rank);
    contraction_parts_add_up(sums, worker->block_parts, worker->block);
    if (!sums->has_scalars)
        return;
    long_reduce(worker->parts, sums->n_parts, MPI_DOUBLE, MPI_SUM, comm);
    for (int s = 0; s < sums->n; s++) {
        const struct contraction_sum *sum = &sums->list[s];
        if (sum->scalar && rank == 0 && block_index_n(sum->lead->C) > 0)
            write_scalar(&sums->problems[sum->first_term], contraction_tasks_n(sum->lead),
                         worker->parts + sum->first_part);
    }
}
