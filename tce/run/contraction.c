/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/contraction.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"
#include "tce/run/contraction_sums.h"
#include "tce/run/contraction_worker.h"

#include <stdlib.h>
#include <string.h>

struct contraction {
    struct contraction_settings settings;
    struct contraction_sums sums;
    MPI_Comm comm;
    struct taskpool *pool;
    bool ran;                          /* this pool, before */
    struct block_buffers *own_buffers; /* NULL if the settings have some */
    struct darray *parts;              /* of blocks; NULL: no sum has slices */
    struct contraction_worker *worker; /* during a run */
    enum status worker_status;         /* why there is none */
};

enum status contraction_create(int n, const struct contraction_problem problems[],
                               const struct contraction_settings *settings,
                               struct contraction **contraction)
{
    struct contraction *made = *contraction = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a contraction"));
    made->settings = *settings;
    TRY(contraction_sums_init(n, problems, &made->sums));
    if (settings->buffers)
        return STATUS_OK;
    TRY(block_buffers_create(&made->own_buffers));
    made->settings.buffers = made->own_buffers;
    return STATUS_OK;
}

void contraction_destroy(struct contraction *contraction)
{
    if (!contraction)
        return;
    taskpool_destroy(contraction->pool);
    darray_destroy(contraction->parts);
    contraction_sums_fini(&contraction->sums);
    block_buffers_destroy(contraction->own_buffers);
    free(contraction);
}

int64_t contraction_n_tasks(const struct contraction *contraction)
{
    return contraction->sums.n_tasks;
}

double contraction_parts_of(const struct contraction *contraction)
{
    return contraction_parts_elements(&contraction->sums);
}

/* Elements read, and operations, of one product. */
static void add_pair_cost(const struct contraction_tasks *term, const int32_t tile[MAX_INDICES],
                          double *elements, struct contraction_cost *cost)
{
    const struct contraction_indices *indices = &term->indices;
    cost->n_products++;
    *elements += (double)contraction_tasks_extent(term, &indices->A.own, tile);
    if (!term->problem->has_B)
        return;
    *elements += (double)contraction_tasks_extent(term, &indices->B.own, tile);
    cost->flops += contraction_tasks_flops(term, tile);
}

static double elements_of_C(const struct contraction_task *task)
{
    return task->sum->scalar ? 1 : (double)block_index_size(task->sum->lead->C, task->at);
}

struct contraction_cost contraction_task_cost(const struct contraction *contraction, int64_t task)
{
    const struct contraction_sums *sums = &contraction->sums;
    struct contraction_cost cost = {0};
    struct contraction_task found;
    struct term_walk walk;
    contraction_sums_task(sums, task, &found);
    bool add = sums->problems[found.sum->first_term].add;
    double elements = (add ? 2 : 1) * elements_of_C(&found);
    term_walk_begin(sums, &found, PAIR_TILES, &walk);
    while (term_walk_next(&walk))
        add_pair_cost(&sums->terms[walk.term], walk.pairs.pair.tile, &elements, &cost);
    cost.bytes = elements * sizeof(double);
    return cost;
}

static enum status visit_pair(const struct term_walk *walk, contraction_visitor *visit,
                              void *context)
{
    const struct contraction_tasks *term = &walk->sums->terms[walk->term];
    const struct block_pair *pair = &walk->pairs.pair;
    struct contraction_access access = {
        .problem = walk->term,
        .place = CONTRACTION_A,
        .block = pair->A.block,
        .elements = contraction_tasks_extent(term, &term->indices.A.own, pair->tile)};
    TRY(visit(&access, context));
    if (!term->problem->has_B)
        return STATUS_OK;
    access.place = CONTRACTION_B;
    access.block = pair->B.block;
    access.elements = contraction_tasks_extent(term, &term->indices.B.own, pair->tile);
    return visit(&access, context);
}

