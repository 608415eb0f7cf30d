/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_tiles.h"

#include "hf/tiles/tile_matrix.h"
#include "support/arrays/item_cache.h"
#include "support/base/agree.h"
#include "support/mpi/long_reduce.h"
#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least exponent of the bound on a sum: the quantum and its inverse are normal numbers. */
enum { LEAST_EXPONENT = -900 };

/* Tiles that a tile quartet touches, at most. */
enum { MAX_PAIRS = 6 };

struct fock_tiles {
    const struct screening *screening;
    const struct tiling *tiling;
    int64_t n_pairs;
    bool fixed;
    struct density_kind kind; /* of the build, like D */

    const struct darray *D[FOCK_MAX_MATRICES]; /* borrowed */
    struct item_cache *density;                /* item pair: struct density_tile */
    double
        *tile_max; /* of each pair, the largest element of all C[c] and D[i]; the same everywhere */

    struct darray *sums[FOCK_MAX_MATRICES]; /* int64_t or double; as many as needed so far */
    struct item_cache *contributions;       /* item matrix * n_pairs + pair: a tile of sums */
    double quantum, inverse_quantum;

    /* The tile quartet. */
    struct quartet_views views;
    int n_used;              /* different tiles among the six */
    int64_t used[MAX_PAIRS]; /* their pair indices */
    double *blocks;          /* contributions of each: Coulomb, then exchange of each matrix */
    int64_t n_blocks;        /* that there is room for, of each tile */
};

/* --- the density --- */

/* Largest |block| element of each two groups of a tile. */
static void group_maxima(const struct tiling *tiling, int64_t I, int64_t J, const double *block,
                         double factor, double *maxima)
{
    const struct shells *shells = tiling->shells;
    int64_t n_J = tile_n_functions(tiling, J);
    double *out = maxima;
    for (int64_t a = tiling->first_group[I]; a < tiling->first_group[I + 1]; a++) {
        int64_t row = shells->groups[a].first_function - tiling->first_function[I];
        int n_a = n_functions_of_group(shells, a);
        for (int64_t b = tiling->first_group[J]; b < tiling->first_group[J + 1]; b++, out++) {
            int64_t column = shells->groups[b].first_function - tiling->first_function[J];
            int n_b = n_functions_of_group(shells, b);
            double largest = 0;
            for (int i = 0; i < n_a; i++) {
                for (int j = 0; j < n_b; j++) {
                    double magnitude = fabs(block[(row + i) * n_J + column + j]);
                    largest = magnitude > largest ? magnitude : largest;
                }
            }
            if (factor * largest > *out)
                *out = factor * largest;
        }
    }
}

static void add_multiple(int64_t n, double factor, const double *from, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] += factor * from[i];
}

/* Fetches the tile of every matrix and computes the weights of its blocks. */
static enum status load_density(int64_t pair, void *context, void **item, int64_t *bytes)
{
    struct fock_tiles *tiles = context;
    const struct tiling *tiling = tiles->tiling;
    int64_t I, J;
    tile_pair_of_index(pair, &I, &J);
    int64_t n = tile_n_functions(tiling, I) * tile_n_functions(tiling, J);
    int64_t n_groups = tile_n_groups(tiling, I) * tile_n_groups(tiling, J);
    const struct density_kind *kind = &tiles->kind;
    int64_t n_elements = density_n_blocks(kind) * n;
    size_t size =
        sizeof(struct density_tile) + (size_t)(n_elements + 2 * n_groups) * sizeof(double);
    struct density_tile *tile = calloc(1, size);
    TRY(CHECK_MEMORY(tile, "no memory for a tile of the density"));
    double *numbers = (double *)(tile + 1);
    double *coulomb_weight = numbers + n_elements;
    double *exchange_weight = coulomb_weight + n_groups;
    *tile =
        (struct density_tile){.coulomb_weight = coulomb_weight, .exchange_weight = exchange_weight};
    for (int c = 0; c < kind->n_coulomb; c++)
        tile->coulomb[c] = numbers + c * n;
    for (int i = 0; i < kind->n_matrices; i++) {
        double *own = numbers + density_block(kind, i) * n;
        darray_get(tiles->D[i], pair, own);
        tile->exchange[i] = own;
        group_maxima(tiling, I, J, own, fabs(kind->exchange_scale), exchange_weight);
        int c = density_coulomb(kind, i);
        if (c >= 0)
            add_multiple(n, 2.0 / kind->of_each, own, numbers + c * n);
    }
    for (int c = 0; c < kind->n_coulomb; c++)
        group_maxima(tiling, I, J, tile->coulomb[c], 2 * fabs(kind->coulomb_scale), coulomb_weight);
    for (int64_t block = 0; block < n_groups; block++)
        tile->most_coulomb_weight = fmax(tile->most_coulomb_weight, coulomb_weight[block]);
    *item = tile;
    *bytes = (int64_t)size;
    return STATUS_OK;
}

