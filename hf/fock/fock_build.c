/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_build.h"

#include "hf/digestion/fock_tiles.h"
#include "hf/fock/fock_cost.h"
#include "hf/fock/fock_parts.h"
#include "hf/fock/fock_worker.h"
#include "hf/fock/integral_store.h"
#include "sched/pool/core/statistics.h"
#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/io/progress.h"
#include "support/mpi/gather.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdlib.h>

/* Ids of the tasks that were not null, as `observed` finds them. */
struct id_list {
    int64_t *ids;
    int64_t n, capacity;
};

struct fock {
    const struct screening *screening;
    struct fock_settings settings;
    struct taskpool_settings pool_settings;
    double cutoff; /* of builds: quartet_is_significant */
    MPI_Comm comm;
    struct fock_tasks *tasks;
    struct fock_cost *cost;
    struct taskpool *pool;
    bool observing; /* this build finds the null tasks by running them */
    struct id_list observed;
    struct integral_store *store;         /* NULL: no integrals are kept */
    bool store_is_chosen;                 /* whether there is to be one */
    const struct tile_symmetry *symmetry; /* of the molecule, or NULL */
    struct fock_parts *parts;             /* of densities under it; NULL without one */
    struct fock_worker *worker;
    enum status begun; /* whether it is ready for the build: the pool reports a failure to all */
    struct fock_tiles *tiles;
    int n_matrices; /* of the last build */
    struct fock_record *records;
    int64_t n_builds, record_capacity;
    struct class_costs *class_costs;     /* of this process; NULL: not measured */
    struct class_costs *class_cost_sums; /* of all processes */
};

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
    fock_tiles_complete(fock->tiles);
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

/* Creates the pool of the object's tasks, instead of the one that there is. Collective. */
static enum status create_pool(struct fock *fock)
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
    return create_pool(fock);
}

/* Prepares the pool for its next run, seeded from the last one. Collective. */
static enum status prepare_pool(struct fock *fock)
{
    if (taskpool_n_iterations(fock->pool) == 0)
        return STATUS_OK;
    if (fock->observing)
        return keep_observed(fock);
    return taskpool_restore(fock->pool);
}

static void poll_pool(void *context)
{
    struct fock *fock = context;
    taskpool_poll(fock->pool);
}

static enum status create_worker(struct fock *fock)
{
    fock_worker_destroy(fock->worker);
    TRY(fock_worker_create(fock->screening, (enum screening_rule)fock->settings.screening,
                           (enum fock_symmetry)fock->settings.symmetry, fock->settings.cache_bytes,
                           fock->tiles, &fock->worker));
    fock_worker_use_symmetry(fock->worker, fock->symmetry);
    fock_worker_keep(fock->worker, fock->store);
    fock_worker_interrupt(fock->worker, poll_pool, fock);
    fock_worker_count_costs(fock->worker, fock->class_costs);
    return STATUS_OK;
}

enum status fock_restart(struct fock *fock, const struct taskpool_settings *pool_settings)
{
    fock->pool_settings = *pool_settings;
    fock->n_builds = 0;
    fock_set_cutoff(fock, 0);
    fock->observing = fock->settings.prune == FOCK_PRUNE_OBSERVED;
    if (fock->observing) {
        fock->observed.n = 0;
        fock_tasks_keep(fock->tasks, 0, NULL);
    }
    if (fock->class_costs)
        class_costs_clear(fock->class_costs);
    fock_forget_integrals(fock);
    TRY(status_agree(fock->comm, create_worker(fock)));
    return create_pool(fock);
}

/* The tasks and their costs, which no build changes. */
static enum status create_tasks(struct fock *fock)
{
    const struct fock_settings *settings = &fock->settings;
    enum fock_symmetry symmetry = (enum fock_symmetry)settings->symmetry;
    enum status status =
        fock_tasks_create(fock->screening, (enum fock_decomposition)settings->decomposition,
                          symmetry, settings->prune == FOCK_PRUNE_INSPECT, &fock->tasks);
    TRY(status_agree(fock->comm, status));
    return fock_cost_create(fock->screening, symmetry, fock->comm, &fock->cost);
}

