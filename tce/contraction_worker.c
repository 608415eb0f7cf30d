#include "tce/contraction_worker.h"

#include "tce/block_buffers.h"
#include "tce/contraction_matrix.h"
#include "tce/operand_blocks.h"

#include <stdlib.h>
#include <string.h>

struct contraction_worker {
    const struct contraction_tasks *tasks;
    struct block_buffers *buffers;
    struct operand_blocks *blocks;
    bool copy_own;
    double *product; /* C's matrix; a block of C itself unless packed */
    double *block;   /* of C; NULL unless packed */
    double *target;  /* of the products of the task at hand */
    double *parts;   /* of a scalar, by task; else NULL */
    void (*interrupt)(void *context);
    void *interrupt_context;
};

static enum status fill(struct contraction_worker *worker,
                        const struct contraction_settings *settings)
{
    const struct contraction_tasks *tasks = worker->tasks;
    int64_t size = tasks->problem->C.tensor->max_block;
    worker->buffers = settings->buffers;
    worker->copy_own = settings->copy_own;
    worker->target = worker->product = block_buffers_take(worker->buffers, size);
    if (tasks->indices.C.packed)
        worker->block = block_buffers_take(worker->buffers, size);
    if (tasks->scalar)
        worker->parts = calloc((size_t)contraction_tasks_n(tasks) + 1, sizeof(double));
    if (!worker->product || (tasks->indices.C.packed && !worker->block) ||
        (tasks->scalar && !worker->parts))
        return FAIL(STATUS_NO_MEMORY, "no memory for a block of tensor %s",
                    tasks->problem->C.tensor->name);
    return operand_blocks_create(tasks, settings, &worker->blocks);
}

enum status contraction_worker_create(const struct contraction_tasks *tasks,
                                      const struct contraction_settings *settings,
                                      struct contraction_worker **worker)
{
    struct contraction_worker *made = calloc(1, sizeof *made);
    *worker = NULL;
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for a contraction");
    made->tasks = tasks;
    enum status status = fill(made, settings);
    if (status != STATUS_OK) {
        contraction_worker_destroy(made);
        return status;
    }
    *worker = made;
    return STATUS_OK;
}

void contraction_worker_destroy(struct contraction_worker *worker)
{
    if (!worker)
        return;
    operand_blocks_destroy(worker->blocks);
    block_buffers_give_back(worker->buffers, worker->product);
    block_buffers_give_back(worker->buffers, worker->block);
    free(worker->parts);
    free(worker);
}

void contraction_worker_interrupt(struct contraction_worker *worker,
                                  void (*function)(void *context), void *context)
{
    worker->interrupt = function;
    worker->interrupt_context = context;
}

static void announce(struct contraction_worker *worker, const struct block_pair *pair)
{
    operand_blocks_announce(worker->blocks, OPERAND_A, pair->block_A);
    if (worker->tasks->problem->has_B)
        operand_blocks_announce(worker->blocks, OPERAND_B, pair->block_B);
}

/* DGEMM packs its matrices in short strides, which hardware does not foresee: blocks that lie
 * in memory are read several times slower than what one sweep asked for (5 to 7 % of a
 * contraction of tiles of 20). A packed matrix may be shorter than its block; to prefetch
 * behind it is harmless. */
static void bring_near(const struct tensor *tensor, int64_t block, const double *matrix)
{
    const int64_t line = 64 / sizeof *matrix, n = darray_block_size(tensor->data, block);
    for (int64_t i = 0; i < n; i += line)
        __builtin_prefetch(matrix + i, 0, 2);
}

/* Adds the pair's product, or sets it; what is to come, NULL for nothing, is fetched
 * meanwhile. */
static enum status add_pair(struct contraction_worker *worker, const struct block_pair *pair,
                            const struct block_pair *to_come, bool add)
{
    const struct contraction_problem *problem = worker->tasks->problem;
    const struct contraction_indices *indices = &worker->tasks->indices;
    const double *A, *B;
    int64_t extent[MAX_INDICES];
    for (int x = 0; x < MAX_INDICES; x++)
        extent[x] = indices->space[x] ? index_space_tile_size(indices->space[x], pair->tile[x]) : 1;
    TRY(operand_blocks_pin(worker->blocks, OPERAND_A, pair->block_A, &A));
    enum status status = STATUS_OK;
    if (problem->has_B)
        status = operand_blocks_pin(worker->blocks, OPERAND_B, pair->block_B, &B);
    if (status == STATUS_OK) {
        if (to_come)
            announce(worker, to_come);
        if (problem->has_B) {
            bring_near(problem->A.tensor, pair->block_A, A);
            bring_near(problem->B.tensor, pair->block_B, B);
            contraction_multiply(indices, extent, problem->factor, A, B, add, worker->target);
            operand_blocks_release(worker->blocks, OPERAND_B, pair->block_B);
        } else {
            contraction_pack(&indices->A.order, &indices->C.own, extent, problem->factor, A, add,
                             worker->target);
        }
    }
    operand_blocks_release(worker->blocks, OPERAND_A, pair->block_A);
    return status;
}

