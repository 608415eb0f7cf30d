/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/fock_worker.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/quartets/quartet_batches.h"
#include "hf/digestion/fock_digest.h"
#include "hf/digestion/fock_rows.h"
#include "hf/digestion/quartet_orbits.h"
#include "support/arrays/item_cache.h"
#include "support/base/clock.h"
#include "support/mpi/wall_time.h"

#include <assert.h>
#include <stdlib.h>

/* Least time between two interruptions: reading the clock after each batch, and the
 * interruptions themselves, then cost far below a percent. */
#define INTERRUPT_S 100e-6

enum orbit_set { ORBITS_OF_COMMUTING, ORBITS_OF_ALL, N_ORBIT_SETS };

struct fock_worker {
    const struct screening *screening;
    enum screening_rule rule;
    enum fock_symmetry symmetry;
    struct quartet_batches *batches;
    struct item_cache *pairs;          /* item I * n_tiles + J: struct shell_pairs */
    struct fock_tiles *tiles;          /* borrowed */
    const struct quartet_views *views; /* of the tile quartet being computed */
    struct fock_digest *digest;        /* of the build */
    struct row_matrices *rows;         /* of the build; NULL: no rows are used */
    bool same_tile_pair;               /* bra and ket of the tile quartet being computed */
    double cutoff;                     /* of the build: quartet_is_significant */
    double *exchange_weights;          /* scratch: of the groups of tiles K and L with one bra */
    struct fock_counts counts;         /* of the build */
    struct integral_store *store;      /* borrowed, or NULL */
    bool reading;                      /* the store had the tile quartet being computed */
    const struct tile_symmetry *symmetry_of_molecule; /* NULL: every quartet is computed */
    struct quartet_orbits *orbits_of[N_ORBIT_SETS];
    int n_operations;              /* of the build */
    struct quartet_orbits *orbits; /* of the build, or NULL */

    void (*interrupt)(void *context); /* or NULL */
    void *interrupt_context;
    double interrupted_s; /* when it was last called */

    struct class_costs *costs; /* borrowed, or NULL */
};

/* The shell pairs of tiles (I, J). Under full symmetry the pairs of a diagonal
 * tile are each listed once. */
static enum status load_pairs(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct fock_worker *worker = context;
    const struct screening *screening = worker->screening;
    const struct tiling *tiling = screening->tiling;
    int64_t I = number / tiling->n_tiles, J = number % tiling->n_tiles;
    int64_t n_I = tile_n_groups(tiling, I), n_J = tile_n_groups(tiling, J);
    double *stored = malloc((size_t)(2 * n_I * n_J) * sizeof(double));
    TRY(CHECK_MEMORY(stored, "no memory for the bounds of a tile"));
    double *bounds = stored + n_I * n_J;
    struct shell_pairs *pairs;
    darray_get(screening->group_bounds, tile_pair_index_unordered(I, J), stored);
    enum wall_use use = wall_time_begin(WALL_INTEGRALS);
    for (int64_t i = 0; i < n_I; i++)
        for (int64_t j = 0; j < n_J; j++)
            bounds[i * n_J + j] = I >= J ? stored[i * n_J + j] : stored[j * n_I + i];
    bool triangle = I == J && worker->symmetry == FOCK_SYMMETRY_FULL;
    struct shell_rectangle rectangle = tile_rectangle(tiling, I, J, triangle);
    enum status status = shell_pairs_create(tiling->shells, &rectangle, bounds,
                                            screening->threshold / screening->max_bound, &pairs);
    wall_time_end(use);
    free(stored);
    TRY(status);
    *item = pairs;
    *bytes = pairs->bytes;
    return STATUS_OK;
}

static void unload_pairs(int64_t number, void *item, void *context)
{
    (void)number;
    (void)context;
    shell_pairs_destroy(item);
}

static int64_t bytes_of_weights(const struct tiling *tiling)
{
    return 2 * tiling->max_groups * (int64_t)sizeof(double);
}

