/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/prediction/sample_run.h"

#include "hf/digestion/density_tiles.h"
#include "hf/digestion/fock_accumulator.h"
#include "hf/fock/fock_worker.h"
#include "hf/fock/integral_store.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>

/* Times for computing the sample, s, each ending with the tile quartet that exceeds it: before
 * anything is measured, so that the first use of code and tables does not count many times over; and
 * measured. */
#define WARM_UP_S 0.1
#define SAMPLE_S  0.4

/* Bytes of integrals that a sample keeps: more than caches hold, so that reading takes as long as
 * from memory. */
#define SAMPLE_KEPT_BYTES 300000000

/* Times of tile quartets. */
struct tile_times {
    double n, sum_s, longest_s;
};

struct sampler {
    const struct screening *screening;
    const struct fock_settings *settings;
    const struct tile_symmetry *symmetry;
    const struct tile_sample *samples;
    int64_t n_samples;
    MPI_Comm comm;
    int n_densities, rank, n_processes;
    struct darray *D[2];
    struct density_tiles *density;
    struct fock_accumulator *accumulator;
    struct fock_worker *worker;
    struct integral_store *store; /* NULL: none is kept */
    int64_t *done; /* numbers of the samples of the first pass, which the others repeat */
    int64_t n_done;
    double direct_s; /* time for the first pass */
};

/* Sets all elements to one. */
static void fill_with_ones(const struct tiling *tiling, struct darray *D)
{
    struct own_tile own = {0};
    while (own_tile_next(tiling, D, &own)) {
        double *elements = darray_local(D, own.pair);
        int64_t n = tile_n_functions(tiling, own.I) * tile_n_functions(tiling, own.J);
        for (int64_t i = 0; i < n; i++)
            elements[i] = 1;
    }
}

static enum status create_density(struct sampler *sampler)
{
    const struct tiling *tiling = sampler->screening->tiling;
    for (int spin = 0; spin < sampler->n_densities; spin++) {
        TRY(tile_matrix_create(tiling, "density of the sample", DARRAY_DOUBLE, &sampler->D[spin]));
        fill_with_ones(tiling, sampler->D[spin]);
    }
    darray_sync();
    int64_t cache_bytes = sampler->settings->cache_bytes / 4;
    struct density_kind kind = density_of_spins(sampler->n_densities);
    TRY(density_tiles_create(tiling, cache_bytes, &sampler->density));
    TRY(density_tiles_set(sampler->density, &kind, (const struct darray *const *)sampler->D));
    return fock_accumulator_create(sampler->screening, sampler->n_densities,
                                   sampler->settings->accumulate == FOCK_ACCUMULATE_FIXED,
                                   cache_bytes, &sampler->accumulator);
}

static int64_t store_bound(const struct fock_settings *settings)
{
    return settings->kept_bytes < SAMPLE_KEPT_BYTES ? settings->kept_bytes : SAMPLE_KEPT_BYTES;
}

static enum status create_sample_worker(struct sampler *sampler)
{
    const struct fock_settings *settings = sampler->settings;
    int64_t kept = store_bound(settings);
    sampler->done = calloc((size_t)sampler->n_samples + 1, sizeof *sampler->done);
    TRY(CHECK_MEMORY(sampler->done, "no memory for a sample of tile quartets"));
    if (kept > 0)
        TRY(integral_store_create(kept, sampler->screening->unit, &sampler->store));
    TRY(fock_worker_create(sampler->screening, (enum screening_rule)settings->screening,
                           (enum fock_symmetry)settings->symmetry, settings->cache_bytes / 4,
                           &sampler->worker));
    fock_worker_use_symmetry(sampler->worker, sampler->symmetry);
    return STATUS_OK;
}

static enum status create_sampler_parts(struct sampler *sampler)
{
    MPI_Comm_rank(sampler->comm, &sampler->rank);
    MPI_Comm_size(sampler->comm, &sampler->n_processes);
    TRY(create_density(sampler));
    return status_agree(sampler->comm, create_sample_worker(sampler));
}

static void fini_sampler(struct sampler *sampler)
{
    fock_worker_destroy(sampler->worker);
    integral_store_destroy(sampler->store);
    fock_accumulator_destroy(sampler->accumulator);
    density_tiles_destroy(sampler->density);
    for (int spin = 0; spin < 2; spin++)
        darray_destroy(sampler->D[spin]);
    free(sampler->done);
}

static bool has_timed(const struct class_costs *costs, int64_t class)
{
    int64_t t = class / costs->n_pair_types, u = class % costs->n_pair_types;
    return costs->of[class].quartets > 0 || costs->of[u * costs->n_pair_types + t].quartets > 0;
}

static enum status run_sample(struct sampler *sampler, int64_t number, struct tile_times *times)
{
    double start_s = clock_now_s();
    TRY(fock_worker_compute(&sampler->samples[number].quartet, sampler->worker));
    double seconds = clock_now_s() - start_s;
    times->n++;
    times->sum_s += seconds;
    times->longest_s = fmax(times->longest_s, seconds);
    return STATUS_OK;
}

