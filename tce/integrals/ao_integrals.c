#include "tce/integrals/ao_integrals.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_QUARTETS = 1024,          /* of a batch */
    BATCH_INTEGRALS = 32 * 1024,  /* 256 KiB: within a second-level cache */
    BATCH_PRIMITIVES = 32 * 1024, /* quartets: within a millisecond */
};

struct ao_integrals {
    const struct shells *shells;
    double threshold, max_bound;
    double *bounds;           /* n_shells x n_shells */
    struct shell_pairs *kets; /* all pairs that count */
    struct two_electron *engine;
    struct quartet quartets[MAX_QUARTETS];
    double *values;
    int64_t value_capacity;
};

/* What is being computed. */
struct request {
    struct ao_integrals *integrals;
    int64_t n;                  /* functions of the basis */
    int64_t first[2], n_second; /* functions of the tiles: the first ones, those of N */
    bool diagonal;              /* M == N */
    void (*between)(void *context);
    void *context;
    double *matrices;
};

/* The quartets of two classes, in the order in which the engine takes them. */
struct class_pair {
    struct quartet_batch batch;
    const struct pair_class *bra, *ket;
    bool exchanged; /* the batch has the tile pair as its ket */
};

/* Both triangles of the matrix of bounds from the tile pairs of the screening. */
static enum status get_bounds(const struct screening *screening, struct ao_integrals *integrals)
{
    const struct tiling *tiling = screening->tiling;
    int64_t n = integrals->shells->n_shells;
    integrals->bounds = malloc((size_t)(n * n) * sizeof(double));
    int64_t max_shells = 0;
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        max_shells = tile_n_shells(tiling, I) > max_shells ? tile_n_shells(tiling, I) : max_shells;
    double *tile = malloc((size_t)(max_shells * max_shells) * sizeof *tile);
    if (!integrals->bounds || !tile) {
        free(tile);
        return FAIL(STATUS_NO_MEMORY, "no memory for the bounds of %lld shells", (long long)n);
    }
    for (int64_t pair = 0; pair < tiling_n_pairs(tiling); pair++) {
        int64_t I, J;
        tile_pair_of_index(pair, &I, &J);
        darray_get(screening->shell_bounds, pair, tile);
        int64_t n_J = tile_n_shells(tiling, J);
        for (int64_t i = 0; i < tile_n_shells(tiling, I); i++)
            for (int64_t j = 0; j < n_J; j++) {
                int64_t row = tiling->first_shell[I] + i, column = tiling->first_shell[J] + j;
                integrals->bounds[row * n + column] = tile[i * n_J + j];
                integrals->bounds[column * n + row] = tile[i * n_J + j];
            }
    }
    free(tile);
    return STATUS_OK;
}

static enum status fill(const struct screening *screening, struct ao_integrals *integrals)
{
    const struct shells *shells = integrals->shells;
    int64_t n = n_cartesians(shells->max_l);
    integrals->value_capacity = n * n * n * n > BATCH_INTEGRALS ? n * n * n * n : BATCH_INTEGRALS;
    integrals->values = malloc((size_t)integrals->value_capacity * sizeof(double));
    if (!integrals->values)
        return FAIL(STATUS_NO_MEMORY, "no memory for a batch of integrals");
    TRY(get_bounds(screening, integrals));
    TRY(two_electron_create(shells, two_electron_cutoff(integrals->threshold), screening->engines,
                            &integrals->engine));
    struct shell_rectangle all = {.last = {shells->n_shells, shells->n_shells}, .triangle = true};
    return shell_pairs_create(shells, &all, integrals->bounds,
                              integrals->threshold / integrals->max_bound, &integrals->kets);
}

