/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_worker.h"

#include "support/mpi/long_reduce.h"
#include "support/mpi/wall_time.h"
#include "tce/contraction/contraction_blocks.h"
#include "tce/contraction/contraction_parts.h"
#include "tce/contraction/operand_blocks.h"
#include "tce/tensor/block_buffers.h"

#include <stdlib.h>
#include <string.h>

struct contraction_worker {
    const struct contraction_sums *sums;
    struct block_buffers *buffers;
    struct operand_blocks *blocks;
    struct product_scratch *scratch;
    double *block;              /* of C, where this process does not see it, or a scalar */
    double *parts;              /* sums->n_parts; NULL without scalars */
    struct darray *block_parts; /* NULL without slices */
    struct taskpool
        *polled; /* messages of other workers are answered within a task, too; or NULL */
};

/* The block that a task makes. */
struct block_sum {
    double *block;
    bool defined; /* products are in the block, or what C had */
    bool changed;
};

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

int64_t contraction_worker_bytes(int64_t max_block)
{
    return block_buffers_bytes(max_block) + product_scratch_bytes() +
           operand_blocks_bytes(max_block);
}

enum status contraction_worker_create(const struct contraction_sums *sums, struct darray *parts,
                                      const struct contraction_settings *settings,
                                      struct kept_blocks *kept, struct taskpool *polled,
                                      struct contraction_worker **worker)
{
    *worker = calloc(1, sizeof **worker);
    TRY(CHECK_MEMORY(*worker, "no memory for a contraction"));
    (*worker)->sums = sums;
    (*worker)->block_parts = parts;
    (*worker)->buffers = settings->buffers;
    (*worker)->polled = polled;
    TRY(product_scratch_create(settings->buffers, &(*worker)->scratch));
    TRY(take_scratch_blocks(*worker));
    return operand_blocks_create(sums, settings, kept, &(*worker)->blocks);
}

void contraction_worker_destroy(struct contraction_worker *worker)
{
    if (!worker)
        return;
    operand_blocks_destroy(worker->blocks);
    product_scratch_destroy(worker->buffers, worker->scratch);
    block_buffers_give_back(worker->buffers, worker->block);
    free(worker->parts);
    free(worker);
}

/* Begin to fetch the blocks of the next pair during the multiplication of this one. */
static void announce_pair(struct contraction_worker *worker, const struct term_walk *next)
{
    const struct block_pair *pair = &next->pairs.pair;
    operand_blocks_announce(worker->blocks, (struct operand_place){next->term, OPERAND_A},
                            &pair->A);
    if (worker->sums->problems[next->term].has_B)
        operand_blocks_announce(worker->blocks, (struct operand_place){next->term, OPERAND_B},
                                &pair->B);
}

/* A larger block does not fit into a second-level cache, from which products read. */
enum { MAX_NEAR_ELEMENTS = 64 * 1024 };

/* Products pack their blocks in short strides, which hardware does not foresee: small blocks that lie in
 * memory are read several times slower than what one sweep asked for (5 to 7 % of a contraction of tiles
 * of 20). A reduced block is shorter; to prefetch behind it is harmless. */
static void bring_near(const struct tensor *tensor, int64_t block, const double *elements)
{
    const int64_t line = 64 / sizeof *elements, n = darray_block_size(tensor->data, block);
    for (int64_t i = 0; i < n && n <= MAX_NEAR_ELEMENTS; i += line)
        __builtin_prefetch(elements + i, 0, 2);
}

/* A pinned block, as it lies. */
struct operand_block {
    const double *elements; /* NULL: there is no B */
    struct index_list order;
    int sign;
};

static enum status pin_block(const struct contraction_worker *worker, struct operand_place place,
                             const struct stored_block *block, struct operand_block *pinned)
{
    const struct contraction_tasks *term = &worker->sums->terms[place.term];
    bool is_A = place.operand == OPERAND_A;
    const struct block_layout *layout = is_A ? &term->indices.A : &term->indices.B;
    pinned->order = layout->order;
    pinned->sign = 1;
    if (block->image != 0 && !layout->reduced) {
        const struct signed_permutation image =
            block_index_image(is_A ? term->A : term->B, block->image);
        pinned->order = contraction_stored_order(&layout->own, &image);
        pinned->sign = image.sign;
    }
    return operand_blocks_pin(worker->blocks, place, block, &pinned->elements);
}

