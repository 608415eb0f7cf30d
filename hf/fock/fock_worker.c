#include "hf/fock/fock_worker.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "hf/fock/fock_digest.h"
#include "hf/fock/quartet_views.h"
#include "support/base/clock.h"
#include "support/base/item_cache.h"

#include <math.h>
#include <stdlib.h>

enum {
    MAX_QUARTETS = 1024,          /* of a batch */
    BATCH_INTEGRALS = 32 * 1024,  /* 256 KiB: within a second-level cache */
    BATCH_PRIMITIVES = 32 * 1024, /* quartets: within a millisecond */
};

/* Between two interruptions; reading the clock after each batch, and what is done
 * meanwhile, is then far below a percent. */
#define INTERRUPT_S 100e-6

struct fock_worker {
    const struct screening *screening;
    enum fock_symmetry symmetry;
    struct two_electron *engine;
    struct item_cache *pairs; /* item I * n_tiles + J: struct shell_pairs */
    struct quartet_views views;
    struct quartet quartets[MAX_QUARTETS];
    double *integrals;
    int64_t integral_capacity;

    void (*interrupt)(void *context); /* or NULL */
    void *interrupt_context;
    double interrupted_s; /* when it was last called */
};

/* The shell pairs of tiles (I, J). Under full symmetry the pairs of a diagonal
 * tile are each listed once. */
static enum status load_pairs(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct fock_worker *worker = context;
    const struct screening *screening = worker->screening;
    const struct tiling *tiling = screening->tiling;
    int64_t I = number / tiling->n_tiles, J = number % tiling->n_tiles;
    int64_t n_I = tile_n_shells(tiling, I), n_J = tile_n_shells(tiling, J);
    double *stored = malloc((size_t)(n_I * n_J) * sizeof(double));
    double *bounds = malloc((size_t)(n_I * n_J) * sizeof(double));
    enum status status = STATUS_OK;
    struct shell_pairs *pairs = NULL;
    if (!stored || !bounds)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the bounds of a tile");
    if (status == STATUS_OK) {
        darray_get(screening->shell_bounds, tile_pair_index_unordered(I, J), stored);
        for (int64_t i = 0; i < n_I; i++)
            for (int64_t j = 0; j < n_J; j++)
                bounds[i * n_J + j] = I >= J ? stored[i * n_J + j] : stored[j * n_I + i];
        bool triangle = I == J && worker->symmetry == FOCK_SYMMETRY_FULL;
        struct shell_rectangle rectangle = tile_rectangle(tiling, I, J, triangle);
        status = shell_pairs_create(tiling->shells, &rectangle, bounds,
                                    screening->threshold / screening->max_bound, &pairs);
    }
    free(stored);
    free(bounds);
    *item = pairs;
    *bytes = pairs ? pairs->bytes : 0;
    return status;
}

static void unload_pairs(int64_t number, void *item, void *context)
{
    (void)number;
    (void)context;
    shell_pairs_destroy(item);
}

enum status fock_worker_create(const struct screening *screening, enum fock_symmetry symmetry,
                               int64_t cache_bytes, struct fock_worker **worker)
{
    const struct shells *shells = screening->tiling->shells;
    struct fock_worker *made = calloc(1, sizeof *made);
    *worker = NULL;
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for a worker of the Fock build");
    made->screening = screening;
    made->symmetry = symmetry;
    int64_t n = n_cartesians(shells->max_l);
    made->integral_capacity = n * n * n * n > BATCH_INTEGRALS ? n * n * n * n : BATCH_INTEGRALS;
    made->integrals = malloc((size_t)made->integral_capacity * sizeof(double));
    enum status status = STATUS_OK;
    if (!made->integrals)
        status = FAIL(STATUS_NO_MEMORY, "no memory for a batch of integrals");
    if (status == STATUS_OK)
        status = two_electron_create(shells, two_electron_cutoff(screening->threshold),
                                     screening->engines, &made->engine);
    if (status == STATUS_OK) {
        struct item_cache_source source = {load_pairs, unload_pairs, made};
        int64_t n_tiles = screening->tiling->n_tiles;
        status = item_cache_create(n_tiles * n_tiles, cache_bytes, &source, &made->pairs);
    }
    if (status != STATUS_OK) {
        fock_worker_destroy(made);
        return status;
    }
    *worker = made;
    return STATUS_OK;
}

