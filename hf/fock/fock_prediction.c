/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_prediction.h"

#include "hf/digestion/fock_tiles.h"
#include "hf/fock/fock_cost.h"
#include "hf/fock/fock_worker.h"
#include "hf/fock/integral_store.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Seconds of a sample: before anything is measured, so that the first use of code and tables does not
 * count many times over; and measured. */
#define WARM_UP_S 0.1
#define SAMPLE_S  0.4

/* Bytes of integrals that a sample keeps: more than caches hold, so that reading takes as long as
 * from memory. */
#define SAMPLE_KEPT_BYTES 300000000

/* Tile quartets whose costs are added up, at most: of more, one in so many. Draws of a process. */
#define MOST_COSTS 1000000
#define MOST_DRAWS 20000

/* Fraction of the golden ratio: its multiples fill [0, 1) evenly. */
#define GOLDEN 0.6180339887498949

enum pass { DIRECT, FILL, READ };

/* Measurements of a tile quartet, or sums. */
struct measurement {
    double seconds, integrals, bytes;
};

/* A build, from a sample. */
struct estimate {
    double seconds, integrals, bytes;
    double sampled_integrals;
};

struct sampler {
    const struct predicted_build *build;
    int rank, n_processes;
    struct fock_tasks *tasks; /* all tile quartets that are not null */
    struct fock_cost *cost;
    int64_t stride;              /* one in so many is counted */
    int64_t n;                   /* of this process */
    double *weight_before;       /* n + 1 */
    struct measurement *of_tile; /* n; 0 seconds: not run in this pass */
    int64_t n_draws;
    struct darray *D; /* of each spin */
    struct fock_tiles *tiles;
    struct fock_worker *worker;
    struct integral_store *store; /* NULL: none is kept */
};

/* --- costs --- */

/* Processes take turns. */
static void find_quartet(const struct sampler *sampler, int64_t i, struct tile_quartet *quartet)
{
    int64_t number = i * sampler->n_processes + sampler->rank;
    fock_tasks_first_quartet(sampler->tasks, number * sampler->stride, quartet);
}

static enum status create_costs(struct sampler *sampler)
{
    const struct predicted_build *build = sampler->build;
    TRY(fock_tasks_create(build->screening, FOCK_QUARTET,
                          (enum fock_symmetry)build->settings->symmetry, true, &sampler->tasks));
    int64_t n_all = fock_tasks_n(sampler->tasks);
    sampler->stride = 1 + n_all / MOST_COSTS;
    int64_t n_counted = (n_all + sampler->stride - 1) / sampler->stride;
    sampler->n = (n_counted + sampler->n_processes - 1 - sampler->rank) / sampler->n_processes;
    sampler->weight_before = calloc((size_t)sampler->n + 1, sizeof *sampler->weight_before);
    sampler->of_tile = calloc((size_t)sampler->n + 1, sizeof *sampler->of_tile);
    return CHECK_MEMORY(sampler->weight_before && sampler->of_tile, "no memory for a prediction");
}

/* Half the weight of all is even: a cheap tile quartet that happens to take long then does not stand for many. */
static void add_weights(struct sampler *sampler)
{
    double *before = sampler->weight_before;
    for (int64_t i = 0; i < sampler->n; i++) {
        struct tile_quartet quartet;
        find_quartet(sampler, i, &quartet);
        before[i + 1] = before[i] + fock_cost_of_quartet(sampler->cost, &quartet);
    }
    double mean = before[sampler->n] / fmax(1, (double)sampler->n);
    for (int64_t i = 0; i <= sampler->n; i++)
        before[i] += (double)i * mean;
}

static double weight_of(const struct sampler *sampler, int64_t i)
{
    return sampler->weight_before[i + 1] - sampler->weight_before[i];
}

