/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/run/stage.h"

#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"
#include "tce/run/loop_tasks.h"

#include <stdlib.h>

struct stage {
    struct contraction_settings settings;
    struct block_buffers *own_buffers; /* NULL if the settings have some */
    bool is_loop;
    struct block_tasks blocks; /* of contractions */
    struct loop_tasks tuples;  /* of a loop over tiles */
    MPI_Comm comm;
    struct taskpool_settings pool_settings;
    struct taskpool *pool;
    int64_t n_in_pool;
    bool ran;                  /* this pool, before */
    enum status worker_status; /* of this process, during a run */
};

/* --- creation --- */

static enum status create_stage(const struct contraction_settings *settings, struct stage **stage)
{
    struct stage *made = *stage = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a contraction"));
    made->settings = *settings;
    if (settings->buffers)
        return STATUS_OK;
    TRY(block_buffers_create(&made->own_buffers));
    made->settings.buffers = made->own_buffers;
    return STATUS_OK;
}

enum status stage_create(int n, const struct contraction_problem problems[],
                         const struct contraction_settings *settings, struct stage **stage)
{
    TRY(create_stage(settings, stage));
    return contraction_sums_init(n, problems, &(*stage)->blocks.sums);
}

enum status stage_create_loop(const struct tile_loop *loop,
                              const struct contraction_settings *settings, struct stage **stage)
{
    TRY(create_stage(settings, stage));
    (*stage)->is_loop = true;
    return loop_tasks_init(loop, &(*stage)->tuples);
}

void stage_destroy(struct stage *stage)
{
    if (!stage)
        return;
    taskpool_destroy(stage->pool);
    if (stage->is_loop)
        loop_tasks_fini(&stage->tuples);
    else
        block_tasks_fini(&stage->blocks);
    block_buffers_destroy(stage->own_buffers);
    free(stage);
}

int64_t stage_n_tasks(const struct stage *stage)
{
    return stage->is_loop ? stage->tuples.n : stage->blocks.sums.n_tasks;
}

struct task_cost stage_task_cost(const struct stage *stage, int64_t task)
{
    return stage->is_loop ? loop_tasks_cost(&stage->tuples, task)
                          : block_tasks_cost(&stage->blocks, task);
}

double stage_task_seconds(const struct stage *stage, int64_t task)
{
    struct task_cost cost = stage_task_cost(stage, task);
    return SECONDS_PER_FLOP * cost.flops + SECONDS_PER_ELEMENT * cost.elements +
           SECONDS_PER_PRODUCT * (double)(cost.n_products + 1);
}

double stage_parts_elements(const struct stage *stage)
{
    return stage->is_loop ? (double)stage->tuples.n * stage->tuples.body.loop->n_scalars
                          : contraction_parts_elements(&stage->blocks.sums);
}

enum status stage_visit_blocks(const struct stage *stage, int64_t task, contraction_visitor *visit,
                               void *context)
{
    return stage->is_loop ? STATUS_OK : block_tasks_visit(&stage->blocks, task, visit, context);
}

void stage_bind(struct stage *stage, int step, struct tensor *const tensor[N_CONTRACTION_PLACES])
{
    if (stage->is_loop)
        loop_tasks_bind(&stage->tuples, step, tensor);
    else
        contraction_sums_bind(&stage->blocks.sums, step, tensor);
}

void stage_set_fill(struct stage *stage, int local, const struct tile_fill *fill)
{
    stage->tuples.body.fills[local] = *fill;
}

void stage_set_store(struct stage *stage, const struct tuple_store *store)
{
    stage->tuples.store = store;
}

double stage_fraction_run(const struct stage *stage)
{
    return stage->is_loop && stage->tuples.n > 0
               ? (double)stage->tuples.n_left / (double)stage->tuples.n
               : 1;
}

const struct taskpool *stage_pool(const struct stage *stage)
{
    return stage->pool;
}

/* --- the pool --- */