static enum status create_class_costs(struct fock *fock)
{
    const struct shells *shells = fock->screening->tiling->shells;
    if (!fock->settings.profile_classes)
        return STATUS_OK;
    TRY(status_agree(fock->comm, class_costs_create(shells, &fock->class_costs)));
    return status_agree(fock->comm, class_costs_create(shells, &fock->class_cost_sums));
}

static enum status create_members(struct fock *fock, const struct taskpool_settings *pool_settings)
{
    TRY(create_class_costs(fock));
    TRY(create_tasks(fock));
    TRY(fock_tiles_create(fock->screening, fock->settings.accumulate == FOCK_ACCUMULATE_FIXED,
                          fock->settings.cache_bytes, &fock->tiles));
    return fock_restart(fock, pool_settings);
}

enum status fock_create(const struct screening *screening, const struct fock_settings *settings,
                        const struct taskpool_settings *pool_settings, MPI_Comm comm,
                        struct fock **fock)
{
    struct fock *made = agree_calloc(comm, sizeof *made, "a Fock build");
    *fock = NULL;
    if (!made)
        return STATUS_NO_MEMORY;
    *made = (struct fock){.screening = screening, .settings = *settings, .comm = comm};
    fock_set_cutoff(made, 0);
    enum status status = create_members(made, pool_settings);
    if (status == STATUS_OK)
        *fock = made;
    else
        fock_destroy(made);
    return status;
}

void fock_destroy(struct fock *fock)
{
    if (!fock)
        return;
    taskpool_destroy(fock->pool);
    fock_tasks_destroy(fock->tasks);
    fock_cost_destroy(fock->cost);
    fock_worker_destroy(fock->worker);
    integral_store_destroy(fock->store);
    fock_parts_destroy(fock->parts);
    fock_tiles_destroy(fock->tiles);
    free(fock->observed.ids);
    class_costs_destroy(fock->class_costs);
    class_costs_destroy(fock->class_cost_sums);
    free(fock->records);
    free(fock);
}

/* Grows the array of records before the build, so that a lack of memory cannot lose one. Agrees on
 * the outcome only when the array has to grow: in the same build on all processes. */
static enum status make_room_for_record(struct fock *fock)
{
    if (fock->n_builds < fock->record_capacity)
        return STATUS_OK;
    enum status status =
        status_agree(fock->comm, array_reserve(&fock->records, fock->n_builds + 1,
                                               &fock->record_capacity, sizeof *fock->records));
    if (status != STATUS_OK)
        fock->record_capacity = fock->n_builds;
    return status;
}

/* Adds sums over processes. Collective. */
static void add_counts(struct fock *fock, struct fock_record *record)
{
    struct fock_counts counts = fock_worker_counts(fock->worker);
    struct {
        int64_t integrals, integrals_read, hits, misses, bytes;
    } sums = {counts.integrals, counts.integrals_read, counts.hits, counts.misses,
              fock->store ? integral_store_bytes(fock->store) : 0};
    MPI_Allreduce(MPI_IN_PLACE, &sums, sizeof sums / sizeof(int64_t), MPI_INT64_T, MPI_SUM,
                  fock->comm);
    record->integrals += sums.integrals;
    record->integrals_read += sums.integrals_read;
    record->kept_hits += sums.hits;
    record->kept_misses += sums.misses;
    record->kept_bytes = sums.bytes;
}

/* Runs the pool once for complete matrices D, and adds to the record of the build. */
static enum status build_pass(struct fock *fock, const struct density_kind *kind,
                              const struct darray *const D[], struct darray *const F[])
{
    struct fock_record *record = &fock->records[fock->n_builds];
    TRY(prepare_pool(fock));
    fock->n_matrices = kind->n_matrices;
    TRY(fock_tiles_begin(fock->tiles, kind, D));
    int n_operations = fock->parts ? fock_parts_n_operations(fock->parts) : 1;
    fock->begun = fock_worker_begin(fock->worker, kind, n_operations, fock->cutoff);
    progress_begin("Fock build");
    enum status status = taskpool_run(fock->pool);
    progress_end();
    fock_worker_end(fock->worker);
    enum status finished = fock_tiles_finish(fock->tiles, F);
    TRY(status);
    TRY(finished);
    add_counts(fock, record);
    int64_t last = taskpool_n_iterations(fock->pool) - 1;
    statistics_add(&record->statistics, taskpool_statistics(fock->pool, last));
    return STATUS_OK;
}