/* Largest magnitude; infinite with an element that is not finite: fmax would ignore a NaN. */
static double largest_magnitude(int64_t n, const double *elements)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(elements[i]))
            return INFINITY;
        largest = fmax(largest, fabs(elements[i]));
    }
    return largest;
}

/* Largest element of the tiles that this process owns. */
static enum status find_own_maxima(struct fock_tiles *tiles)
{
    struct own_tile own = {0};
    while (own_tile_next(tiles->tiling, tiles->D[0], &own)) {
        void *item;
        int64_t bytes;
        TRY(load_density(own.pair, tiles, &item, &bytes));
        const struct density_tile *tile = item;
        int64_t n = darray_block_size(tiles->D[0], own.pair);
        double largest = 0;
        for (int c = 0; c < tiles->kind.n_coulomb; c++)
            largest = fmax(largest, largest_magnitude(n, tile->coulomb[c]));
        for (int matrix = 0; matrix < tiles->kind.n_matrices; matrix++)
            largest = fmax(largest, largest_magnitude(n, tile->exchange[matrix]));
        tiles->tile_max[own.pair] = largest;
        free(item);
    }
    return STATUS_OK;
}

/* Takes D. Collective; errors: as fock_tiles_begin. */
static enum status set_density(struct fock_tiles *tiles, const struct darray *const D[],
                               enum status status)
{
    int64_t n_pairs = tiles->n_pairs;
    item_cache_clear(tiles->density);
    for (int i = 0; i < tiles->kind.n_matrices; i++)
        tiles->D[i] = D[i];
    memset(tiles->tile_max, 0, (size_t)n_pairs * sizeof(double));
    if (status == STATUS_OK)
        status = find_own_maxima(tiles);
    /* The reduction already shows a failure to all processes: no agreement otherwise. */
    if (status != STATUS_OK)
        tiles->tile_max[0] = INFINITY;
    long_reduce(tiles->tile_max, n_pairs, MPI_DOUBLE, MPI_MAX, darray_comm());
    int64_t pair = 0;
    while (pair < n_pairs && isfinite(tiles->tile_max[pair]))
        pair++;
    if (pair == n_pairs)
        return STATUS_OK;
    TRY(status_agree(darray_comm(), status));
    return FAIL(STATUS_NUMERIC, "the density has elements that are not finite");
}

/* --- the sums --- */

/* A zeroed tile; int64_t and double are of one size and one zero. */
static enum status load_sums(int64_t number, void *context, void **item, int64_t *bytes)
{
    struct fock_tiles *tiles = context;
    int64_t n = darray_block_size(tiles->sums[0], number % tiles->n_pairs);
    *bytes = n * (int64_t)sizeof(double);
    *item = calloc((size_t)n + 1, sizeof(double));
    return CHECK_MEMORY(*item, "no memory for a tile of the Fock matrix");
}

/* Adds the cached sums to the distributed ones. */
static void unload_sums(int64_t number, void *item, void *context)
{
    struct fock_tiles *tiles = context;
    darray_acc(tiles->sums[number / tiles->n_pairs], number % tiles->n_pairs, item);
    free(item);
}

/* Creates the distributed sums that do not exist yet. Collective. */
static enum status need_sums(struct fock_tiles *tiles)
{
    static const char *const names[FOCK_MAX_MATRICES] = {
        "sums of the Fock matrix", "sums of the Fock matrix", "sums of the Fock matrix",
        "sums of the Fock matrix"};
    int n = 0;
    while (n < tiles->kind.n_matrices && tiles->sums[n])
        n++;
    return n == tiles->kind.n_matrices
               ? STATUS_OK
               : tile_matrices_create(tiles->tiling, tiles->kind.n_matrices - n, names,
                                      tiles->fixed ? DARRAY_INT64 : DARRAY_DOUBLE, tiles->sums + n);
}