/* Shows the fraction of finished tasks, an earlier run's included. */
static void show_progress(const struct stage *stage)
{
    double run = stage_fraction_run(stage);
    if (log_progress_visible())
        progress_show(1 - run + run * taskpool_progress(stage->pool));
}

static int run_task(int64_t task, void *context)
{
    struct stage *stage = context;
    TRY(stage->worker_status);
    show_progress(stage);
    return stage->is_loop ? loop_tasks_run(&stage->tuples, task)
                          : block_tasks_run(&stage->blocks, task);
}

/* With --sched share process 0 has no tasks. */
static void attend(void *context)
{
    const struct stage *stage = context;
    show_progress(stage);
    if (stage->is_loop)
        tuple_parts_poll(stage->tuples.parts);
}

/* Also the failure of a process without a worker that had no task to fail with. */
static int finish_tasks(void *context)
{
    const struct stage *stage = context;
    darray_complete();
    return stage->worker_status;
}

/* Neighbours in a loop, which read much in common, begin on one process. */
static int owner_of_task(int64_t task, int n_workers, void *context)
{
    const struct stage *stage = context;
    return stage->is_loop ? (int)((double)task / (double)stage->n_in_pool * n_workers)
                          : block_tasks_owner(&stage->blocks, task, n_workers);
}

static double predict_seconds(int64_t task, void *context)
{
    const struct stage *stage = context;
    return stage_task_seconds(stage,
                              stage->is_loop ? tuple_parts_tuple(stage->tuples.parts, task) : task);
}

static enum status create_pool(struct stage *stage, int64_t n_tasks)
{
    struct taskpool_problem problem = {.n_tasks = n_tasks,
                                       .run = run_task,
                                       .computes = true,
                                       .finish = finish_tasks,
                                       .idle = attend,
                                       .owner = owner_of_task,
                                       .cost = predict_seconds,
                                       .context = stage};
    taskpool_destroy(stage->pool);
    stage->pool = NULL;
    stage->ran = false;
    stage->n_in_pool = n_tasks;
    return (enum status)taskpool_create(stage->comm, &problem, &stage->pool_settings, &stage->pool);
}

enum status stage_start(struct stage *stage, const struct taskpool_settings *pool, MPI_Comm comm)
{
    stage->comm = comm;
    stage->pool_settings = *pool;
    TRY(stage->is_loop ? loop_tasks_start(&stage->tuples, comm)
                       : block_tasks_start(&stage->blocks));
    return create_pool(stage, stage_n_tasks(stage));
}

/* The pool is of the tuples that are left. */
static enum status skip_finished(struct stage *stage)
{
    TRY(loop_tasks_find_left(&stage->tuples));
    if (stage->tuples.n_left != stage->n_in_pool)
        TRY(create_pool(stage, stage->tuples.n_left));
    progress_skip(1 - stage_fraction_run(stage));
    return STATUS_OK;
}

static enum status begin_worker(struct stage *stage)
{
    int n_workers;
    MPI_Comm_size(stage->comm, &n_workers);
    struct taskpool *polled = n_workers > 1 ? stage->pool : NULL;
    return stage->is_loop ? loop_tasks_begin(&stage->tuples, &stage->settings, polled)
                          : block_tasks_begin(&stage->blocks, &stage->settings, polled);
}

static enum status run_pool(struct stage *stage)
{
    enum status status = stage->ran ? (enum status)taskpool_restore(stage->pool) : STATUS_OK;
    stage->ran = true;
    if (status == STATUS_OK)
        status = (enum status)taskpool_run(stage->pool);
    if (stage->is_loop)
        loop_tasks_end(&stage->tuples, status);
    else
        block_tasks_end(&stage->blocks, status);
    return status;
}

/* The pool reports to all that a process has no worker: no agreement is needed before the run. */
enum status stage_run(struct stage *stage)
{
    if (stage->is_loop)
        TRY(skip_finished(stage));
    stage->worker_status = begin_worker(stage);
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    enum status status = run_pool(stage);
    wall_time_end(use);
    return status;
}