static enum status create_worker_parts(struct fock_worker *worker, int64_t cache_bytes)
{
    const struct screening *screening = worker->screening;
    const struct tiling *tiling = screening->tiling;
    const struct item_cache_source source = {load_pairs, unload_pairs, worker};
    worker->exchange_weights = malloc((size_t)bytes_of_weights(tiling));
    TRY(CHECK_MEMORY(worker->exchange_weights, "no memory for a worker of the Fock build"));
    TRY(quartet_batches_create(tiling->shells, screening->threshold, screening->engines,
                               &worker->batches));
    return item_cache_create(tiling->n_tiles * tiling->n_tiles, cache_bytes / CACHE_PART_OF_PAIRS,
                             &source, &worker->pairs);
}

enum status fock_worker_create(const struct screening *screening, enum screening_rule rule,
                               enum fock_symmetry symmetry, int64_t cache_bytes,
                               struct fock_tiles *tiles, struct fock_worker **worker)
{
    struct fock_worker *made = *worker = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for a worker of the Fock build"));
    made->screening = screening;
    made->rule = rule;
    made->symmetry = symmetry;
    made->tiles = tiles;
    return create_worker_parts(made, cache_bytes);
}

int64_t fock_worker_bytes(const struct tiling *tiling, const struct density_kind *kind)
{
    return (int64_t)sizeof(struct fock_worker) + bytes_of_weights(tiling) +
           quartet_batches_bytes(tiling->shells) + fock_digest_bytes(tiling, kind->n_matrices) +
           row_matrices_bytes(tiling, kind->n_matrices) +
           item_cache_bytes(tiling->n_tiles * tiling->n_tiles) +
           N_ORBIT_SETS * quartet_orbits_bytes(tiling);
}

static void destroy_orbits(struct fock_worker *worker)
{
    for (int set = 0; set < N_ORBIT_SETS; set++) {
        quartet_orbits_destroy(worker->orbits_of[set]);
        worker->orbits_of[set] = NULL;
    }
}

void fock_worker_destroy(struct fock_worker *worker)
{
    if (!worker)
        return;
    item_cache_destroy(worker->pairs);
    quartet_batches_destroy(worker->batches);
    fock_worker_end(worker);
    destroy_orbits(worker);
    free(worker->exchange_weights);
    free(worker);
}

void fock_worker_interrupt(struct fock_worker *worker, void (*function)(void *context),
                           void *context)
{
    worker->interrupt = function;
    worker->interrupt_context = context;
}

void fock_worker_count_costs(struct fock_worker *worker, struct class_costs *costs)
{
    worker->costs = costs;
}

void fock_worker_keep(struct fock_worker *worker, struct integral_store *store)
{
    worker->store = store;
}

void fock_worker_use_symmetry(struct fock_worker *worker, const struct tile_symmetry *symmetry)
{
    assert(!symmetry || worker->symmetry == FOCK_SYMMETRY_FULL);
    destroy_orbits(worker);
    worker->symmetry_of_molecule = symmetry;
}

/* Chooses the orbits of a build, and creates them in the first one. */
static enum status begin_orbits(struct fock_worker *worker, int n_operations)
{
    worker->n_operations = n_operations;
    worker->orbits = NULL;
    if (n_operations == 1)
        return STATUS_OK;
    const struct tile_symmetry *symmetry = worker->symmetry_of_molecule;
    bool all = n_operations == symmetry->group->order;
    struct quartet_orbits **orbits = &worker->orbits_of[all ? ORBITS_OF_ALL : ORBITS_OF_COMMUTING];
    if (!*orbits)
        TRY(quartet_orbits_create(symmetry, n_operations, orbits));
    worker->orbits = *orbits;
    return STATUS_OK;
}

enum status fock_worker_begin(struct fock_worker *worker, const struct density_kind *kind,
                              int n_operations, double cutoff)
{
    const struct tiling *tiling = worker->screening->tiling;
    TRY(begin_orbits(worker, n_operations));
    worker->cutoff = cutoff;
    worker->counts = (struct fock_counts){0};
    if (worker->symmetry == FOCK_SYMMETRY_FULL && !worker->orbits)
        TRY(row_matrices_create(tiling, kind->n_matrices, &worker->rows));
    return fock_digest_create(tiling, kind->n_matrices, &worker->digest);
}