/* Every process has samples of its own. */
static enum status run_first_pass(struct sampler *sampler, const struct class_costs *costs,
                                  struct tile_times *times)
{
    sampler->n_done = 0;
    double end_s = clock_now_s() + sampler->direct_s;
    for (int64_t i = sampler->rank; i < sampler->n_samples; i += sampler->n_processes) {
        int64_t class = sampler->samples[i].class;
        if (class >= 0 && has_timed(costs, class))
            continue;
        TRY(run_sample(sampler, i, times));
        sampler->done[sampler->n_done++] = i;
        if (clock_now_s() > end_s)
            break;
    }
    return STATUS_OK;
}

/* Until the store is half full: the next one would perhaps not fit. */
static enum status repeat_first_pass(struct sampler *sampler, enum sample_pass pass,
                                     struct tile_times *times)
{
    int64_t bound = store_bound(sampler->settings);
    for (int64_t i = 0; i < sampler->n_done; i++) {
        TRY(run_sample(sampler, sampler->done[i], times));
        if (pass == SAMPLE_FILL && integral_store_bytes(sampler->store) > bound / 2)
            sampler->n_done = i + 1;
    }
    return STATUS_OK;
}

/* The samples of one pass, as a build. Collective. */
static enum status run_pass(struct sampler *sampler, enum sample_pass pass,
                            struct class_costs *costs, struct tile_times *times)
{
    fock_accumulator_start(sampler->accumulator, sampler->density);
    fock_worker_keep(sampler->worker, pass == SAMPLE_DIRECT ? NULL : sampler->store);
    fock_worker_count_costs(sampler->worker, costs);
    double cutoff = screening_least_cutoff(sampler->screening->threshold);
    enum status status = fock_worker_begin(sampler->worker, &sampler->density->kind,
                                           sampler->symmetry ? sampler->symmetry->group->order : 1,
                                           cutoff, sampler->density, sampler->accumulator);
    darray_sync();
    if (status == STATUS_OK)
        status = pass == SAMPLE_DIRECT ? run_first_pass(sampler, costs, times)
                                       : repeat_first_pass(sampler, pass, times);
    fock_accumulator_complete(sampler->accumulator);
    fock_worker_end(sampler->worker);
    TRY(darray_sync_and_agree(status));
    MPI_Allreduce(MPI_IN_PLACE, costs->of, (int)costs->n_numbers, MPI_DOUBLE, MPI_SUM,
                  sampler->comm);
    MPI_Allreduce(MPI_IN_PLACE, &times->n, 1, MPI_DOUBLE, MPI_SUM, sampler->comm);
    MPI_Allreduce(MPI_IN_PLACE, &times->sum_s, 1, MPI_DOUBLE, MPI_SUM, sampler->comm);
    MPI_Allreduce(MPI_IN_PLACE, &times->longest_s, 1, MPI_DOUBLE, MPI_MAX, sampler->comm);
    return STATUS_OK;
}

/* Its costs are forgotten. Collective. */
static enum status warm_up(struct sampler *sampler, struct class_costs *costs)
{
    struct tile_times times = {0};
    sampler->direct_s = WARM_UP_S;
    TRY(run_pass(sampler, SAMPLE_DIRECT, costs, &times));
    class_costs_clear(costs);
    sampler->direct_s = SAMPLE_S;
    return STATUS_OK;
}

/* Time that the classes do not account for: views, sums of F, shell pairs. */
static double seconds_of_tiles(const struct tile_times *times, const struct class_costs *costs)
{
    double rest_s = times->sum_s;
    for (int i = 0; i < costs->n_pair_types * costs->n_pair_types; i++)
        rest_s -= costs->of[i].selection_s + costs->of[i].integral_s + costs->of[i].digestion_s;
    return fmax(rest_s, 0) / fmax(times->n, 1);
}

static enum status run_passes(struct sampler *sampler, struct sample_costs *result)
{
    const struct shells *shells = sampler->screening->tiling->shells;
    int n_passes = sampler->store ? SAMPLE_PASSES : 1;
    for (int pass = 0; pass < n_passes; pass++) {
        struct tile_times times = {0};
        TRY(status_agree(sampler->comm, class_costs_create(shells, &result->costs[pass])));
        if (pass == SAMPLE_DIRECT)
            TRY(warm_up(sampler, result->costs[pass]));
        TRY(run_pass(sampler, (enum sample_pass)pass, result->costs[pass], &times));
        result->longest_s[pass] = times.longest_s;
        result->tiles_s[pass] = seconds_of_tiles(&times, result->costs[pass]);
    }
    return STATUS_OK;
}

enum status sample_run(const struct predicted_build *build, const struct tile_sample *samples,
                       int64_t n_samples, struct sample_costs *result)
{
    struct sampler sampler = {.screening = build->screening,
                              .settings = build->settings,
                              .symmetry = build->symmetry,
                              .samples = samples,
                              .n_samples = n_samples,
                              .comm = build->comm,
                              .n_densities = build->n_densities};
    *result = (struct sample_costs){0};
    enum status status = create_sampler_parts(&sampler);
    if (status == STATUS_OK)
        status = run_passes(&sampler, result);
    fini_sampler(&sampler);
    return status;
}

void sample_costs_fini(struct sample_costs *result)
{
    for (int pass = 0; pass < SAMPLE_PASSES; pass++)
        class_costs_destroy(result->costs[pass]);
}
