/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_pool.h"

#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/gather.h"

#include <math.h>
#include <stdlib.h>

static enum status add_id(struct id_list *list, int64_t id)
{
    TRY(array_reserve(&list->ids, list->n + 1, &list->capacity, sizeof *list->ids));
    list->ids[list->n++] = id;
    return STATUS_OK;
}

/* The clocks at the start of a task. */
struct task_clocks {
    double wall_s, thread_s, fill_s;
};

static struct task_clocks read_clocks(const struct fock *fock)
{
    return (struct task_clocks){.wall_s = clock_now_s(),
                                .thread_s = clock_thread_s(),
                                .fill_s = fock_worker_filling(fock->worker).seconds};
}

/* Sets the duration of a task whose integrals are kept to the time in which it had a core, without
 * that in which it filled the store, which is the same fraction for all tasks that did: builds that
 * read integrals are short, and a time slice of another process would look like a reason to move
 * tasks. */
static void set_lasting_duration(struct fock *fock, const struct task_clocks *start)
{
    struct task_clocks now = read_clocks(fock);
    struct kept_times *times = &fock->kept_times;
    double fill_s = now.fill_s - start->fill_s, task_s = now.thread_s - start->thread_s;
    double lasting = 1;
    if (fill_s > 0) {
        times->tasks_wall_s += now.wall_s - start->wall_s;
        times->fill_wall_s += fill_s;
        lasting = fmax(0, 1 - times->fill_wall_s / times->tasks_wall_s);
    }
    times->fill_s += (1 - lasting) * task_s;
    times->run_s += lasting * task_s;
    taskpool_set_duration(fock->pool, lasting * task_s);
}

static int run_fock_task(int64_t position, void *context)
{
    struct fock *fock = context;
    struct task_clocks start = {0};
    bool null;
    TRY(fock->begun);
    if (fock->store)
        start = read_clocks(fock);
    TRY(fock_tasks_visit(fock->tasks, position, fock_worker_compute, fock->worker, &null));
    if (fock->store)
        set_lasting_duration(fock, &start);
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

/* Values of taskpool_problem. */
struct price_of_moves {
    double even_within, move_cost;
};

/* Where integrals are kept that not all processes see: durations of tasks that read differ by some percent
 * from build to build; and before it is measured a task that runs on another node than in the last build, and
 * computes all of its integrals, counts as 7 that read, of which one would be spent anyway. */
static const struct price_of_moves kept_apart = {.even_within = 0.1, .move_cost = 6};
#define LEAST_MOVE_COST 0.01

/* Where all processes read what any of them keeps. The first build of a task that moved takes two to three times as
 * long, as integrals are in another core's cache, or in pages that the process has not touched: a cost of 1 to 2. A
 * tenth of it is charged: with all of it thieves leave tasks that they should take, which loses more in builds of
 * some ms; with none those that moved make their workers look slow. */
static const struct price_of_moves seen_by_all = {.even_within = 0.05, .move_cost = 0.1};

static struct price_of_moves price_of_moves(const struct fock *fock)
{
    if (!fock->store)
        return (struct price_of_moves){0};
    return integral_store_is_seen_by_all(fock->store) ? seen_by_all : kept_apart;
}

enum status fock_pool_create(struct fock *fock)
{
    const struct price_of_moves price = price_of_moves(fock);
    struct taskpool_problem problem = {.n_tasks = fock_tasks_n(fock->tasks),
                                       .run = run_fock_task,
                                       .computes = true,
                                       .finish = finish_fock_tasks,
                                       .owner = owner_of_task,
                                       .cost = cost_of_task,
                                       .even_within = price.even_within,
                                       .move_cost = price.move_cost,
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

struct kept_sums fock_pool_take_kept_sums(struct fock *fock)
{
    const double ns = 1e9;
    struct kept_times *times = &fock->kept_times;
    int64_t n_filled = fock_worker_filling(fock->worker).n_quartets;
    struct kept_sums sums = {.n_filled = n_filled,
                             .fill_ns = (int64_t)(ns * times->fill_s),
                             .n_new = n_filled - times->n_filled,
                             .run_ns = (int64_t)(ns * times->run_s)};
    times->n_filled = n_filled;
    times->run_s = 0;
    return sums;
}

enum status fock_pool_set_move_cost(struct fock *fock, const struct kept_sums *sums, int64_t n_hits)
{
    if (!fock->store || integral_store_is_seen_by_all(fock->store) || sums->n_new > n_hits ||
        sums->run_ns == 0)
        return STATUS_OK;
    double quartet_ns = sums->n_filled > 0 ? (double)sums->fill_ns / (double)sums->n_filled : 0;
    double all_ns = quartet_ns * (double)(n_hits + sums->n_new);
    return taskpool_set_move_cost(fock->pool, fmax(LEAST_MOVE_COST, all_ns / (double)sums->run_ns));
}

enum status fock_pool_prepare(struct fock *fock)
{
    if (taskpool_n_iterations(fock->pool) == 0)
        return STATUS_OK;
    if (fock->observing)
        return keep_observed(fock);
    return taskpool_restore(fock->pool);
}
