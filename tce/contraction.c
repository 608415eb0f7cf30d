#include "tce/contraction.h"

#include "support/agree.h"
#include "support/log.h"
#include "tce/contraction_tasks.h"
#include "tce/contraction_worker.h"

#include <stdlib.h>
#include <string.h>

/* What the pool balances beforehand: seconds on a processor of the day. Only ratios count. */
#define SECONDS_PER_FLOP    2e-11
#define SECONDS_PER_BYTE    2e-10
#define SECONDS_PER_PRODUCT 1e-6

struct contraction {
    struct contraction_problem problem;
    struct contraction_settings settings;
    struct contraction_tasks tasks;
    MPI_Comm comm;
    struct taskpool *pool;
    bool ran;                          /* this pool, before */
    struct block_buffers *own_buffers; /* NULL if the settings have some */
    struct contraction_worker *worker; /* during a run */
    enum status worker_status;         /* why there is none */
};

enum status contraction_create(const struct contraction_problem *problem,
                               const struct contraction_settings *settings,
                               struct contraction **contraction)
{
    struct contraction *made = calloc(1, sizeof *made);
    *contraction = NULL;
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for a contraction");
    made->problem = *problem;
    made->settings = *settings;
    enum status status = contraction_tasks_init(&made->problem, &made->tasks);
    if (status == STATUS_OK && !settings->buffers) {
        status = block_buffers_create(&made->own_buffers);
        made->settings.buffers = made->own_buffers;
    }
    if (status != STATUS_OK) {
        contraction_destroy(made);
        return status;
    }
    *contraction = made;
    return STATUS_OK;
}

void contraction_destroy(struct contraction *contraction)
{
    if (!contraction)
        return;
    taskpool_destroy(contraction->pool);
    contraction_tasks_fini(&contraction->tasks);
    block_buffers_destroy(contraction->own_buffers);
    free(contraction);
}

int64_t contraction_n_tasks(const struct contraction *contraction)
{
    return contraction_tasks_n(&contraction->tasks);
}

struct contraction_cost contraction_task_cost(const struct contraction *contraction, int64_t task)
{
    const struct contraction_tasks *tasks = &contraction->tasks;
    const struct contraction_indices *indices = &tasks->indices;
    struct contraction_cost cost = {0};
    double elements = 0;
    struct pair_walk walk;
    pair_walk_begin(tasks, task, &walk);
    while (pair_walk_next(&walk)) {
        const int32_t *tile = walk.pair.tile;
        cost.n_products++;
        elements += (double)contraction_tasks_extent(tasks, &indices->A.own, tile);
        if (!contraction->problem.has_B)
            continue;
        elements += (double)contraction_tasks_extent(tasks, &indices->B.own, tile);
        cost.flops += 2 * (double)contraction_tasks_extent(tasks, &indices->C.own, tile) *
                      (double)contraction_tasks_extent(tasks, &indices->group[ROLE_SUMMED], tile);
    }
    int n_C = contraction->problem.add ? 2 : 1;
    elements += n_C * (double)contraction_tasks_extent(tasks, &indices->C.own, walk.pair.tile);
    cost.bytes = elements * sizeof(double);
    return cost;
}

void contraction_packed(const struct contraction *contraction, char packed[4])
{
    const struct contraction_indices *indices = &contraction->tasks.indices;
    const struct matrix_layout *layouts[] = {&indices->C, &indices->A, &indices->B};
    int n = 0;
    for (int i = 0; i < 3; i++)
        if (layouts[i]->packed)
            packed[n++] = "CAB"[i];
    packed[n] = 0;
}

void contraction_bind(struct contraction *contraction, struct tensor *C, struct tensor *A,
                      struct tensor *B)
{
    contraction->problem.C.tensor = C;
    contraction->problem.A.tensor = A;
    contraction->problem.B.tensor = B;
}

static enum status run_task(int64_t task, void *context)
{
    const struct contraction *contraction = context;
    TRY(contraction->worker_status);
    if (log_progress_visible())
        log_progress("Contraction", taskpool_progress(contraction->pool));
    return contraction_worker_run(contraction->worker, task);
}

/* Where tensor.h says that the block is. */
static int owner_of(int64_t task, int n_workers, void *context)
{
    const struct contraction *contraction = context;
    int32_t tile[MAX_INDICES];
    if (contraction->tasks.scalar)
        return (int)(task % n_workers);
    return (int)(contraction_tasks_block(&contraction->tasks, task, tile) % n_workers);
}

double contraction_task_seconds(const struct contraction *contraction, int64_t task)
{
    struct contraction_cost cost = contraction_task_cost(contraction, task);
    return SECONDS_PER_FLOP * cost.flops + SECONDS_PER_BYTE * cost.bytes +
           SECONDS_PER_PRODUCT * (double)(cost.n_products + 1);
}

static double cost_of(int64_t task, void *context)
{
    return contraction_task_seconds(context, task);
}

enum status contraction_start(struct contraction *contraction, const struct taskpool_settings *pool,
                              MPI_Comm comm)
{
    struct taskpool_problem problem = {.n_tasks = contraction_n_tasks(contraction),
                                       .run = run_task,
                                       .owner = owner_of,
                                       .cost = cost_of,
                                       .context = contraction};
    taskpool_destroy(contraction->pool);
    contraction->pool = NULL;
    contraction->comm = comm;
    contraction->ran = false;
    return taskpool_create(comm, &problem, pool, &contraction->pool);
}

/* Messages of other workers are answered within a task too. */
static void poll(void *context)
{
    const struct contraction *contraction = context;
    taskpool_poll(contraction->pool);
}

static enum status run_pool(struct contraction *contraction)
{
    if (contraction->ran)
        TRY(taskpool_restore(contraction->pool));
    contraction->ran = true;
    TRY(taskpool_run(contraction->pool));
    if (!contraction->tasks.scalar)
        return STATUS_OK;
    TRY(status_agree(contraction->comm, contraction->worker_status));
    contraction_worker_reduce(contraction->worker, contraction->comm);
    return STATUS_OK;
}

/* A process that cannot work fails its first task: that the others learn of without being
 * asked before. */
enum status contraction_run(struct contraction *contraction)
{
    contraction->worker_status = contraction_worker_create(
        &contraction->tasks, &contraction->settings, &contraction->worker);
    if (contraction->worker)
        contraction_worker_interrupt(contraction->worker, poll, contraction);
    enum status status = run_pool(contraction);
    log_progress("Contraction", 1);
    darray_sync();
    contraction_worker_destroy(contraction->worker);
    contraction->worker = NULL;
    return status;
}

const struct taskpool *contraction_pool(const struct contraction *contraction)
{
    return contraction->pool;
}
