#include "hf/fock_build.h"

#include "hf/density_tiles.h"
#include "hf/fock_accumulator.h"
#include "hf/fock_worker.h"
#include "sched/profile.h"
#include "support/agree.h"
#include "support/array.h"
#include "support/clock.h"
#include "support/log.h"

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
    MPI_Comm comm;
    struct fock_tasks *tasks;
    struct taskpool *pool;
    bool observing; /* this build finds the null tasks by running them */
    struct id_list observed;
    struct fock_worker *worker;
    struct fock_accumulator *accumulator;
    int n_spins; /* of the accumulator */
    struct fock_record *records;
    int64_t n_builds, record_capacity;
};

/* The cache budget is shared by what is cached: F takes twice what D does for the
 * same tile, because tasks also write it back. */
static int64_t density_cache_bytes(const struct fock_settings *settings)
{
    return settings->cache_bytes / 4;
}

static int64_t pair_cache_bytes(const struct fock_settings *settings)
{
    return settings->cache_bytes / 4;
}

static int64_t sum_cache_bytes(const struct fock_settings *settings)
{
    return settings->cache_bytes / 2;
}

static enum status remember(struct id_list *list, int64_t id)
{
    TRY(array_reserve(&list->ids, list->n + 1, &list->capacity, sizeof *list->ids));
    list->ids[list->n++] = id;
    return STATUS_OK;
}

static enum status run_task(int64_t task, void *context)
{
    struct fock *fock = context;
    bool null;
    TRY(fock_tasks_visit(fock->tasks, task, fock_worker_compute, fock->worker, &null));
    if (fock->observing && !null)
        TRY(remember(&fock->observed, task));
    if (log_progress_visible())
        log_progress("Fock build", taskpool_progress(fock->pool));
    return STATUS_OK;
}

/* Tasks run best where the tile lives that they add most to. */
static int owner_of_task(int64_t task, int n_workers, void *context)
{
    const struct fock *fock = context;
    struct tile_quartet quartet;
    fock_tasks_first_quartet(fock->tasks, task, &quartet);
    int64_t I = quartet.I >= quartet.J ? quartet.I : quartet.J;
    int64_t J = quartet.I >= quartet.J ? quartet.J : quartet.I;
    return darray_owner(fock->screening->shell_bounds, tile_pair_index(I, J)) % n_workers;
}

static enum status create_pool(struct fock *fock)
{
    struct taskpool_problem problem = {.n_tasks = fock_tasks_n(fock->tasks),
                                       .run = run_task,
                                       .owner = owner_of_task,
                                       .context = fock};
    taskpool_destroy(fock->pool);
    fock->pool = NULL;
    return taskpool_create(fock->comm, &problem, &fock->pool_settings, &fock->pool);
}

enum status fock_create(const struct screening *screening, const struct fock_settings *settings,
                        const struct taskpool_settings *pool_settings, MPI_Comm comm,
                        struct fock **fock)
{
    struct fock *made = calloc(1, sizeof *made);
    *fock = NULL;
    enum status status = made ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for a Fock build");
    if (made) {
        made->screening = screening;
        made->settings = *settings;
        made->pool_settings = *pool_settings;
        made->comm = comm;
        made->observing = settings->prune == FOCK_PRUNE_OBSERVED;
        status = fock_tasks_create(screening, (enum fock_decomposition)settings->decomposition,
                                   (enum fock_symmetry)settings->symmetry,
                                   settings->prune == FOCK_PRUNE_INSPECT, &made->tasks);
        if (status == STATUS_OK)
            status = fock_worker_create(screening, (enum fock_symmetry)settings->symmetry,
                                        pair_cache_bytes(settings), &made->worker);
    }
    status = status_agree(comm, status);
    if (status == STATUS_OK)
        status = create_pool(made);
    if (status != STATUS_OK) {
        fock_destroy(made);
        return status;
    }
    *fock = made;
    return STATUS_OK;
}

void fock_destroy(struct fock *fock)
{
    if (!fock)
        return;
    taskpool_destroy(fock->pool);
    fock_tasks_destroy(fock->tasks);
    fock_worker_destroy(fock->worker);
    fock_accumulator_destroy(fock->accumulator);
    free(fock->observed.ids);
    free(fock->records);
    free(fock);
}