/* Draws a tile quartet in proportion to its weight. */
static int64_t draw_quartet(const struct sampler *sampler, int64_t draw)
{
    int64_t low = 0, high = sampler->n;
    double target = fmod((double)(draw + 1) * GOLDEN, 1) * sampler->weight_before[sampler->n];
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (sampler->weight_before[middle] <= target)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* --- the sample --- */

static void fill_with_ones(const struct tiling *tiling, struct darray *D)
{
    struct own_tile own = {0};
    while (own_tile_next(tiling, D, &own)) {
        double *elements = darray_local(D, own.pair);
        int64_t n = tile_n_functions(tiling, own.I) * tile_n_functions(tiling, own.J);
        for (int64_t i = 0; i < n; i++)
            elements[i] = 1;
    }
    darray_sync();
}

static enum status create_density(struct sampler *sampler)
{
    const struct predicted_build *build = sampler->build;
    const struct tiling *tiling = build->screening->tiling;
    TRY(tile_matrix_create(tiling, "density of the sample", DARRAY_DOUBLE, &sampler->D));
    fill_with_ones(tiling, sampler->D);
    return fock_tiles_create(build->screening, build->settings->accumulate == FOCK_ACCUMULATE_FIXED,
                             build->settings->cache_bytes, &sampler->tiles);
}

static double sample_bound(const struct sampler *sampler)
{
    return fmin((double)sampler->build->settings->kept_bytes, SAMPLE_KEPT_BYTES);
}

static enum status create_sample_worker(struct sampler *sampler)
{
    const struct predicted_build *build = sampler->build;
    int64_t bound = (int64_t)sample_bound(sampler);
    if (bound > 0)
        TRY(integral_store_create(bound, build->screening->unit, &sampler->store));
    TRY(fock_worker_create(build->screening, (enum screening_rule)build->settings->screening,
                           (enum fock_symmetry)build->settings->symmetry,
                           build->settings->cache_bytes, sampler->tiles, &sampler->worker));
    fock_worker_use_symmetry(sampler->worker, build->symmetry);
    return STATUS_OK;
}

static enum status create_sampler(struct sampler *sampler)
{
    const struct predicted_build *build = sampler->build;
    TRY(status_agree(build->comm, create_costs(sampler)));
    TRY(fock_cost_create(build->screening, (enum fock_symmetry)build->settings->symmetry,
                         build->comm, &sampler->cost));
    add_weights(sampler);
    TRY(create_density(sampler));
    return status_agree(build->comm, create_sample_worker(sampler));
}

static void fini_sampler(struct sampler *sampler)
{
    fock_tasks_destroy(sampler->tasks);
    fock_cost_destroy(sampler->cost);
    free(sampler->weight_before);
    free(sampler->of_tile);
    fock_worker_destroy(sampler->worker);
    integral_store_destroy(sampler->store);
    fock_tiles_destroy(sampler->tiles);
    darray_destroy(sampler->D);
}

static struct measurement read_meters(const struct sampler *sampler)
{
    return (struct measurement){
        .seconds = clock_now_s(),
        .integrals = (double)fock_worker_counts(sampler->worker).integrals,
        .bytes = sampler->store ? (double)integral_store_bytes(sampler->store) : 0};
}

static enum status run_quartet(struct sampler *sampler, int64_t i)
{
    struct tile_quartet quartet;
    find_quartet(sampler, i, &quartet);
    struct measurement before = read_meters(sampler);
    TRY(fock_worker_compute(&quartet, sampler->worker));
    struct measurement after = read_meters(sampler);
    sampler->of_tile[i] =
        (struct measurement){after.seconds - before.seconds, after.integrals - before.integrals,
                             after.bytes - before.bytes};
    return STATUS_OK;
}

/* Runs the tile quartets that are drawn, each once, until the time is over or the store half full: the next
 * one would perhaps not fit. sum: over the draws, of measurements for a unit of weight. */
static enum status run_draws(struct sampler *sampler, enum pass pass, double end_s,
                             struct measurement *sum)
{
    int64_t draw = 0;
    bool full = false;
    memset(sampler->of_tile, 0, (size_t)sampler->n * sizeof *sampler->of_tile);
    while (sampler->n > 0 && draw < sampler->n_draws && !full && clock_now_s() < end_s) {
        int64_t i = draw_quartet(sampler, draw++);
        struct measurement *of_tile = &sampler->of_tile[i];
        if (of_tile->seconds == 0)
            TRY(run_quartet(sampler, i));
        sum->seconds += of_tile->seconds / weight_of(sampler, i);
        sum->integrals += of_tile->integrals / weight_of(sampler, i);
        sum->bytes += of_tile->bytes / weight_of(sampler, i);
        full = pass == FILL &&
               (double)integral_store_bytes(sampler->store) > sample_bound(sampler) / 2;
    }
    sampler->n_draws = draw;
    return STATUS_OK;
}

/* Estimates a build from the sum over draws. Collective. */
static void estimate_build(const struct sampler *sampler, const struct measurement *sum,
                           struct estimate *build)
{
    double weight = sampler->weight_before[sampler->n] * (double)sampler->stride;
    double of_draw = weight / fmax(1, (double)sampler->n_draws), longest_s = 0;
    *build = (struct estimate){.seconds = sum->seconds * of_draw / sampler->n_processes,
                               .integrals = sum->integrals * of_draw,
                               .bytes = sum->bytes * of_draw};
    for (int64_t i = 0; i < sampler->n; i++) {
        build->sampled_integrals += sampler->of_tile[i].integrals;
        longest_s = fmax(longest_s, sampler->of_tile[i].seconds);
    }
    MPI_Allreduce(MPI_IN_PLACE, build, sizeof *build / sizeof(double), MPI_DOUBLE, MPI_SUM,
                  sampler->build->comm);
    MPI_Allreduce(MPI_IN_PLACE, &longest_s, 1, MPI_DOUBLE, MPI_MAX, sampler->build->comm);
    build->seconds = fmax(build->seconds, longest_s);
}

/* Runs the sample as a build. Collective. */
static enum status run_pass(struct sampler *sampler, enum pass pass, double duration_s,
                            struct estimate *build)
{
    struct measurement sum = {0};
    struct density_kind kind = density_of_spins(sampler->build->n_densities);
    TRY(fock_tiles_begin(sampler->tiles, &kind,
                         (const struct darray *const[]){sampler->D, sampler->D}));
    fock_worker_keep(sampler->worker, pass == DIRECT ? NULL : sampler->store);
    double cutoff = screening_least_cutoff(sampler->build->screening->threshold);
    const struct tile_symmetry *symmetry = sampler->build->symmetry;
    enum status status =
        fock_worker_begin(sampler->worker, &kind, symmetry ? symmetry->group->order : 1, cutoff);
    darray_sync();
    if (status == STATUS_OK)
        status = run_draws(sampler, pass, clock_now_s() + duration_s, &sum);
    fock_tiles_complete(sampler->tiles);
    fock_worker_end(sampler->worker);
    TRY(darray_sync_and_agree(status));
    estimate_build(sampler, &sum, build);
    return STATUS_OK;
}

/* --- the prediction --- */

/* Predicts builds of an SCF that keeps integrals. */
static enum status predict_kept(struct sampler *sampler, struct fock_prediction *prediction)
{
    struct estimate fill, read;
    TRY(run_pass(sampler, FILL, INFINITY, &fill));
    TRY(run_pass(sampler, READ, INFINITY, &read));
    double room = (double)sampler->build->settings->kept_bytes * sampler->n_processes;
    double kept = fill.bytes > 0 ? fmin(1, room / fill.bytes) : 0;
    kept = kept < FOCK_LEAST_KEPT ? 0 : kept;
    prediction->kept_fraction = kept;
    prediction->first_s = kept * fill.seconds + (1 - kept) * prediction->direct_s;
    prediction->later_s = kept * read.seconds + (1 - kept) * prediction->direct_s;
    return STATUS_OK;
}

static enum status predict_builds(struct sampler *sampler, struct fock_prediction *prediction)
{
    struct estimate direct;
    TRY(create_sampler(sampler));
    double start_s = clock_now_s();
    TRY(run_pass(sampler, DIRECT, WARM_UP_S, &direct));
    sampler->n_draws = MOST_DRAWS;
    TRY(run_pass(sampler, DIRECT, SAMPLE_S, &direct));
    *prediction = (struct fock_prediction){.integrals = direct.integrals,
                                           .sampled_integrals = direct.sampled_integrals,
                                           .direct_s = direct.seconds,
                                           .first_s = direct.seconds,
                                           .later_s = direct.seconds};
    if (sampler->store)
        TRY(predict_kept(sampler, prediction));
    prediction->sample_s = clock_now_s() - start_s;
    return STATUS_OK;
}

enum status fock_predict(const struct predicted_build *build, struct fock_prediction *prediction)
{
    struct sampler sampler = {.build = build, .n_draws = MOST_DRAWS};
    MPI_Comm_rank(build->comm, &sampler.rank);
    MPI_Comm_size(build->comm, &sampler.n_processes);
    enum status status = predict_builds(&sampler, prediction);
    fini_sampler(&sampler);
    return status;
}