void fock_worker_destroy(struct fock_worker *worker)
{
    if (!worker)
        return;
    item_cache_destroy(worker->pairs);
    two_electron_destroy(worker->engine);
    free(worker->integrals);
    free(worker);
}

void fock_worker_interrupt(struct fock_worker *worker, void (*function)(void *context),
                           void *context)
{
    worker->interrupt = function;
    worker->interrupt_context = context;
}

enum status fock_worker_begin(struct fock_worker *worker, int n_spins,
                              struct density_tiles *density, struct fock_accumulator *accumulator)
{
    return quartet_views_init(&worker->views, worker->screening->tiling, density, accumulator,
                              n_spins);
}

void fock_worker_end(struct fock_worker *worker)
{
    quartet_views_fini(&worker->views);
}

/* A bra and a ket class of the quartet's two tile pairs, and the batch that is
 * being filled from them. */
struct class_pair {
    struct quartet_batch batch; /* in the engine's order: lower angular momentum first */
    struct digest_batch digest;
};

static void interrupt(struct fock_worker *worker)
{
    if (!worker->interrupt)
        return;
    double now_s = clock_now_s();
    if (now_s - worker->interrupted_s < INTERRUPT_S)
        return;
    worker->interrupted_s = now_s;
    worker->interrupt(worker->interrupt_context);
}

static void run_batch(struct fock_worker *worker, struct class_pair *classes)
{
    if (classes->batch.n_quartets == 0)
        return;
    two_electron_compute(worker->engine, &classes->batch, worker->integrals);
    if (worker->symmetry == FOCK_SYMMETRY_FULL)
        fock_digest_symmetric(&worker->views, &classes->digest);
    else
        fock_digest_ordered(&worker->views, &classes->digest);
    classes->batch.n_quartets = 0;
    interrupt(worker);
}

/* Weights of one shell pair seen by the other: rows of the views. */
static double exchange_weight(const struct quartet_views *views, int role_a, int64_t a, int role_c,
                              int64_t c)
{
    const struct tile_view *view = &views->view[role_a][role_c];
    return view->D->exchange_weight[view_shell(views, role_a, a) * view->shell_stride[0] +
                                    view_shell(views, role_c, c) * view->shell_stride[1]];
}

static double coulomb_weight(const struct quartet_views *views, const struct shell_pair *pair,
                             int base)
{
    int role_a = base + pair->swapped, role_b = base + !pair->swapped;
    const struct tile_view *view = &views->view[role_a][role_b];
    return view->D->coulomb_weight[view_shell(views, role_a, pair->first) * view->shell_stride[0] +
                                   view_shell(views, role_b, pair->second) * view->shell_stride[1]];
}

/* Whether the quartet is computed; the Coulomb weights, which are at hand, first. */
static bool density_counts(const struct quartet_views *views, const struct shell_pair *bra,
                           double bra_weight, const struct shell_pair *ket, double threshold)
{
    double bound = bra->bound * ket->bound;
    if (quartet_is_significant(bound, bra_weight, 0, threshold) ||
        quartet_is_significant(bound, coulomb_weight(views, ket, 2), 0, threshold))
        return true;
    int role_a = bra->swapped, role_b = !bra->swapped;
    int role_c = 2 + ket->swapped, role_d = 2 + !ket->swapped;
    double weight = exchange_weight(views, role_a, bra->first, role_c, ket->first);
    weight = fmax(weight, exchange_weight(views, role_a, bra->first, role_d, ket->second));
    weight = fmax(weight, exchange_weight(views, role_b, bra->second, role_c, ket->first));
    weight = fmax(weight, exchange_weight(views, role_b, bra->second, role_d, ket->second));
    return quartet_is_significant(bound, 0, weight, threshold);
}