static void copy_pair(const struct contraction_tasks *term, const struct block_pair *pair,
                      const struct operand_block *A, const struct block_sum *sum)
{
    const struct contraction_indices *indices = &term->indices;
    int64_t extent[MAX_INDICES];
    for (int x = 0; x < MAX_INDICES; x++)
        extent[x] = indices->space[x] ? index_space_tile_size(indices->space[x], pair->tile[x]) : 1;
    const struct block_strides strides = block_strides_of(&A->order, extent);
    contraction_copy(&strides, &indices->C.own, extent, A->sign * term->problem->factor,
                     A->elements, sum->defined, sum->block);
}

static void multiply_pair(const struct contraction_worker *worker,
                          const struct contraction_tasks *term, const struct block_pair *pair,
                          const struct operand_block *A, const struct operand_block *B,
                          const struct block_sum *sum)
{
    const struct contraction_problem *problem = term->problem;
    const struct contraction_indices *indices = &term->indices;
    struct dense_product product = {.n = MAX_INDICES,
                                    .C = sum->block,
                                    .A = A->elements,
                                    .B = B->elements,
                                    .factor = A->sign * B->sign * problem->factor,
                                    .add = sum->defined};
    for (int x = 0; x < MAX_INDICES; x++)
        if (indices->space[x])
            product.dimension[x].extent = index_space_tile_size(indices->space[x], pair->tile[x]);
    contraction_lay_out_side(SIDE_C, &indices->C.own, &product);
    contraction_lay_out_side(SIDE_A, &A->order, &product);
    contraction_lay_out_side(SIDE_B, &B->order, &product);
    bring_near(problem->A.tensor, pair->A.block, A->elements);
    bring_near(problem->B.tensor, pair->B.block, B->elements);
    dense_product_run(&product, worker->scratch);
}

/* Adds the pair's product to the block, or sets it. next: NULL if nothing is to come */
static enum status add_pair_product(struct contraction_worker *worker, int number,
                                    const struct block_pair *pair, const struct term_walk *next,
                                    struct block_sum *sum)
{
    const struct contraction_tasks *term = &worker->sums->terms[number];
    const struct operand_place place_A = {number, OPERAND_A}, place_B = {number, OPERAND_B};
    struct operand_block A, B = {.elements = NULL};
    enum status status = STATUS_OK;
    TRY(pin_block(worker, place_A, &pair->A, &A));
    if (term->problem->has_B)
        status = pin_block(worker, place_B, &pair->B, &B);
    if (status != STATUS_OK)
        goto done;
    if (next)
        announce_pair(worker, next);
    if (B.elements)
        multiply_pair(worker, term, pair, &A, &B, sum);
    else
        copy_pair(term, pair, &A, sum);
    sum->defined = sum->changed = true;
    if (B.elements)
        operand_blocks_release(worker->blocks, place_B, &pair->B);
done:
    operand_blocks_release(worker->blocks, place_A, &pair->A);
    return status;
}

static enum status add_all_pairs(struct contraction_worker *worker,
                                 const struct contraction_task *task, struct block_sum *sum)
{
    struct term_walk walk;
    term_walk_begin(worker->sums, task, PAIR_BLOCKS, &walk);
    for (bool more = term_walk_next(&walk); more;) {
        const struct block_pair pair = walk.pairs.pair;
        int term = walk.term;
        more = term_walk_next(&walk);
        TRY(add_pair_product(worker, term, &pair, more ? &walk : NULL, sum));
        if (worker->polled)
            taskpool_poll(worker->polled);
    }
    return STATUS_OK;
}

/* A block that this process sees is written where it lies.
 * block  of the array, that the task makes or, to `add`, adds to */
static enum status make_block(struct contraction_worker *worker,
                              const struct contraction_task *task, struct darray *array,
                              int64_t block, bool add)
{
    double *near = darray_near(array, block);
    struct block_sum sum = {.block = near ? near : worker->block, .defined = add};
    if (add && !near)
        darray_get(array, block, sum.block);
    TRY(add_all_pairs(worker, task, &sum));
    if (!sum.defined)
        memset(sum.block, 0, (size_t)darray_block_size(array, block) * sizeof *sum.block);
    if (!near && (sum.changed || !add))
        darray_put(array, block, sum.block);
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
    struct block_sum sum = {.block = worker->block};
    TRY(add_all_pairs(worker, task, &sum));
    worker->parts[task->part] = sum.changed ? worker->block[0] : 0;
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