void fock_worker_end(struct fock_worker *worker)
{
    fock_digest_destroy(worker->digest);
    row_matrices_destroy(worker->rows);
    worker->digest = NULL;
    worker->rows = NULL;
}

struct fock_counts fock_worker_counts(const struct fock_worker *worker)
{
    return worker->counts;
}

static void interrupt_task_at(struct fock_worker *worker, double now_s)
{
    if (!worker->interrupt || now_s - worker->interrupted_s < INTERRUPT_S)
        return;
    worker->interrupted_s = now_s;
    worker->interrupt(worker->interrupt_context);
}

static void interrupt_task(void *context)
{
    interrupt_task_at(context, clock_now_s());
}

/* Products of functions of a pair, mn and nm being one. */
static int64_t count_unique_products(const struct pair_class *class, const struct shell_pair *pair)
{
    int n = class->n_first;
    return pair->first == pair->second ? n * (n + 1) / 2 : n * class->n_second;
}

static int64_t count_integrals(const struct quartet_batch *batch, enum fock_symmetry symmetry)
{
    int64_t n = quartet_n_integrals(batch->bra, batch->ket), sum = 0;
    bool alike = batch->bra == batch->ket || batch->bra->has_squares || batch->ket->has_squares;
    if (n == 1 || !alike || symmetry == FOCK_SYMMETRY_NONE)
        return n * batch->n_quartets;
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        const struct shell_pair *bra = &batch->bra->pairs[batch->quartets[i].bra];
        const struct shell_pair *ket = &batch->ket->pairs[batch->quartets[i].ket];
        int64_t n_bra = count_unique_products(batch->bra, bra);
        int64_t n_ket = count_unique_products(batch->ket, ket);
        sum += bra == ket ? n_bra * (n_bra + 1) / 2 : n_bra * n_ket;
    }
    return sum;
}

/* Adds a batch to F. */
static void digest_quartets(const struct computed_batch *batch, void *context)
{
    struct fock_worker *worker = context;
    struct digest_batch digest = {.quartets = &batch->quartets,
                                  .bra_role = batch->exchanged ? 2 : 0,
                                  .ket_role = batch->exchanged ? 0 : 2,
                                  .integrals = batch->integrals,
                                  .same_tile_pair = worker->same_tile_pair,
                                  .orbits = worker->orbits};
    double start_s = batch->cost ? clock_now_s() : 0;
    enum wall_use use = wall_time_begin(WALL_DIGESTION);
    if (worker->symmetry == FOCK_SYMMETRY_FULL)
        fock_digest_symmetric(worker->digest, worker->views, &digest);
    else
        fock_digest_ordered(worker->views, &digest);
    int64_t n_integrals = count_integrals(&batch->quartets, worker->symmetry);
    worker->counts.integrals += n_integrals;
    worker->counts.integrals_read += worker->reading ? n_integrals : 0;
    double now_s = wall_time_end_now_s(use);
    if (batch->cost) {
        batch->cost->digestion_s += now_s - start_s;
        batch->cost->integrals += (double)n_integrals;
    }
    interrupt_task_at(worker, now_s);
}

/* Weights of blocks (screening.h) of the groups x and y of tiles K and L, for one bra: exchange[0][x] and
 * exchange[1][y] are the larger ones of its two groups. */
struct ket_weights {
    double most;            /* none is larger */
    int64_t first_group[2]; /* of the tiles */
    const double *coulomb;
    int64_t stride[2];
    double *exchange[2];
};

/* The groups of a pair within tiles that begin with these groups. */
static inline void find_groups(const struct shell_pair *pair, const int64_t first_group[2],
                               int64_t group[2])
{
    group[0] = (pair->swapped ? pair->second : pair->first) - first_group[0];
    group[1] = (pair->swapped ? pair->first : pair->second) - first_group[1];
}