/* A bound on every partial sum of |terms| of any element. */
static double largest_sum(const struct fock_tiles *tiles)
{
    const struct screening *screening = tiles->screening;
    const struct tiling *tiling = tiles->tiling;
    double coulomb = 0, max_row = 0, max_D = 0;
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        double row = 0;
        for (int64_t J = 0; J < tiling->n_tiles; J++) {
            int64_t pair = tile_pair_index_unordered(I, J);
            double n_J = (double)tile_n_functions(tiling, J);
            row += n_J * screening->tile_bounds[pair];
            coulomb += (double)tile_n_functions(tiling, I) * n_J * screening->tile_bounds[pair] *
                       tiles->tile_max[pair];
            max_D = fmax(max_D, tiles->tile_max[pair]);
        }
        max_row = fmax(max_row, row);
    }
    return screening->max_bound * coulomb + max_row * max_row * max_D;
}

/* Sets the sums to zero and chooses the quantum. */
static void start_sums(struct fock_tiles *tiles)
{
    /* Twice the bound stays below 2^62 quanta: room for the rounding. */
    int exponent;
    frexp(largest_sum(tiles), &exponent);
    /* Without this, the inverse would be infinite for a density of nearly nothing. */
    if (exponent < LEAST_EXPONENT)
        exponent = LEAST_EXPONENT;
    tiles->quantum = ldexp(1, exponent - 61);
    tiles->inverse_quantum = ldexp(1, 61 - exponent);
    for (int i = 0; i < tiles->kind.n_matrices; i++)
        darray_zero(tiles->sums[i]);
}

/* sums[i] += round((block[i] + common[i]) / quantum); returns whether all fit. rint, and not llrint, which
 * is a call and keeps the loop from using vectors. */
VECTOR_CLONES
static bool add_fixed(double inverse_quantum, int64_t n, const double *restrict block,
                      const double *restrict common, int64_t *restrict sums)
{
    int64_t n_beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = (block[i] + (common ? common[i] : 0)) * inverse_quantum;
        n_beyond += !(fabs(x) < 0x1p62);
    }
    for (int64_t i = 0; i < n && n_beyond == 0; i++)
        sums[i] += (int64_t)rint((block[i] + (common ? common[i] : 0)) * inverse_quantum);
    return n_beyond == 0;
}

/* Adds a contribution to tile `pair` (its size, row-major) of the sum of F[matrix]: block, plus block_common
 * unless NULL. */
static enum status add_contribution(struct fock_tiles *tiles, int matrix, int64_t pair,
                                    const double *block, const double *block_common)
{
    void *item;
    int64_t number = matrix * tiles->n_pairs + pair;
    int64_t n = darray_block_size(tiles->sums[0], pair);
    TRY(item_cache_pin(tiles->contributions, number, &item));
    bool fits = true;
    if (tiles->fixed) {
        fits = add_fixed(tiles->inverse_quantum, n, block, block_common, item);
    } else {
        double *sums = item;
        for (int64_t i = 0; i < n; i++)
            sums[i] += block[i] + (block_common ? block_common[i] : 0);
    }
    item_cache_release(tiles->contributions, number);
    if (!fits)
        return FAIL(STATUS_NUMERIC, "a contribution to the Fock matrix is beyond its bound");
    return STATUS_OK;
}

/* out = A + A^T for the tile (I, J) of sums: its transpose is not stored unless
 * I == J. */
static void finish_tile(const struct fock_tiles *tiles, int64_t I, int64_t J, const void *sums,
                        double *out)
{
    int64_t n_I = tile_n_functions(tiles->tiling, I);
    int64_t n_J = tile_n_functions(tiles->tiling, J);
    const int64_t *integers = sums;
    const double *doubles = sums;
    for (int64_t i = 0; i < n_I; i++) {
        for (int64_t j = 0; j < n_J; j++) {
            int64_t at = i * n_J + j, mirror = j * n_J + i;
            if (tiles->fixed) {
                int64_t sum = integers[at] + (I == J ? integers[mirror] : 0);
                out[at] = tiles->quantum * (double)sum;
            } else {
                out[at] = doubles[at] + (I == J ? doubles[mirror] : 0);
            }
        }
    }
}