enum status ao_integrals_create(const struct screening *screening, double threshold,
                                struct ao_integrals **integrals)
{
    *integrals = NULL;
    struct ao_integrals *made = calloc(1, sizeof *made);
    if (!made)
        return FAIL(STATUS_NO_MEMORY, "no memory for integrals");
    made->shells = screening->tiling->shells;
    made->threshold = threshold;
    made->max_bound = screening->max_bound;
    enum status status = fill(screening, made);
    if (status != STATUS_OK) {
        ao_integrals_destroy(made);
        return status;
    }
    *integrals = made;
    return STATUS_OK;
}

void ao_integrals_destroy(struct ao_integrals *integrals)
{
    if (!integrals)
        return;
    shell_pairs_destroy(integrals->kets);
    two_electron_destroy(integrals->engine);
    free(integrals->bounds);
    free(integrals->values);
    free(integrals);
}

double ao_integrals_bytes(const struct shells *shells)
{
    /* Ten numbers for every product of primitives. */
    const double product = 10 * sizeof(double);
    double n = (double)shells->n_shells, n_primitives = 0;
    for (int64_t s = 0; s < shells->n_shells; s++)
        n_primitives += shells->shells[s].n_primitives;
    return n * n * sizeof(double) + n * n / 2 * sizeof(struct shell_pair) +
           n_primitives * n_primitives / 2 * product;
}

bool ao_integrals_are_null(const struct ao_integrals *integrals, const struct tiling *tiling,
                           int64_t M, int64_t N)
{
    double largest = 0;
    for (int64_t i = tiling->first_shell[M]; i < tiling->first_shell[M + 1]; i++)
        for (int64_t j = tiling->first_shell[N]; j < tiling->first_shell[N + 1]; j++)
            largest = fmax(largest, integrals->bounds[i * integrals->shells->n_shells + j]);
    return largest * integrals->max_bound < integrals->threshold;
}

/* The matrix of functions mu and nu, of which the pair's first shell may be in either tile. */
static double *matrix_of(const struct request *request, const struct shell_pair *pair, int a, int b)
{
    int64_t mu = pair->function[pair->swapped] + (pair->swapped ? b : a) - request->first[0];
    int64_t nu = pair->function[!pair->swapped] + (pair->swapped ? a : b) - request->first[1];
    int64_t p = mu * request->n_second + nu;
    if (request->diagonal)
        p = mu >= nu ? mu * (mu + 1) / 2 + nu : nu * (nu + 1) / 2 + mu;
    return request->matrices + p * request->n * request->n;
}

/* Element (c, d) of values into rows and columns of the two shells, both ways. */
static void put_ket(const struct pair_class *class, const struct shell_pair *pair,
                    const double *values, int64_t stride, int64_t n, double *matrix)
{
    double *upper = matrix + (int64_t)pair->function[0] * n + pair->function[1];
    double *lower = matrix + (int64_t)pair->function[1] * n + pair->function[0];
    for (int c = 0; c < class->n_first; c++)
        for (int d = 0; d < class->n_second; d++, values += stride) {
            upper[c * n + d] = *values;
            lower[d * n + c] = *values;
        }
}

static void put_quartet(const struct request *request, const struct class_pair *classes,
                        const struct quartet *quartet, const double *values)
{
    const struct pair_class *bra = classes->bra, *ket = classes->ket;
    bool exchanged = classes->exchanged;
    const struct shell_pair *bra_pair = &bra->pairs[exchanged ? quartet->ket : quartet->bra];
    const struct shell_pair *ket_pair = &ket->pairs[exchanged ? quartet->bra : quartet->ket];
    int64_t n_bra = (int64_t)bra->n_first * bra->n_second;
    int64_t n_ket = (int64_t)ket->n_first * ket->n_second;
    for (int a = 0; a < bra->n_first; a++)
        for (int b = 0; b < bra->n_second; b++) {
            int64_t ab = (int64_t)a * bra->n_second + b;
            put_ket(ket, ket_pair, values + ab * (exchanged ? 1 : n_ket), exchanged ? n_bra : 1,
                    request->n, matrix_of(request, bra_pair, a, b));
        }
}