/* bra: the groups of the bra */
static struct ket_weights find_ket_weights(const struct fock_worker *worker, const int64_t bra[2])
{
    const struct quartet_views *views = worker->views;
    const struct tiling *tiling = worker->screening->tiling;
    const struct tile_view *coulomb = &views->view[2][3];
    struct ket_weights weights = {.most = coulomb->D->most_coulomb_weight,
                                  .coulomb = coulomb->D->coulomb_weight,
                                  .stride = {coulomb->group_stride[0], coulomb->group_stride[1]}};
    for (int side = 0; side < 2; side++) {
        int role = 2 + side;
        int64_t n = tile_n_groups(tiling, views->tile[role]);
        const struct tile_view *a = &views->view[0][role], *b = &views->view[1][role];
        const double *row_a = a->D->exchange_weight + bra[0] * a->group_stride[0];
        const double *row_b = b->D->exchange_weight + bra[1] * b->group_stride[0];
        double *larger = worker->exchange_weights + side * tiling->max_groups;
        for (int64_t x = 0; x < n; x++) {
            double of_a = row_a[x * a->group_stride[1]], of_b = row_b[x * b->group_stride[1]];
            larger[x] = of_a > of_b ? of_a : of_b;
            weights.most = larger[x] > weights.most ? larger[x] : weights.most;
        }
        weights.exchange[side] = larger;
        weights.first_group[side] = tiling->first_group[views->tile[role]];
    }
    return weights;
}

/* Selects the kets whose quartet with the bra can change an element of F by the cutoff or more
 * (quartet_is_significant). The weight of the bra alone makes the first ones significant, and the largest
 * weight of any block none of the last ones. */
static int32_t select_significant(const struct shell_pair *bra, const struct shell_pair *kets,
                                  const int16_t *positions, int32_t n_candidates, int16_t *selected,
                                  void *context)
{
    const struct fock_worker *worker = context;
    const struct quartet_views *views = worker->views;
    const struct tile_view *view = &views->view[0][1];
    const struct tiling *tiling = worker->screening->tiling;
    double threshold = worker->screening->threshold, cutoff = worker->cutoff;
    int64_t group[2],
        first_group[2] = {tiling->first_group[views->tile[0]], tiling->first_group[views->tile[1]]};
    find_groups(bra, first_group, group);
    double bra_weight =
        view->D
            ->coulomb_weight[group[0] * view->group_stride[0] + group[1] * view->group_stride[1]];
    int32_t i = 0, n;
    for (; i < n_candidates; i++) {
        double bound = bra->bound * kets[positions ? positions[i] : i].bound;
        if (!quartet_is_significant(bound, bra_weight, 0, threshold, cutoff))
            break;
        selected[i] = (int16_t)i;
    }
    n = i;
    if (i == n_candidates)
        return n;
    struct ket_weights weights = find_ket_weights(worker, group);
    double most = bra_weight > weights.most ? bra_weight : weights.most;
    for (; i < n_candidates; i++) {
        const struct shell_pair *ket = &kets[positions ? positions[i] : i];
        double bound = bra->bound * ket->bound;
        if (bound * most < cutoff)
            break;
        find_groups(ket, weights.first_group, group);
        double coulomb =
            weights.coulomb[group[0] * weights.stride[0] + group[1] * weights.stride[1]];
        double of_c = weights.exchange[0][group[0]], of_d = weights.exchange[1][group[1]];
        selected[n] = (int16_t)i;
        n += quartet_is_significant(bound, coulomb > bra_weight ? coulomb : bra_weight,
                                    of_c > of_d ? of_c : of_d, threshold, cutoff);
    }
    return n;
}

static int32_t select_representatives(int32_t bra, int32_t first_ket, int32_t n_kets,
                                      int16_t *positions, void *context)
{
    const struct fock_worker *worker = context;
    return quartet_orbits_select(worker->orbits, bra, first_ket, n_kets, positions);
}

static void compute_rows(const struct rows_of_classes *rows, void *context)
{
    struct fock_worker *worker = context;
    struct fock_rows_task task = {.rows = rows,
                                  .threshold = worker->screening->threshold,
                                  .cutoff = worker->cutoff,
                                  .rule = worker->rule};
    worker->counts.integrals +=
        fock_rows_compute(worker->rows, worker->views, &task, interrupt_task, worker);
}

static void interrupt_after_batch(const struct computed_batch *batch, void *context)
{
    (void)batch;
    interrupt_task(context);
}