/* Two tiles to finish with. */
static int64_t finished_bytes(const struct tiling *tiling)
{
    return 2 * tiling->max_functions * tiling->max_functions * (int64_t)sizeof(double);
}

void fock_tiles_complete(struct fock_tiles *tiles)
{
    item_cache_clear(tiles->contributions);
    darray_complete();
}

enum status fock_tiles_finish(struct fock_tiles *tiles, struct darray *const F[])
{
    const struct tiling *tiling = tiles->tiling;
    double *sums = malloc((size_t)finished_bytes(tiling));
    double *out = sums ? sums + tiling->max_functions * tiling->max_functions : NULL;
    enum status status = CHECK_MEMORY(sums, "no memory for tiles");
    for (int i = 0; i < tiles->kind.n_matrices && status == STATUS_OK; i++) {
        struct own_tile own = {0};
        while (own_tile_next(tiling, F[i], &own)) {
            darray_get(tiles->sums[i], own.pair, sums);
            finish_tile(tiles, own.I, own.J, sums, out);
            darray_put(F[i], own.pair, out);
        }
    }
    free(sums);
    return darray_sync_and_agree(status);
}

/* --- a tile quartet --- */

static int64_t tile_block_size(const struct fock_tiles *tiles)
{
    return tiles->tiling->max_functions * tiles->tiling->max_functions;
}

static int64_t blocks_bytes(const struct tiling *tiling, const struct density_kind *kind)
{
    return MAX_PAIRS * density_n_blocks(kind) * tiling->max_functions * tiling->max_functions *
           (int64_t)sizeof(double);
}

/* Room for the contributions of a build. */
static enum status need_blocks(struct fock_tiles *tiles)
{
    if (tiles->n_blocks >= density_n_blocks(&tiles->kind))
        return STATUS_OK;
    free(tiles->blocks);
    tiles->n_blocks = 0;
    tiles->blocks = malloc((size_t)blocks_bytes(tiles->tiling, &tiles->kind));
    TRY(CHECK_MEMORY(tiles->blocks, "no memory for the tiles of a quartet"));
    tiles->n_blocks = density_n_blocks(&tiles->kind);
    return STATUS_OK;
}

/* The slot of a pair among the distinct ones of the quartet; *is_new if it had none. */
static int slot_of_pair(struct fock_tiles *tiles, int64_t pair, bool *is_new)
{
    for (int i = 0; i < tiles->n_used; i++) {
        if (tiles->used[i] == pair) {
            *is_new = false;
            return i;
        }
    }
    tiles->used[tiles->n_used] = pair;
    *is_new = true;
    return tiles->n_used++;
}

static void set_view(struct fock_tiles *tiles, int r, int s, int slot, const struct density_tile *D)
{
    struct quartet_views *views = &tiles->views;
    struct tile_view *view = &views->view[r][s];
    int64_t size = tile_block_size(tiles);
    double *block = tiles->blocks + slot * density_n_blocks(&tiles->kind) * size;
    view->D = D;
    for (int c = 0; c < views->kind.n_coulomb; c++)
        view->coulomb[c] = block + c * size;
    for (int i = 0; i < views->kind.n_matrices; i++)
        view->exchange[i] = views->kind.total ? block : block + (views->kind.n_coulomb + i) * size;
    bool stored = views->tile[r] >= views->tile[s]; /* as r x s */
    int64_t minor = views->tile[stored ? s : r];
    int64_t n_functions = tile_n_functions(views->tiling, minor);
    int64_t n_groups = tile_n_groups(views->tiling, minor);
    view->stride[0] = stored ? n_functions : 1;
    view->stride[1] = stored ? 1 : n_functions;
    view->group_stride[0] = stored ? n_groups : 1;
    view->group_stride[1] = stored ? 1 : n_groups;
}

static void release_density(struct fock_tiles *tiles)
{
    for (int i = 0; i < tiles->n_used; i++)
        item_cache_release(tiles->density, tiles->used[i]);
    tiles->n_used = 0;
}

