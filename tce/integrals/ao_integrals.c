/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/ao_integrals.h"

#include "basis/integrals/shell_pairs.h"
#include "basis/quartets/quartet_batches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ao_integrals {
    const struct shells *shells;
    double threshold, max_bound;
    double *bounds;           /* n_groups x n_groups */
    struct shell_pairs *kets; /* all pairs above the threshold */
    struct quartet_batches *batches;
};

/* The call being computed. */
struct ao_request {
    const struct ao_integrals_call *call;
    int64_t n;                  /* functions of the basis */
    int64_t first[2], n_second; /* first functions of M and N; number of functions of N */
    bool diagonal;              /* M == N */
};

/* Both triangles of the matrix of bounds from the tile pairs of the screening. */
static enum status get_bounds(const struct screening *screening, struct ao_integrals *integrals)
{
    const struct tiling *tiling = screening->tiling;
    int64_t n = integrals->shells->n_groups;
    integrals->bounds = malloc((size_t)(n * n) * sizeof(double));
    double *tile = malloc((size_t)(tiling->max_groups * tiling->max_groups) * sizeof *tile);
    if (!integrals->bounds || !tile) {
        free(tile);
        return FAIL(STATUS_NO_MEMORY, "no memory for the bounds of %lld groups of shells",
                    (long long)n);
    }
    for (int64_t pair = 0; pair < tiling_n_pairs(tiling); pair++) {
        int64_t I, J;
        tile_pair_of_index(pair, &I, &J);
        darray_get(screening->group_bounds, pair, tile);
        int64_t n_J = tile_n_groups(tiling, J);
        for (int64_t i = 0; i < tile_n_groups(tiling, I); i++)
            for (int64_t j = 0; j < n_J; j++) {
                int64_t row = tiling->first_group[I] + i, column = tiling->first_group[J] + j;
                integrals->bounds[row * n + column] = tile[i * n_J + j];
                integrals->bounds[column * n + row] = tile[i * n_J + j];
            }
    }
    free(tile);
    return STATUS_OK;
}

static enum status prepare_kets(const struct screening *screening, struct ao_integrals *integrals)
{
    const struct shells *shells = integrals->shells;
    TRY(get_bounds(screening, integrals));
    TRY(quartet_batches_create(shells, integrals->threshold, screening->engines,
                               &integrals->batches));
    struct shell_rectangle all = {.last = {shells->n_groups, shells->n_groups}, .triangle = true};
    return shell_pairs_create(shells, &all, integrals->bounds,
                              integrals->threshold / integrals->max_bound, &integrals->kets);
}

enum status ao_integrals_create(const struct screening *screening, double threshold,
                                struct ao_integrals **integrals)
{
    struct ao_integrals *made = *integrals = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for integrals"));
    made->shells = screening->tiling->shells;
    made->threshold = threshold;
    made->max_bound = screening->max_bound;
    return prepare_kets(screening, made);
}

void ao_integrals_destroy(struct ao_integrals *integrals)
{
    if (!integrals)
        return;
    shell_pairs_destroy(integrals->kets);
    quartet_batches_destroy(integrals->batches);
    free(integrals->bounds);
    free(integrals);
}

/* Primitives in all groups of a type. */
static double count_primitives(const struct shells *shells, int type)
{
    double n = 0;
    for (int64_t g = 0; g < shells->n_groups; g++)
        n += shells->groups[g].type == type ? shells->groups[g].n_primitives : 0;
    return n;
}

double ao_integrals_bytes(const struct shells *shells)
{
    double n = (double)shells->n_groups, products = 0;
    for (int a = 0; a < shells->n_types; a++)
        for (int b = 0; b <= a; b++)
            products += count_primitives(shells, a) * count_primitives(shells, b) /
                        (a == b ? 2 : 1) *
                        (double)shell_pair_product_bytes(&shells->types[a], &shells->types[b]);
    return n * n * sizeof(double) + n * n / 2 * sizeof(struct shell_pair) + products;
}

bool ao_integrals_are_null(const struct ao_integrals *integrals, const struct tiling *tiling,
                           int64_t M, int64_t N)
{
    double largest = 0;
    for (int64_t i = tiling->first_group[M]; i < tiling->first_group[M + 1]; i++)
        for (int64_t j = tiling->first_group[N]; j < tiling->first_group[N + 1]; j++)
            largest = fmax(largest, integrals->bounds[i * integrals->shells->n_groups + j]);
    return largest * integrals->max_bound < integrals->threshold;
}

/* The matrix (mu nu|..) for functions a and b of the pair's groups, which may be in either order:
 * mu is in tile M, nu in tile N. */