static int ascending(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Puts together what all workers observed: from now on these are the tasks. */
static enum status keep_observed(struct fock *fock)
{
    int size;
    MPI_Comm_size(fock->comm, &size);
    int64_t total = 0;
    MPI_Allreduce(&fock->observed.n, &total, 1, MPI_INT64_T, MPI_SUM, fock->comm);
    int own = (int)fock->observed.n;
    int *counts = malloc((size_t)size * sizeof *counts);
    int *starts = malloc((size_t)size * sizeof *starts);
    int64_t *ids = malloc((size_t)(total + 1) * sizeof *ids);
    enum status status = STATUS_OK;
    if (!counts || !starts || !ids)
        status = FAIL(STATUS_NO_MEMORY, "no memory for %lld task ids", (long long)total);
    else if (total > INT32_MAX)
        status = FAIL(STATUS_LIMIT, "%lld non-null tasks are too many for --prune observed",
                      (long long)total);
    status = status_agree(fock->comm, status);
    if (status == STATUS_OK) {
        MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, fock->comm);
        starts[0] = 0;
        for (int r = 1; r < size; r++)
            starts[r] = starts[r - 1] + counts[r - 1];
        MPI_Allgatherv(fock->observed.ids, own, MPI_INT64_T, ids, counts, starts, MPI_INT64_T,
                       fock->comm);
        qsort(ids, (size_t)total, sizeof *ids, ascending);
        fock_tasks_keep(fock->tasks, total, ids);
        ids = NULL;
        free(fock->observed.ids);
        fock->observed = (struct id_list){0};
        fock->observing = false;
        status = create_pool(fock);
    }
    free(ids);
    free(counts);
    free(starts);
    return status;
}

/* The pool of the next build, seeded from the last one. */
static enum status prepare_pool(struct fock *fock)
{
    if (fock->n_builds == 0)
        return STATUS_OK;
    if (fock->observing)
        return keep_observed(fock);
    return taskpool_restore(fock->pool);
}

static enum status prepare_accumulator(struct fock *fock, int n_spins)
{
    if (fock->accumulator && fock->n_spins == n_spins)
        return STATUS_OK;
    fock_accumulator_destroy(fock->accumulator);
    fock->accumulator = NULL;
    fock->n_spins = n_spins;
    return fock_accumulator_create(fock->screening, n_spins,
                                   fock->settings.accumulate == FOCK_ACCUMULATE_FIXED,
                                   sum_cache_bytes(&fock->settings), &fock->accumulator);
}

static void record_build(struct fock *fock, double seconds)
{
    int64_t last = taskpool_n_iterations(fock->pool) - 1;
    struct fock_record *record = &fock->records[fock->n_builds];
    record->seconds = seconds;
    record->statistics = *taskpool_statistics(fock->pool, last);
    record->statistics.iteration = fock->n_builds++;
}

enum status fock_build(struct fock *fock, int n_spins, const struct darray *const D[],
                       struct darray *const F[])
{
    double start_s = clock_now_s();
    struct density_tiles *density;
    /* Room for the record so early that a lack of memory cannot lose a build. */
    TRY(status_agree(fock->comm, array_reserve(&fock->records, fock->n_builds + 1,
                                               &fock->record_capacity, sizeof *fock->records)));
    TRY(prepare_pool(fock));
    TRY(prepare_accumulator(fock, n_spins));
    TRY(density_tiles_create(fock->screening->tiling, n_spins, D,
                             density_cache_bytes(&fock->settings), &density));
    fock_accumulator_start(fock->accumulator, density);
    enum status status = status_agree(
        fock->comm, fock_worker_begin(fock->worker, n_spins, density, fock->accumulator));
    if (status == STATUS_OK) {
        status = taskpool_run(fock->pool);
        log_progress("Fock build", 1);
    }
    fock_worker_end(fock->worker);
    density_tiles_destroy(density);
    enum status finished = fock_accumulator_finish(fock->accumulator, F);
    TRY(status);
    TRY(finished);
    record_build(fock, clock_now_s() - start_s);
    return STATUS_OK;
}

int64_t fock_n_builds(const struct fock *fock)
{
    return fock->n_builds;
}

const struct fock_record *fock_records(const struct fock *fock)
{
    return fock->records;
}

const struct fock_tasks *fock_tasks_of(const struct fock *fock)
{
    return fock->tasks;
}

static bool task_is_not_null(int64_t task, void *context)
{
    const struct fock *fock = context;
    return !fock_tasks_is_null(fock->tasks, task);
}

enum status fock_write_profile(const struct fock *fock, const char *path)
{
    return profile_write(fock->comm, taskpool_history(fock->pool), task_is_not_null, (void *)fock,
                         path);
}

int64_t fock_bytes(const struct tiling *tiling, const struct fock_settings *settings, int n_spins,
                   int n_processes)
{
    int64_t n = tiling->shells->n_functions, s = tiling->shells->n_shells;
    int64_t m = tiling->max_functions, n_pairs = tiling_n_pairs(tiling);
    int64_t distributed = (n_spins * n * n + s * s) / 2 * 8 / n_processes;
    int64_t tables = n_pairs * 120;
    int64_t buffers = (6 * (n_spins == 1 ? 1 : 3) + 4) * m * m * 8 + (INT64_C(4) << 20);
    return settings->cache_bytes + distributed + tables + buffers;
}