enum status fock_tiles_begin_quartet(struct fock_tiles *tiles, const struct tile_quartet *quartet,
                                     const struct quartet_views **views)
{
    int64_t tile[4] = {quartet->I, quartet->J, quartet->K, quartet->L};
    memcpy(tiles->views.tile, tile, sizeof tile);
    tiles->n_used = 0;
    void *D[MAX_PAIRS];
    for (int r = 0; r < 4; r++) {
        for (int s = r + 1; s < 4; s++) {
            bool is_new;
            int slot = slot_of_pair(tiles, tile_pair_index_unordered(tile[r], tile[s]), &is_new);
            if (is_new) {
                enum status status = item_cache_pin(tiles->density, tiles->used[slot], &D[slot]);
                if (status != STATUS_OK) {
                    tiles->n_used--;
                    release_density(tiles);
                    return status;
                }
            }
            set_view(tiles, r, s, slot, D[slot]);
            set_view(tiles, s, r, slot, D[slot]);
        }
    }
    memset(tiles->blocks, 0,
           (size_t)(tiles->n_used * density_n_blocks(&tiles->kind) * tile_block_size(tiles)) *
               sizeof(double));
    *views = &tiles->views;
    return STATUS_OK;
}

static enum status accumulate_blocks(struct fock_tiles *tiles)
{
    for (int i = 0; i < tiles->n_used; i++) {
        const double *block =
            tiles->blocks + i * density_n_blocks(&tiles->kind) * tile_block_size(tiles);
        for (int k = 0; k < tiles->kind.n_matrices; k++) {
            int c = density_coulomb(&tiles->kind, k);
            int64_t exchange = density_block(&tiles->kind, k) * tile_block_size(tiles);
            TRY(add_contribution(tiles, k, tiles->used[i], block + exchange,
                                 c >= 0 ? block + c * tile_block_size(tiles) : NULL));
        }
    }
    return STATUS_OK;
}

enum status fock_tiles_end_quartet(struct fock_tiles *tiles)
{
    enum status status = accumulate_blocks(tiles);
    release_density(tiles);
    return status;
}

/* --- the object --- */

enum status fock_tiles_create(const struct screening *screening, bool fixed, int64_t cache_bytes,
                              struct fock_tiles **tiles)
{
    MPI_Comm comm = darray_comm();
    struct fock_tiles *made = *tiles = agree_calloc(comm, sizeof *made, "tiles of the Fock build");
    if (!made)
        return STATUS_NO_MEMORY;
    made->screening = screening;
    made->tiling = made->views.tiling = screening->tiling;
    made->n_pairs = tiling_n_pairs(made->tiling);
    made->fixed = fixed;
    made->tile_max =
        agree_calloc(comm, (size_t)made->n_pairs * sizeof(double), "maxima of the density");
    if (!made->tile_max)
        return STATUS_NO_MEMORY;
    struct item_cache_source of_D = {load_density, NULL, made};
    struct item_cache_source of_F = {load_sums, unload_sums, made};
    enum status status =
        item_cache_create(made->n_pairs, cache_bytes / CACHE_PART_OF_D, &of_D, &made->density);
    if (status == STATUS_OK)
        status = item_cache_create(FOCK_MAX_MATRICES * made->n_pairs, cache_bytes / CACHE_PART_OF_F,
                                   &of_F, &made->contributions);
    return status_agree(comm, status);
}

void fock_tiles_destroy(struct fock_tiles *tiles)
{
    if (!tiles)
        return;
    item_cache_destroy(tiles->density);
    item_cache_destroy(tiles->contributions);
    for (int i = 0; i < FOCK_MAX_MATRICES; i++)
        darray_destroy(tiles->sums[i]);
    free(tiles->tile_max);
    free(tiles->blocks);
    free(tiles);
}

struct memory_need fock_tiles_bytes(const struct tiling *tiling, const struct density_kind *kind,
                                    int n_processes)
{
    int64_t n_pairs = tiling_n_pairs(tiling);
    struct memory_need need = {
        .own_bytes =
            (double)sizeof(struct fock_tiles) + (double)n_pairs * sizeof(double) +
            (double)(item_cache_bytes(n_pairs) + item_cache_bytes(FOCK_MAX_MATRICES * n_pairs) +
                     finished_bytes(tiling) + blocks_bytes(tiling, kind))};
    memory_need_add(&need, kind->n_matrices, tile_matrix_bytes(tiling, n_processes));
    return need;
}

enum status fock_tiles_begin(struct fock_tiles *tiles, const struct density_kind *kind,
                             const struct darray *const D[])
{
    tiles->kind = tiles->views.kind = *kind;
    TRY(need_sums(tiles));
    TRY(set_density(tiles, D, need_blocks(tiles)));
    start_sums(tiles);
    return STATUS_OK;
}