static enum status build_passes(struct fock *fock, const struct density_kind *kind,
                                const struct darray *const D[], struct darray *const F[])
{
    const struct darray *input[FOCK_MAX_MATRICES];
    struct density_kind of_pass;
    int n_passes;
    if (!fock->parts)
        return build_pass(fock, kind, D, F);
    TRY(fock_parts_begin(fock->parts, kind, D, &n_passes));
    for (int pass = 0; pass < n_passes; pass++) {
        TRY(fock_parts_input(fock->parts, pass, &of_pass, input));
        TRY(build_pass(fock, &of_pass, input, fock_parts_skeleton(fock->parts)));
        TRY(fock_parts_add(fock->parts, pass, F));
    }
    return STATUS_OK;
}

/* Bytes that a kept integral takes on average, between 2 and 8. */
#define MEAN_KEPT_BYTES 5.0

enum status fock_choose_store(struct fock *fock)
{
    double n_operations = fock->symmetry ? fock->symmetry->group->order : 1;
    struct integral_count count;
    int n_processes;
    if (fock->settings.kept_bytes == 0 || fock->store_is_chosen)
        return STATUS_OK;
    fock->store_is_chosen = true;
    TRY(screening_count_integrals(fock->screening, fock->comm, &count));
    MPI_Comm_size(fock->comm, &n_processes);
    int64_t integrals = fock->settings.symmetry == FOCK_SYMMETRY_FULL ? count.unique : count.all;
    double all_bytes = MEAN_KEPT_BYTES * (double)integrals / n_operations;
    double bound_bytes = (double)fock->settings.kept_bytes * n_processes;
    enum status status = STATUS_OK;
    if (bound_bytes < FOCK_LEAST_KEPT * all_bytes)
        log_print(
            "Integrals  about %.0f MB in all: too many for %.0f MB, computed in every build\n",
            1e-6 * all_bytes, 1e-6 * bound_bytes);
    else
        status =
            integral_store_create(fock->settings.kept_bytes, fock->screening->unit, &fock->store);
    fock_worker_keep(fock->worker, fock->store);
    TRY(status_agree(fock->comm, status));
    /* The new pool knows whether tasks keep data. */
    bool has_observed = fock->observing && taskpool_n_iterations(fock->pool) > 0;
    return has_observed ? keep_observed(fock) : create_pool(fock);
}

static enum status build_and_record(struct fock *fock, const struct density_kind *kind,
                                    const struct darray *const D[], struct darray *const F[])
{
    double start_s = clock_now_s();
    TRY(make_room_for_record(fock));
    struct fock_record *record = &fock->records[fock->n_builds];
    *record = (struct fock_record){.statistics.iteration = fock->n_builds};
    TRY(fock_choose_store(fock));
    TRY(build_passes(fock, kind, D, F));
    record->seconds += clock_now_s() - start_s;
    fock->n_builds++;
    return STATUS_OK;
}

enum status fock_build_several(struct fock *fock, const struct density_kind *kind,
                               const struct darray *const D[], struct darray *const F[])
{
    enum wall_use use = wall_time_begin(WALL_COMMUNICATION);
    enum status status = build_and_record(fock, kind, D, F);
    wall_time_end(use);
    return status;
}

enum status fock_build(struct fock *fock, int n_densities, const struct darray *const D[],
                       struct darray *const F[])
{
    struct density_kind kind = density_of_spins(n_densities);
    return fock_build_several(fock, &kind, D, F);
}

enum status fock_use_symmetry(struct fock *fock, const struct tile_symmetry *symmetry)
{
    fock_worker_keep(fock->worker, NULL);
    integral_store_destroy(fock->store);
    fock->store = NULL;
    fock->store_is_chosen = false; /* by the number of operations */
    fock_parts_destroy(fock->parts);
    fock->parts = NULL;
    fock->symmetry = symmetry;
    fock_worker_use_symmetry(fock->worker, symmetry);
    return symmetry ? fock_parts_create(symmetry, fock_threshold(fock), fock->comm, &fock->parts)
                    : STATUS_OK;
}

