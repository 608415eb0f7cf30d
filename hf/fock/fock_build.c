/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_build.h"

#include "hf/fock/fock_pool.h"
#include "sched/pool/core/statistics.h"
#include "sched/pool/pool_timeline.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/io/progress.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdlib.h>

/* The cache budget is divided by these. F gets twice as much as D, because its tiles
 * are also written back. */
enum { DENSITY_PART = 4, PAIR_PART = 4, SUM_PART = 2 };

static void poll_pool(void *context)
{
    struct fock *fock = context;
    taskpool_poll(fock->pool);
}

/* A group of the identity alone leaves all quartets. */
static enum status use_symmetry_in_worker(struct fock *fock)
{
    const struct tile_symmetry *to_D2h = fock->symmetry;
    if (to_D2h && to_D2h->group->order == 1)
        to_D2h = NULL;
    TRY(fock_worker_use_symmetry(fock->worker, FOCK_GROUP_TO_D2H, to_D2h));
    return fock_worker_use_symmetry(fock->worker, FOCK_GROUP_LARGER, fock->larger);
}

static enum status create_worker(struct fock *fock)
{
    fock_worker_destroy(fock->worker);
    TRY(fock_worker_create(fock->screening, (enum screening_rule)fock->settings.screening,
                           (enum fock_symmetry)fock->settings.symmetry,
                           fock->settings.cache_bytes / PAIR_PART, &fock->worker));
    TRY(use_symmetry_in_worker(fock));
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
    return fock_pool_create(fock);
}

/* Sets the parts that no build changes. */
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

static enum status create_store(struct fock *fock)
{
    if (fock->settings.kept_bytes == 0)
        return STATUS_OK;
    return integral_store_create(fock->comm, fock->settings.kept_bytes, fock->screening->unit,
                                 &fock->store);
}

static enum status create_parts(struct fock *fock, const struct taskpool_settings *pool_settings)
{
    TRY(create_class_costs(fock));
    TRY(create_store(fock));
    TRY(create_tasks(fock));
    TRY(density_tiles_create(fock->screening->tiling, fock->settings.cache_bytes / DENSITY_PART,
                             &fock->density));
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
    enum status status = create_parts(made, pool_settings);
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
    density_tiles_destroy(fock->density);
    fock_accumulator_destroy(fock->accumulator);
    free(fock->observed.ids);
    class_costs_destroy(fock->class_costs);
    class_costs_destroy(fock->class_cost_sums);
    free(fock->records);
    free(fock);
}

/* Prepares the sums that all builds of this number of matrices share. */
static enum status prepare_sums(struct fock *fock, int n_matrices)
{
    if (fock->accumulator && fock->n_matrices == n_matrices)
        return STATUS_OK;
    fock_accumulator_destroy(fock->accumulator);
    fock->accumulator = NULL;
    fock->n_matrices = n_matrices;
    return fock_accumulator_create(fock->screening, n_matrices,
                                   fock->settings.accumulate == FOCK_ACCUMULATE_FIXED,
                                   fock->settings.cache_bytes / SUM_PART, &fock->accumulator);
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
    if (fock->store)
        integral_store_begin(fock->store); /* early, so that others find what it keeps */
    TRY(fock_pool_prepare(fock));
    TRY(prepare_sums(fock, kind->n_matrices));
    TRY(density_tiles_set(fock->density, kind, D));
    fock_accumulator_start(fock->accumulator, fock->density);
    bool larger = fock->parts && fock_parts_use_larger(fock->parts);
    fock->begun =
        fock_worker_begin(fock->worker, kind, larger ? FOCK_GROUP_LARGER : FOCK_GROUP_TO_D2H,
                          fock->cutoff, fock->density, fock->accumulator);
    progress_begin("Fock build");
    enum status status = taskpool_run(fock->pool);
    progress_end();
    fock_worker_end(fock->worker);
    enum status finished = fock_accumulator_finish(fock->accumulator, F);
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

static enum status build_and_record(struct fock *fock, const struct density_kind *kind,
                                    const struct darray *const D[], struct darray *const F[])
{
    double start_s = clock_now_s();
    TRY(make_room_for_record(fock));
    struct fock_record *record = &fock->records[fock->n_builds];
    *record = (struct fock_record){.statistics.iteration = fock->n_builds};
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

enum status fock_use_symmetry(struct fock *fock, const struct tile_symmetry *symmetry,
                              const struct tile_symmetry *larger)
{
    fock_forget_integrals(fock);
    fock_parts_destroy(fock->parts);
    fock->parts = NULL;
    fock->symmetry = symmetry;
    fock->larger = larger;
    TRY(status_agree(fock->comm, use_symmetry_in_worker(fock)));
    return symmetry
               ? fock_parts_create(symmetry, larger, fock_threshold(fock), fock->comm, &fock->parts)
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
    return fmin(cache / PAIR_PART, shell_pairs_bytes(tiling->shells)) +
           fmin(cache / DENSITY_PART, (FOCK_MAX_COULOMB + FOCK_MAX_MATRICES) * matrix) +
           fmin(cache / SUM_PART, FOCK_MAX_MATRICES * matrix);
}

struct memory_need fock_bytes(const struct tiling *tiling, const struct fock_settings *settings,
                              int n_matrices, int n_processes)
{
    struct density_kind kind = {.n_matrices = n_matrices, .n_coulomb = FOCK_MAX_COULOMB};
    struct memory_need need = fock_accumulator_bytes(tiling, n_matrices, n_processes);
    need.own_bytes +=
        (double)(fock_tasks_bytes(tiling, (enum fock_symmetry)settings->symmetry) +
                 fock_cost_bytes(tiling) + density_tiles_bytes(tiling) +
                 fock_worker_bytes(tiling, &kind) + settings->cache_bytes + settings->kept_bytes);
    return need;
}