enum status contraction_visit_blocks(const struct contraction *contraction, int64_t task,
                                     contraction_visitor *visit, void *context)
{
    const struct contraction_sums *sums = &contraction->sums;
    struct contraction_task found;
    struct term_walk walk;
    contraction_sums_task(sums, task, &found);
    struct contraction_access target = {.problem = found.sum->first_term,
                                        .place = CONTRACTION_C,
                                        .block = found.block,
                                        .elements = (int64_t)elements_of_C(&found)};
    if (found.part < 0 && sums->problems[target.problem].add)
        TRY(visit(&target, context));
    term_walk_begin(sums, &found, PAIR_BLOCKS, &walk);
    while (term_walk_next(&walk))
        TRY(visit_pair(&walk, visit, context));
    target.writes = true;
    return found.part >= 0 ? STATUS_OK : visit(&target, context);
}

void contraction_bind(struct contraction *contraction, int problem, struct tensor *C,
                      struct tensor *A, struct tensor *B)
{
    contraction->sums.problems[problem].C.tensor = C;
    contraction->sums.problems[problem].A.tensor = A;
    contraction->sums.problems[problem].B.tensor = B;
}

static int run_contraction_task(int64_t task, void *context)
{
    const struct contraction *contraction = context;
    TRY(contraction->worker_status);
    if (log_progress_visible())
        progress_show(taskpool_progress(contraction->pool));
    return contraction_worker_run(contraction->worker, task);
}

/* Also the failure of a process without a worker that had no task to fail with. */
static int finish_contraction(void *context)
{
    const struct contraction *contraction = context;
    darray_complete();
    return contraction->worker_status;
}

/* Where tensor.h says that the block is. */
static int owner_of_block(int64_t task, int n_workers, void *context)
{
    const struct contraction *contraction = context;
    struct contraction_task found;
    contraction_sums_task(&contraction->sums, task, &found);
    int64_t block = found.part >= 0 ? found.part : found.block;
    if (found.sum->scalar)
        block = task - found.sum->first_task;
    return (int)(block % n_workers);
}

double contraction_task_seconds(const struct contraction *contraction, int64_t task)
{
    struct contraction_cost cost = contraction_task_cost(contraction, task);
    return SECONDS_PER_FLOP * cost.flops +
           SECONDS_PER_ELEMENT * cost.bytes / (double)sizeof(double) +
           SECONDS_PER_PRODUCT * (double)(cost.n_products + 1);
}

static double predict_seconds(int64_t task, void *context)
{
    return contraction_task_seconds(context, task);
}

enum status contraction_start(struct contraction *contraction, const struct taskpool_settings *pool,
                              MPI_Comm comm)
{
    struct taskpool_problem problem = {.n_tasks = contraction_n_tasks(contraction),
                                       .run = run_contraction_task,
                                       .computes = true,
                                       .finish = finish_contraction,
                                       .owner = owner_of_block,
                                       .cost = predict_seconds,
                                       .context = contraction};
    taskpool_destroy(contraction->pool);
    contraction->pool = NULL;
    contraction->comm = comm;
    contraction->ran = false;
    if (!contraction->parts)
        TRY(contraction_parts_create(&contraction->sums, &contraction->parts));
    return taskpool_create(comm, &problem, pool, &contraction->pool);
}

static enum status run_contraction_pool(struct contraction *contraction)
{
    if (contraction->ran)
        TRY(taskpool_restore(contraction->pool));
    contraction->ran = true;
    TRY(taskpool_run(contraction->pool));
    if (contraction->sums.has_scalars || contraction->parts) {
        contraction_worker_reduce(contraction->worker, contraction->comm);
        darray_sync();
    }
    return STATUS_OK;
}

/* The pool reports to all that a process has no worker: no agreement is needed before the run. */
enum status contraction_run(struct contraction *contraction)
{
    int n_workers;
    MPI_Comm_size(contraction->comm, &n_workers);
    contraction->worker_status =
        contraction_worker_create(&contraction->sums, contraction->parts, &contraction->settings,
                                  n_workers > 1 ? contraction->pool : NULL, &contraction->worker);
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    enum status status = run_contraction_pool(contraction);
    wall_time_end(use);
    contraction_worker_destroy(contraction->worker);
    contraction->worker = NULL;
    return status;
}

const struct taskpool *contraction_pool(const struct contraction *contraction)
{
    return contraction->pool;
}