void fock_forget_integrals(struct fock *fock)
{
    if (fock->store)
        integral_store_clear(fock->store);
}

int64_t fock_n_builds(const struct fock *fock)
{
    return fock->n_builds;
}

const struct fock_record *fock_records(const struct fock *fock)
{
    return fock->records;
}

double fock_threshold(const struct fock *fock)
{
    return fock->screening->threshold;
}

void fock_set_cutoff(struct fock *fock, double cutoff)
{
    double least = screening_least_cutoff(fock_threshold(fock));
    bool by_density = fock->settings.screening == SCREENING_DENSITY;
    fock->cutoff = by_density ? fmax(cutoff, least) : least;
}

double fock_cutoff(const struct fock *fock)
{
    return fock->cutoff;
}

const struct fock_tasks *fock_tasks_of(const struct fock *fock)
{
    return fock->tasks;
}

const struct class_costs *fock_sum_class_costs(const struct fock *fock)
{
    if (!fock->class_costs)
        return NULL;
    MPI_Allreduce(fock->class_costs->of, fock->class_cost_sums->of,
                  (int)fock->class_costs->n_numbers, MPI_DOUBLE, MPI_SUM, fock->comm);
    return fock->class_cost_sums;
}

enum status fock_timeline(const struct fock *fock, struct json_t **timeline)
{
    return pool_timeline(fock->pool, timeline);
}

struct fock_profile fock_profile(const struct fock *fock)
{
    return (struct fock_profile){.tasks = fock->tasks,
                                 .tiling = fock->screening->tiling,
                                 .n_matrices = fock->n_matrices,
                                 .history = taskpool_history(fock->pool),
                                 .comm = fock->comm};
}

int64_t fock_pool_bytes(const struct tiling *tiling, const struct fock_settings *settings,
                        const struct taskpool_settings *pool_settings, int n_processes)
{
    if (settings->prune == FOCK_PRUNE_INSPECT)
        return 0;
    double n_tasks =
        fock_tasks_count(tiling->n_tiles, (enum fock_decomposition)settings->decomposition,
                         (enum fock_symmetry)settings->symmetry);
    double bytes = (double)taskpool_task_bytes(pool_settings) * n_tasks / n_processes;
    return bytes < 1e18 ? (int64_t)bytes : (int64_t)1e18;
}

/* Bytes of all pairs of groups of shells, in either order. */
static double shell_pairs_bytes(const struct shells *shells)
{
    double bytes = 0;
    for (int64_t a = 0; a < shells->n_groups; a++)
        for (int64_t b = 0; b < shells->n_groups; b++) {
            const struct shell_group *first = &shells->groups[a], *second = &shells->groups[b];
            double n_products = (double)first->n_primitives * second->n_primitives;
            bytes += sizeof(struct shell_pair) +
                     n_products * (double)shell_pair_product_bytes(&shells->types[first->type],
                                                                   &shells->types[second->type]);
        }
    return bytes;
}

double fock_cache_bytes(const struct tiling *tiling, const struct fock_settings *settings)
{
    double n = (double)tiling->shells->n_functions, cache = (double)settings->cache_bytes;
    double matrix = sizeof(double) * n * n;
    return fmin(cache / CACHE_PART_OF_PAIRS, shell_pairs_bytes(tiling->shells)) +
           fmin(cache / CACHE_PART_OF_D, (FOCK_MAX_COULOMB + FOCK_MAX_MATRICES) * matrix) +
           fmin(cache / CACHE_PART_OF_F, FOCK_MAX_MATRICES * matrix);
}

struct memory_need fock_bytes(const struct tiling *tiling, const struct fock_settings *settings,
                              int n_matrices, int n_processes)
{
    struct density_kind kind = {.n_matrices = n_matrices, .n_coulomb = FOCK_MAX_COULOMB};
    struct memory_need need = fock_tiles_bytes(tiling, &kind, n_processes);
    need.own_bytes += (double)(fock_tasks_bytes(tiling, (enum fock_symmetry)settings->symmetry) +
                               fock_cost_bytes(tiling) + fock_worker_bytes(tiling, &kind) +
                               settings->cache_bytes + settings->kept_bytes);
    return need;
}
