/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/plan/predicted_tasks.h"

#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "tce/dense/dense_product.h"
#include "tce/plan/plan_tasks.h"

/* Tasks of a stage whose seconds are added up, at most: of more, one in so many. */
#define MOST_TASKS 20000

/* The product that is timed, C[m][n] += A[m][k] B[k][n], and for how long, s. */
enum { PRODUCT_SIZE = 256 };
#define PRODUCT_S 0.25

/* Use of the tasks of all stages, one after another. */
struct task_walk {
    struct taskpool_history *history; /* to which each task is added, or NULL */
    int rank, n_processes;            /* of the sums of seconds, which they share; 0: no sums */
    int64_t n_tasks;
    struct predicted_seconds seconds; /* of this process's tasks */
};

static enum status walk_tasks(struct task_walk *walk, const struct stage *stage, double *seconds)
{
    int64_t n = stage_n_tasks(stage), stride = 1 + n / MOST_TASKS;
    for (int64_t task = 0; walk->history && task < n; task++)
        TRY(history_add(walk->history, walk->n_tasks + task, stage_task_seconds(stage, task), 0));
    for (int64_t task = walk->rank * stride; walk->n_processes > 0 && task < n;
         task += walk->n_processes * stride)
        *seconds += (double)stride * stage_task_seconds(stage, task);
    walk->n_tasks += n;
    return STATUS_OK;
}

static enum status walk_stages(const struct plan *plan, struct task_walk *walk)
{
    static const struct contraction_settings settings = {0};
    enum status status = STATUS_OK;
    for (int stage = 0; stage < plan->n_stages && status == STATUS_OK; stage++) {
        bool once = stage < plan->first_iterated_stage || stage >= plan->first_final_stage;
        struct plan_tasks tasks;
        status = plan_tasks_init(plan, stage, &settings, &tasks);
        if (status == STATUS_OK && tasks.stage)
            status = walk_tasks(walk, tasks.stage,
                                once ? &walk->seconds.once : &walk->seconds.iteration);
        plan_tasks_fini(&tasks);
    }
    return status;
}

enum status predicted_tasks_count(const struct plan *plan, struct predicted_tasks *tasks)
{
    struct task_walk walk = {0};
    *tasks = (struct predicted_tasks){0};
    for (int step = 0; step < plan->n_steps; step++)
        tasks->flops += plan->steps[step].B.tensor >= 0 ? plan->steps[step].flops : 0;
    for (int loop = 0; loop < plan->program->n_loops; loop++)
        tasks->flops += plan->loops[loop].flops;
    enum status status = walk_stages(plan, &walk);
    tasks->n = walk.n_tasks;
    return status;
}

/* Seconds of an operation of DGEMM. */
static enum status time_operation(double *seconds)
{
    const int64_t n = PRODUCT_SIZE;
    struct block_buffers *buffers;
    struct product_scratch *scratch = NULL;
    TRY(block_buffers_create(&buffers));
    double *blocks = block_buffers_take(buffers, 3 * n * n);
    enum status status = CHECK_MEMORY(blocks, "no memory for a prediction");
    if (status == STATUS_OK)
        status = product_scratch_create(buffers, &scratch);
    if (status != STATUS_OK)
        goto done;
    for (int64_t i = 0; i < 3 * n * n; i++)
        blocks[i] = 1.0 / (double)(1 + i % 101);
    const struct dense_product product = {
        .n = 3,
        .dimension = {{n, {n, n, 0}}, {n, {0, 1, n}}, {n, {1, 0, 1}}},
        .C = blocks,
        .A = blocks + n * n,
        .B = blocks + 2 * n * n,
        .factor = 1};
    double start_s = clock_now_s(), end_s = start_s, n_products = 0;
    for (; end_s < start_s + PRODUCT_S; n_products++) {
        dense_product_run(&product, scratch);
        end_s = clock_now_s();
    }
    *seconds = (end_s - start_s) / n_products / (2.0 * (double)(n * n * n));
done:
    product_scratch_destroy(buffers, scratch);
    block_buffers_give_back(buffers, blocks);
    block_buffers_destroy(buffers);
    return status;
}

enum status predicted_tasks_seconds(const struct plan *plan, MPI_Comm comm,
                                    struct predicted_seconds *seconds)
{
    struct task_walk walk = {0};
    double operation_s;
    MPI_Comm_rank(comm, &walk.rank);
    MPI_Comm_size(comm, &walk.n_processes);
    TRY(status_agree(comm, walk_stages(plan, &walk)));
    TRY(status_agree(comm, time_operation(&operation_s)));
    double speed = operation_s / SECONDS_PER_FLOP / walk.n_processes;
    seconds->iteration = speed * walk.seconds.iteration;
    seconds->once = speed * walk.seconds.once;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_SUM, comm);
    return STATUS_OK;
}

enum status predicted_tasks_write(const struct plan *plan, MPI_Comm comm, const char *path)
{
    struct taskpool_history history = {0};
    struct task_walk walk = {.history = &history};
    int rank;
    MPI_Comm_rank(comm, &rank);
    enum status status = status_agree(comm, rank == 0 ? walk_stages(plan, &walk) : STATUS_OK);
    if (status != STATUS_OK)
        goto done;
    if (rank == 0)
        task_data_remove(path);
    status = profile_write(comm, &history, path);
done:
    history_fini(&history);
    return status;
}