/* Quartets in a batch that do not take longer than they may if each is like this one:
 * the pairs of largest bound have about as many primitives as any. */
static int64_t batch_size(const struct shell_pair *bra, const struct shell_pair *ket,
                          int64_t capacity)
{
    int64_t most = BATCH_PRIMITIVES / ((int64_t)bra->n_primitives * ket->n_primitives + 1) + 1;
    most = most < MAX_QUARTETS ? most : MAX_QUARTETS;
    return most < capacity ? most : capacity;
}

/* All quartets of one class of the bra tiles with one of the ket tiles; `triangle` if they are the
 * same class of the same tiles, and each unordered pair of pairs occurs once. */
static void compute_classes(struct fock_worker *worker, const struct pair_class *bra,
                            const struct pair_class *ket, bool same_tile_pair, bool triangle)
{
    double threshold = worker->screening->threshold;
    bool exchanged = bra->l_first + bra->l_second > ket->l_first + ket->l_second;
    struct class_pair classes = {.batch = {.bra = exchanged ? ket : bra,
                                           .ket = exchanged ? bra : ket,
                                           .quartets = worker->quartets}};
    classes.digest = (struct digest_batch){.quartets = &classes.batch,
                                           .bra_role = exchanged ? 2 : 0,
                                           .ket_role = exchanged ? 0 : 2,
                                           .integrals = worker->integrals,
                                           .same_tile_pair = same_tile_pair};
    int64_t capacity = worker->integral_capacity / quartet_n_integrals(bra, ket);
    for (int32_t i = 0; i < bra->n_pairs; i++) {
        const struct shell_pair *bra_pair = &bra->pairs[i];
        if (bra_pair->bound * ket->pairs[0].bound < threshold)
            break; /* pairs come by descending bound */
        double bra_weight = coulomb_weight(&worker->views, bra_pair, 0);
        int32_t end = triangle ? i + 1 : ket->n_pairs;
        int64_t most = batch_size(bra_pair, &ket->pairs[0], capacity);
        for (int32_t j = 0; j < end; j++) {
            const struct shell_pair *ket_pair = &ket->pairs[j];
            if (bra_pair->bound * ket_pair->bound < threshold)
                break;
            if (!density_counts(&worker->views, bra_pair, bra_weight, ket_pair, threshold))
                continue;
            worker->quartets[classes.batch.n_quartets++] =
                exchanged ? (struct quartet){j, i} : (struct quartet){i, j};
            if (classes.batch.n_quartets >= most)
                run_batch(worker, &classes);
        }
    }
    run_batch(worker, &classes);
}

static void compute_pairs(struct fock_worker *worker, const struct shell_pairs *bra,
                          const struct shell_pairs *ket)
{
    /* With symmetry the pairs of one tile pair among themselves count once. */
    bool same = bra == ket;
    bool once = same && worker->symmetry == FOCK_SYMMETRY_FULL;
    for (int b = 0; b < bra->n_classes; b++) {
        if (bra->classes[b].pairs[0].bound * ket->max_bound < worker->screening->threshold)
            continue;
        for (int k = 0; k < (once ? b + 1 : ket->n_classes); k++)
            compute_classes(worker, &bra->classes[b], &ket->classes[k], same, once && b == k);
    }
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
    if (status == STATUS_OK) {
        status = quartet_views_begin(&worker->views, quartet);
        if (status == STATUS_OK) {
            compute_pairs(worker, bra, ket);
            status = quartet_views_end(&worker->views);
        }
        item_cache_release(worker->pairs, ket_number);
    }
    item_cache_release(worker->pairs, bra_number);
    return status;
}
