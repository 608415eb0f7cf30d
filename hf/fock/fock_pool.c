/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_pool.h"

#include "support/base/array.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/gather.h"

#include <stdlib.h>

static enum status add_id(struct id_list *list, int64_t id)
{
    TRY(array_reserve(&list->ids, list->n + 1, &list->capacity, sizeof *list->ids));
    list->ids[list->n++] = id;
    return STATUS_OK;
}

static int run_fock_task(int64_t position, void *context)
{
    struct fock *fock = context;
    bool null;
    TRY(fock->begun);
    TRY(fock_tasks_visit(fock->tasks, position, fock_worker_compute, fock->worker, &null));
    if (fock->observing && !null)
        TRY(add_id(&fock->observed, fock_tasks_id(fock->tasks, position)));
    if (log_progress_visible())
        progress_show(taskpool_progress(fock->pool));
    return STATUS_OK;
}

/* Ends the worker's build; also reports the failure of a process whose worker did not begin and
 * that had no task to fail with. */
static int finish_fock_tasks(void *context)
{
    const struct fock *fock = context;
    fock_accumulator_complete(fock->accumulator);
    return fock->begun;
}

/* Run a task where the F tile is stored that it updates most. */
static int owner_of_task(int64_t position, int n_workers, void *context)
{
    const struct fock *fock = context;
    struct tile_quartet quartet;
    fock_tasks_first_quartet(fock->tasks, position, &quartet);
    int64_t pair = tile_pair_index_unordered(quartet.I, quartet.J);
    return darray_owner(fock->screening->group_bounds, pair) % n_workers;
}

struct cost_sum {
    const struct fock_cost *cost;
    double sum;
};

static enum status add_cost(const struct tile_quartet *quartet, void *context)
{
    struct cost_sum *sum = context;
    sum->sum += fock_cost_of_quartet(sum->cost, quartet);
    return STATUS_OK;
}

static double cost_of_task(int64_t position, void *context)
{
    const struct fock *fock = context;
    struct cost_sum sum = {fock->cost, FOCK_COST_OF_NULL_TASK};
    fock_tasks_visit(fock->tasks, position, add_cost, &sum, NULL);
    return sum.sum;
}

enum status fock_pool_create(struct fock *fock)
{
    struct taskpool_problem problem = {.n_tasks = fock_tasks_n(fock->tasks),
                                       .run = run_fock_task,
                                       .computes = true,
                                       .finish = finish_fock_tasks,
                                       .owner = owner_of_task,
                                       .cost = cost_of_task,
                                       .tasks_keep_data = fock->store != NULL,
                                       .context = fock};
    taskpool_destroy(fock->pool);
    fock->pool = NULL;
    return taskpool_create(fock->comm, &problem, &fock->pool_settings, &fock->pool);
}

/* Keeps only the tasks that any worker observed not to be null. Collective. */
static enum status keep_observed(struct fock *fock)
{
    struct id_list *observed = &fock->observed;
    const struct gather_part part = {.items = observed->ids,
                                     .n_items = observed->n,
                                     .item_size = sizeof *observed->ids,
                                     .what = "non-null tasks for --prune observed"};
    void *ids;
    int64_t n;
    TRY(gather_to_all(fock->comm, &part, &ids, &n));
    qsort(ids, (size_t)n, sizeof *observed->ids, array_ascending);
    fock_tasks_keep(fock->tasks, n, ids);
    free(observed->ids);
    *observed = (struct id_list){0};
    fock->observing = false;
    return fock_pool_create(fock);
}

enum status fock_pool_prepare(struct fock *fock)
{
    if (taskpool_n_iterations(fock->pool) == 0)
        return STATUS_OK;
    if (fock->observing)
        return keep_observed(fock);
    return taskpool_restore(fock->pool);
}