/* Adds all products to `target` or, before the first one unless `add`, replaces it; *n
 * tells how many there were. */
static enum status add_pairs(struct contraction_worker *worker, int64_t task, bool add, int64_t *n)
{
    struct pair_walk walk;
    *n = 0;
    pair_walk_begin(worker->tasks, task, &walk);
    for (bool more = pair_walk_next(&walk); more; ++*n) {
        struct block_pair pair = walk.pair;
        more = pair_walk_next(&walk);
        TRY(add_pair(worker, &pair, more ? &walk.pair : NULL, add || *n > 0));
        if (worker->interrupt)
            worker->interrupt(worker->interrupt_context);
    }
    return STATUS_OK;
}

/* What was summed in the order of the matrix goes into a block in C's own. */
static void unpack(const struct contraction_worker *worker, const int32_t tile[MAX_INDICES],
                   double *block)
{
    const struct contraction_indices *indices = &worker->tasks->indices;
    int64_t extent[MAX_INDICES];
    for (int d = 0; d < indices->C.own.n; d++) {
        int index = indices->C.own.index[d];
        extent[index] = index_space_tile_size(indices->space[index], tile[index]);
    }
    contraction_pack(&indices->C.order, &indices->C.own, extent, 1, worker->product,
                     worker->tasks->problem->add, block);
}

/* A block that this process holds is written where it lies. */
static enum status run_block(struct contraction_worker *worker, int64_t task)
{
    const struct contraction_problem *problem = worker->tasks->problem;
    struct darray *C = problem->C.tensor->data;
    int32_t tile[MAX_INDICES];
    int64_t n_products, block = contraction_tasks_block(worker->tasks, task, tile);
    double *own = worker->copy_own ? NULL : darray_local(C, block);
    double *result = own ? own : worker->block ? worker->block : worker->product;
    worker->target = worker->block ? worker->product : result;
    if (problem->add && !own)
        darray_get(C, block, result);
    TRY(add_pairs(worker, task, problem->add && !worker->block, &n_products));
    if (n_products > 0 && worker->block)
        unpack(worker, tile, result);
    else if (n_products == 0 && !problem->add)
        memset(result, 0, (size_t)darray_block_size(C, block) * sizeof *result);
    if (!own && (n_products > 0 || !problem->add))
        darray_put(C, block, result);
    return STATUS_OK;
}

enum status contraction_worker_run(struct contraction_worker *worker, int64_t task)
{
    int64_t n_products;
    if (!worker->tasks->scalar)
        return run_block(worker, task);
    TRY(add_pairs(worker, task, false, &n_products));
    worker->parts[task] = n_products > 0 ? worker->product[0] : 0;
    return STATUS_OK;
}

void contraction_worker_reduce(struct contraction_worker *worker, MPI_Comm comm)
{
    enum { MAX_COUNT = 1 << 30 };
    const struct contraction_tasks *tasks = worker->tasks;
    int64_t n = contraction_tasks_n(tasks);
    int rank;
    if (!tasks->scalar)
        return;
    /* Each part is a number on one process and zero on the others: their sum is exact. */
    for (int64_t first = 0; first < n; first += MAX_COUNT)
        MPI_Allreduce(MPI_IN_PLACE, worker->parts + first,
                      (int)(n - first < MAX_COUNT ? n - first : MAX_COUNT), MPI_DOUBLE, MPI_SUM,
                      comm);
    MPI_Comm_rank(comm, &rank);
    if (rank != 0 || block_index_n(tasks->C) == 0)
        return;
    struct darray *C = tasks->problem->C.tensor->data;
    double sum = 0, old = 0;
    for (int64_t task = 0; task < n; task++)
        sum += worker->parts[task];
    if (tasks->problem->add)
        darray_get(C, 0, &old);
    sum += old;
    darray_put(C, 0, &sum);
}