static void run_batch(const struct request *request, struct class_pair *classes)
{
    struct ao_integrals *integrals = request->integrals;
    int64_t n_values = quartet_n_integrals(classes->bra, classes->ket);
    if (classes->batch.n_quartets == 0)
        return;
    two_electron_compute(integrals->engine, &classes->batch, integrals->values);
    for (int32_t i = 0; i < classes->batch.n_quartets; i++)
        put_quartet(request, classes, &integrals->quartets[i], integrals->values + i * n_values);
    classes->batch.n_quartets = 0;
    if (request->between)
        request->between(request->context);
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

static void compute_classes(const struct request *request, const struct pair_class *bra,
                            const struct pair_class *ket)
{
    struct ao_integrals *integrals = request->integrals;
    bool exchanged = bra->l_first + bra->l_second > ket->l_first + ket->l_second;
    struct class_pair classes = {.batch = {.bra = exchanged ? ket : bra,
                                           .ket = exchanged ? bra : ket,
                                           .quartets = integrals->quartets},
                                 .bra = bra,
                                 .ket = ket,
                                 .exchanged = exchanged};
    int64_t capacity = integrals->value_capacity / quartet_n_integrals(bra, ket);
    for (int32_t i = 0; i < bra->n_pairs; i++) {
        int64_t most = batch_size(&bra->pairs[i], &ket->pairs[0], capacity);
        /* Pairs come by descending bound. */
        for (int32_t j = 0; j < ket->n_pairs; j++) {
            if (bra->pairs[i].bound * ket->pairs[j].bound < integrals->threshold)
                break;
            integrals->quartets[classes.batch.n_quartets++] =
                exchanged ? (struct quartet){j, i} : (struct quartet){i, j};
            if (classes.batch.n_quartets >= most)
                run_batch(request, &classes);
        }
    }
    run_batch(request, &classes);
}

/* The pairs of the tile pair. */
static enum status make_bras(const struct ao_integrals *integrals,
                             const struct shell_rectangle *rectangle, struct shell_pairs **bras)
{
    int64_t n = integrals->shells->n_shells;
    int64_t n_rows = rectangle->last[0] - rectangle->first[0];
    int64_t n_columns = rectangle->last[1] - rectangle->first[1];
    double *bounds = malloc((size_t)(n_rows * n_columns) * sizeof *bounds);
    *bras = NULL;
    if (!bounds)
        return FAIL(STATUS_NO_MEMORY, "no memory for the bounds of a tile");
    for (int64_t i = 0; i < n_rows; i++)
        memcpy(bounds + i * n_columns,
               integrals->bounds + (rectangle->first[0] + i) * n + rectangle->first[1],
               (size_t)n_columns * sizeof *bounds);
    enum status status = shell_pairs_create(integrals->shells, rectangle, bounds,
                                            integrals->threshold / integrals->max_bound, bras);
    free(bounds);
    return status;
}

enum status ao_integrals_compute(struct ao_integrals *integrals, const struct tiling *tiling,
                                 int64_t M, int64_t N, void (*between)(void *context),
                                 void *context, double *matrices)
{
    struct request request = {
        .integrals = integrals,
        .n = integrals->shells->n_functions,
        .first = {tiling->first_function[M], tiling->first_function[N]},
        .n_second = tile_n_functions(tiling, N),
        .diagonal = M == N,
        .between = between,
        .context = context,
        .matrices = matrices,
    };
    struct shell_rectangle rectangle = tile_rectangle(tiling, M, N, M == N);
    struct shell_pairs *bras;
    TRY(make_bras(integrals, &rectangle, &bras));
    memset(matrices, 0,
           (size_t)(function_pairs_count(tiling, M, N) * request.n * request.n) * sizeof(double));
    for (int b = 0; b < bras->n_classes; b++)
        for (int k = 0; k < integrals->kets->n_classes; k++)
            compute_classes(&request, &bras->classes[b], &integrals->kets->classes[k]);
    shell_pairs_destroy(bras);
    return STATUS_OK;
}