static double *matrix_of(const struct ao_request *request, const struct shell_pair *pair, int a,
                         int b)
{
    int64_t mu = pair->function[pair->swapped] + (pair->swapped ? b : a) - request->first[0];
    int64_t nu = pair->function[!pair->swapped] + (pair->swapped ? a : b) - request->first[1];
    int64_t p = mu * request->n_second + nu;
    if (request->diagonal)
        p = mu >= nu ? mu * (mu + 1) / 2 + nu : nu * (nu + 1) / 2 + mu;
    return request->call->matrices + p * request->n * request->n;
}

/* Stores the integrals of a ket pair, row-major in (c, d), as a block and its transpose. */
static void put_ket(const struct pair_class *class, const struct shell_pair *pair,
                    const double *values, int64_t stride, int64_t n, double *matrix)
{
    double *block = matrix + (int64_t)pair->function[0] * n + pair->function[1];
    double *transpose = matrix + (int64_t)pair->function[1] * n + pair->function[0];
    for (int c = 0; c < class->n_first; c++)
        for (int d = 0; d < class->n_second; d++, values += stride) {
            block[c * n + d] = *values;
            transpose[d * n + c] = *values;
        }
}

static void put_quartet(const struct ao_request *request, const struct computed_batch *batch,
                        const struct quartet *quartet, const double *values)
{
    const struct quartet_batch *quartets = &batch->quartets;
    bool exchanged = batch->exchanged;
    const struct pair_class *bra = exchanged ? quartets->ket : quartets->bra;
    const struct pair_class *ket = exchanged ? quartets->bra : quartets->ket;
    const struct shell_pair *bra_pair = &bra->pairs[exchanged ? quartet->ket : quartet->bra];
    const struct shell_pair *ket_pair = &ket->pairs[exchanged ? quartet->bra : quartet->ket];
    int64_t n_bra = (int64_t)bra->n_first * bra->n_second;
    int64_t n_ket = (int64_t)ket->n_first * ket->n_second;
    for (int a = 0; a < bra->n_first; a++)
        for (int b = 0; b < bra->n_second; b++) {
            int64_t ab = (int64_t)a * bra->n_second + b;
            put_ket(ket, ket_pair, values + ab * (exchanged ? 1 : n_ket) * QUARTET_LANES,
                    (exchanged ? n_bra : 1) * QUARTET_LANES, request->n,
                    matrix_of(request, bra_pair, a, b));
        }
}

static void put_quartets(const struct computed_batch *batch, void *context)
{
    const struct ao_request *request = context;
    const struct quartet_batch *quartets = &batch->quartets;
    int64_t n_values = quartet_n_integrals(quartets->bra, quartets->ket);
    for (int32_t i = 0; i < quartets->n_quartets; i++)
        put_quartet(request, batch, &quartets->quartets[i],
                    batch->integrals + batch_place(n_values, i, 0));
    if (request->call->polled)
        taskpool_poll(request->call->polled);
}

/* Creates the shell pairs of the bra, tiles (M, N). */
static enum status make_bras(const struct ao_integrals *integrals,
                             const struct shell_rectangle *rectangle, struct shell_pairs **bras)
{
    int64_t n = integrals->shells->n_groups;
    int64_t n_rows = rectangle->last[0] - rectangle->first[0];
    int64_t n_columns = rectangle->last[1] - rectangle->first[1];
    double *bounds = malloc((size_t)(n_rows * n_columns) * sizeof *bounds);
    *bras = NULL;
    TRY(CHECK_MEMORY(bounds, "no memory for the bounds of a tile"));
    for (int64_t i = 0; i < n_rows; i++)
        memcpy(bounds + i * n_columns,
               integrals->bounds + (rectangle->first[0] + i) * n + rectangle->first[1],
               (size_t)n_columns * sizeof *bounds);
    enum status status = shell_pairs_create(integrals->shells, rectangle, bounds,
                                            integrals->threshold / integrals->max_bound, bras);
    free(bounds);
    return status;
}

enum status ao_integrals_compute(struct ao_integrals *integrals,
                                 const struct ao_integrals_call *call)
{
    const struct tiling *tiling = call->tiling;
    int64_t M = call->M, N = call->N;
    struct ao_request request = {
        .call = call,
        .n = integrals->shells->n_functions,
        .first = {tiling->first_function[M], tiling->first_function[N]},
        .n_second = tile_n_functions(tiling, N),
        .diagonal = M == N,
    };
    struct shell_rectangle rectangle = tile_rectangle(tiling, M, N, M == N);
    struct shell_pairs *bras;
    TRY(make_bras(integrals, &rectangle, &bras));
    memset(call->matrices, 0,
           (size_t)(function_pairs_count(tiling, M, N) * request.n * request.n) * sizeof(double));
    struct quartet_source source = {
        .bra = bras, .ket = integrals->kets, .use = put_quartets, .context = &request};
    quartet_batches_compute(integrals->batches, &source);
    shell_pairs_destroy(bras);
    return STATUS_OK;
}