/* Computes and keeps all integrals of a tile quartet that the store does not have, also those that the
 * density leaves out: builds with the least cutoff, a hundredth of the threshold, need nearly all of
 * them. NULL: no integrals, or no room. */
static struct kept_quartets *add_kept(struct fock_worker *worker,
                                      const struct tile_quartet *quartet,
                                      const struct quartet_source *source)
{
    if (integral_store_is_full(worker->store)) {
        worker->counts.misses += quartet_batches_may_keep(worker->batches, source);
        return NULL;
    }
    struct kept_size size = quartet_batches_kept_size(worker->batches, source);
    if (kept_quartets_bytes(&size) == 0)
        return NULL;
    worker->counts.misses++;
    struct quartet_source all = *source;
    all.kept = integral_store_reserve(worker->store, quartet, worker->n_operations, &size);
    if (!all.kept)
        return NULL;
    all.use = interrupt_after_batch;
    quartet_batches_fill(worker->batches, &all);
    integral_store_commit(worker->store);
    return all.kept;
}

/* The kept integrals of the quartet; NULL: none. */
static struct kept_quartets *find_kept(struct fock_worker *worker,
                                       const struct tile_quartet *quartet,
                                       const struct quartet_source *source)
{
    worker->reading = false;
    if (!worker->store)
        return NULL;
    struct kept_quartets *kept = integral_store_find(worker->store, quartet, worker->n_operations);
    if (!kept)
        return add_kept(worker, quartet, source);
    worker->counts.hits++;
    worker->reading = true;
    return kept;
}

static void compute_pairs(struct fock_worker *worker, const struct tile_quartet *quartet,
                          const struct shell_pairs *bra, const struct shell_pairs *ket)
{
    /* Under symmetry two pairs of one tile pair are a quartet once. */
    worker->same_tile_pair = bra == ket;
    bool by_density = worker->rule == SCREENING_DENSITY;
    struct quartet_source source = {.bra = bra,
                                    .ket = ket,
                                    .unique = bra == ket && worker->symmetry == FOCK_SYMMETRY_FULL,
                                    .select = by_density ? select_significant : NULL,
                                    .represent = worker->orbits ? select_representatives : NULL,
                                    .use_rows = worker->rows ? compute_rows : NULL,
                                    .use = digest_quartets,
                                    .context = worker,
                                    .costs = worker->costs,
                                    .unit = worker->screening->unit};
    source.kept = find_kept(worker, quartet, &source);
    quartet_batches_compute(worker->batches, &source);
}

static enum status compute_tile_quartet(struct fock_worker *worker,
                                        const struct tile_quartet *quartet,
                                        const struct shell_pairs *bra,
                                        const struct shell_pairs *ket)
{
    if (worker->orbits) {
        TRY(quartet_orbits_begin(worker->orbits, quartet, bra, ket));
        if (!quartet_orbits_may_have(worker->orbits))
            return STATUS_OK;
    }
    TRY(fock_tiles_begin_quartet(worker->tiles, quartet, &worker->views));
    fock_digest_begin(worker->digest, bra, ket);
    enum wall_use use = wall_time_begin(WALL_INTEGRALS);
    compute_pairs(worker, quartet, bra, ket);
    wall_time_begin(WALL_DIGESTION);
    fock_digest_end(worker->digest, worker->views);
    wall_time_end(use);
    return fock_tiles_end_quartet(worker->tiles);
}

enum status fock_worker_compute(const struct tile_quartet *quartet, void *context)
{
    struct fock_worker *worker = context;
    int64_t n_tiles = worker->screening->tiling->n_tiles;
    int64_t bra_number = quartet->I * n_tiles + quartet->J;
    int64_t ket_number = quartet->K * n_tiles + quartet->L;
    void *bra, *ket;
    TRY(item_cache_pin(worker->pairs, bra_number, &bra));
    enum status status = item_cache_pin(worker->pairs, ket_number, &ket);
    if (status != STATUS_OK)
        goto done;
    status = compute_tile_quartet(worker, quartet, bra, ket);
    item_cache_release(worker->pairs, ket_number);
done:
    item_cache_release(worker->pairs, bra_number);
    return status;
}
