/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tile_symmetry.h"

#include "hf/tiles/tile_matrix.h"
#include "support/arrays/item_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of other processes that are at hand at once. */
#define CACHE_BYTES 4000000

static int n_functions_of(const struct shells *shells, int l)
{
    return angular_map(l, shells->spherical)->n_functions;
}

static int64_t turn_elements(const struct shells *shells)
{
    int64_t sum = 0;
    for (int l = 0; l <= shells->max_l; l++)
        sum += (int64_t)n_functions_of(shells, l) * n_functions_of(shells, l);
    return sum;
}

/* Elements that are zero but for rounding become so. Whether T is diagonal then. */
static bool clear_rounding(int64_t n, double *T)
{
    bool diagonal = true;
    for (int64_t i = 0; i < n * n; i++) {
        T[i] = fabs(T[i]) < 1e-13 ? 0 : T[i];
        diagonal &= T[i] == 0 || i % (n + 1) == 0;
    }
    return diagonal;
}

static void set_turns(struct tile_symmetry *symmetry)
{
    const struct shells *shells = symmetry->tiling->shells;
    double *next = symmetry->turn_storage;
    symmetry->signs_only = true;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int l = 0; l <= shells->max_l; l++) {
            int64_t n = n_functions_of(shells, l);
            angular_image(l, shells->spherical, symmetry->group->matrix[k], next);
            symmetry->turns[k][l] = next;
            symmetry->signs_only &= clear_rounding(n, next);
            next += n * n;
        }
}

/* Shells come in the order of atoms, those of alike atoms in one order. */
static void set_shell_images(struct tile_symmetry *symmetry, int64_t *first_shell)
{
    const struct shells *shells = symmetry->tiling->shells;
    for (int64_t s = shells->n_shells - 1; s >= 0; s--)
        first_shell[shells->shells[s].atom] = s;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int64_t s = 0; s < shells->n_shells; s++) {
            int64_t atom = shells->shells[s].atom;
            int64_t image = symmetry->group->images[k * symmetry->group->n_atoms + atom];
            symmetry->shell_images[k * shells->n_shells + s] =
                first_shell[image] + s - first_shell[atom];
        }
}

/* Groups are consecutive shells of one atom. */
static void set_group_images(struct tile_symmetry *symmetry, int64_t *group_of_shell)
{
    const struct shells *shells = symmetry->tiling->shells;
    for (int64_t g = 0; g < shells->n_groups; g++)
        group_of_shell[shells->groups[g].first_shell] = g;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int64_t g = 0; g < shells->n_groups; g++)
            symmetry->group_images[k * shells->n_groups + g] =
                group_of_shell[symmetry->shell_images[k * shells->n_shells +
                                                      shells->groups[g].first_shell]];
}

static void set_shell_tiles(struct tile_symmetry *symmetry)
{
    const struct tiling *tiling = symmetry->tiling;
    for (int64_t I = 0; I < tiling->n_tiles; I++)
        for (int64_t s = tiling->first_shell[I]; s < tiling->first_shell[I + 1]; s++)
            symmetry->shell_tiles[s] = I;
}

static enum status fill_symmetry(struct tile_symmetry *symmetry)
{
    const struct shells *shells = symmetry->tiling->shells;
    size_t order = (size_t)symmetry->group->order, n_shells = (size_t)shells->n_shells;
    size_t n_atoms = (size_t)symmetry->group->n_atoms;
    int64_t *scratch = malloc((n_atoms > n_shells ? n_atoms : n_shells) * sizeof *scratch);
    symmetry->shell_images = malloc(order * n_shells * sizeof(int64_t));
    symmetry->group_images = malloc(order * (size_t)shells->n_groups * sizeof(int64_t));
    symmetry->shell_tiles = malloc(n_shells * sizeof(int64_t));
    symmetry->turn_storage = malloc(order * (size_t)turn_elements(shells) * sizeof(double));
    enum status status = CHECK_MEMORY(scratch && symmetry->shell_images && symmetry->group_images &&
                                          symmetry->shell_tiles && symmetry->turn_storage,
                                      "no memory for the symmetry of %zu shells", n_shells);
    if (status == STATUS_OK) {
        set_shell_images(symmetry, scratch);
        set_group_images(symmetry, scratch);
        set_shell_tiles(symmetry);
        set_turns(symmetry);
    }
    free(scratch);
    return status;
}

enum status tile_symmetry_create(const struct tiling *tiling, const struct point_group *group,
                                 struct tile_symmetry **symmetry)
{
    struct tile_symmetry *made = calloc(1, sizeof *made);
    *symmetry = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the symmetry of the basis"));
    made->tiling = tiling;
    made->group = group;
    enum status status = fill_symmetry(made);
    if (status == STATUS_OK)
        *symmetry = made;
    else
        tile_symmetry_destroy(made);
    return status;
}

void tile_symmetry_destroy(struct tile_symmetry *symmetry)
{
    if (!symmetry)
        return;
    free(symmetry->shell_images);
    free(symmetry->group_images);
    free(symmetry->shell_tiles);
    free(symmetry->turn_storage);
    free(symmetry);
}

int64_t tile_symmetry_bytes(const struct tiling *tiling, const struct point_group *group)
{
    const struct shells *shells = tiling->shells;
    int64_t n = tiling->max_functions;
    int64_t of_operation =
        (shells->n_shells + shells->n_groups + turn_elements(shells) + n * n) * 8;
    return (int64_t)sizeof(struct tile_symmetry) + shells->n_shells * 8 +
           group->order * of_operation + item_cache_bytes(tiling_n_pairs(tiling)) + CACHE_BYTES;
}

uint64_t tile_symmetry_fixing(const struct tile_symmetry *symmetry, int64_t a, int64_t b)
{
    uint64_t fixing = 0;
    for (int k = 0; k < symmetry->group->order; k++) {
        const int64_t *images = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
        bool fixed = (images[a] == a && images[b] == b) || (images[a] == b && images[b] == a);
        fixing |= (uint64_t)fixed << k;
    }
    return fixing;
}

/* Reads tiles of a matrix, wherever they are. */
struct tile_reader {
    const struct tile_symmetry *symmetry;
    const struct darray *matrix;
    enum tile_matrix_use use;
    struct item_cache *cache; /* of tiles of other processes */
    double *images;           /* of the tile at hand: order x max_functions^2 */
};

static enum status load_image_source(int64_t pair, void *context, void **item, int64_t *bytes)
{
    const struct tile_reader *reader = context;
    *bytes = darray_block_size(reader->matrix, pair) * (int64_t)sizeof(double);
    *item = malloc((size_t)*bytes);
    TRY(CHECK_MEMORY(*item, "no memory for a tile of a matrix"));
    darray_get(reader->matrix, pair, *item);
    return STATUS_OK;
}

static void unload_image_source(int64_t pair, void *item, void *context)
{
    (void)pair;
    (void)context;
    free(item);
}

static void tile_reader_fini(struct tile_reader *reader)
{
    item_cache_destroy(reader->cache);
    free(reader->images);
}

/* After a failure, too, tile_reader_fini has to be called. */
static enum status tile_reader_init(struct tile_reader *reader)
{
    const struct tile_symmetry *symmetry = reader->symmetry;
    const struct tiling *tiling = symmetry->tiling;
    size_t n = (size_t)tiling->max_functions;
    const struct item_cache_source source = {load_image_source, unload_image_source, reader};
    reader->images = malloc((size_t)symmetry->group->order * n * n * sizeof(double));
    TRY(CHECK_MEMORY(reader->images, "no memory for images of a tile"));
    return item_cache_create(tiling_n_pairs(tiling), CACHE_BYTES, &source, &reader->cache);
}

/* A block of two shells within a larger one: element (i, j) at i * stride[0] + j * stride[1]. */
struct shell_block {
    const struct shell *a, *b;
    const double *elements;
    int64_t stride[2];
};

/* T of a shell under operation k: of its inverse for operators. */
static const double *find_turn(const struct tile_reader *reader, int k, const struct shell *shell)
{
    bool density = reader->use == TILE_DENSITY;
    return reader->symmetry->turns[density ? k : reader->symmetry->group->inverse[k]][shell->l];
}

/* out[p][q] = sum_mn T_a[p][m] X[m][n] T_b[q][n], or with both T transposed; row-major with the stride
 * of its tile. */
static void turn_block(const struct tile_reader *reader, int k, const struct shell_block *X,
                       double *out, int64_t out_stride)
{
    bool density = reader->use == TILE_DENSITY;
    int n_a = X->a->n_functions, n_b = X->b->n_functions;
    const double *T_a = find_turn(reader, k, X->a), *T_b = find_turn(reader, k, X->b);
    double half[ANGULAR_MAX_FUNCTIONS];
    for (int p = 0; p < n_a; p++) {
        memset(half, 0, (size_t)n_b * sizeof *half);
        for (int m = 0; m < n_a; m++) {
            double t = density ? T_a[m * n_a + p] : T_a[p * n_a + m];
            for (int n = 0; t != 0 && n < n_b; n++)
                half[n] += t * X->elements[m * X->stride[0] + n * X->stride[1]];
        }
        for (int q = 0; q < n_b; q++) {
            double sum = 0;
            for (int n = 0; n < n_b; n++)
                sum += half[n] * (density ? T_b[n * n_b + q] : T_b[q * n_b + n]);
            out[p * out_stride + q] = sum;
        }
    }
}

/* turn_block where functions change their signs alone, as along coordinate axes. */
static void sign_block(const struct tile_reader *reader, int k, const struct shell_block *X,
                       double *out, int64_t out_stride)
{
    int64_t n_a = X->a->n_functions, n_b = X->b->n_functions;
    const double *T_a = reader->symmetry->turns[k][X->a->l];
    const double *T_b = reader->symmetry->turns[k][X->b->l];
    for (int64_t p = 0; p < n_a; p++)
        for (int64_t q = 0; q < n_b; q++)
            out[p * out_stride + q] = T_a[p * (n_a + 1)] * T_b[q * (n_b + 1)] *
                                      X->elements[p * X->stride[0] + q * X->stride[1]];
}

/* The block of shells a' and b', from its tile. */
static struct shell_block find_block(const struct tiling *tiling, int64_t a, int64_t b, int64_t I,
                                     int64_t J, const double *tile)
{
    const struct shell *shells = tiling->shells->shells;
    int64_t row = shells[a].first_function - tiling->first_function[I];
    int64_t column = shells[b].first_function - tiling->first_function[J];
    bool in_order = I >= J;
    int64_t width = tile_n_functions(tiling, in_order ? J : I);
    struct shell_block block = {.a = &shells[a], .b = &shells[b]};
    block.stride[0] = in_order ? width : 1;
    block.stride[1] = in_order ? 1 : width;
    block.elements = tile + row * block.stride[0] + column * block.stride[1];
    return block;
}

static enum status turn_shell_pair(struct tile_reader *reader, int k, int64_t a, int64_t b,
                                   double *out, int64_t out_stride)
{
    const struct tile_symmetry *symmetry = reader->symmetry;
    const int64_t *images = symmetry->shell_images + k * symmetry->tiling->shells->n_shells;
    int64_t I = symmetry->shell_tiles[images[a]], J = symmetry->shell_tiles[images[b]];
    int64_t pair = tile_pair_index_unordered(I, J);
    const double *tile = darray_local(reader->matrix, pair);
    bool here = tile != NULL;
    void *item = NULL;
    if (!here)
        TRY(item_cache_pin(reader->cache, pair, &item));
    struct shell_block block =
        find_block(symmetry->tiling, images[a], images[b], I, J, here ? tile : item);
    if (symmetry->signs_only)
        sign_block(reader, k, &block, out, out_stride);
    else
        turn_block(reader, k, &block, out, out_stride);
    if (!here)
        item_cache_release(reader->cache, pair);
    return STATUS_OK;
}

/* reader->images: the tile (I, J) of k A for every operation k, one after another. */
static enum status read_images(struct tile_reader *reader, int64_t I, int64_t J)
{
    const struct tiling *tiling = reader->symmetry->tiling;
    const struct shell *shells = tiling->shells->shells;
    int64_t width = tile_n_functions(tiling, J), size = tile_n_functions(tiling, I) * width;
    for (int k = 0; k < reader->symmetry->group->order; k++)
        for (int64_t a = tiling->first_shell[I]; a < tiling->first_shell[I + 1]; a++)
            for (int64_t b = tiling->first_shell[J]; b < tiling->first_shell[J + 1]; b++) {
                int64_t row = shells[a].first_function - tiling->first_function[I];
                int64_t column = shells[b].first_function - tiling->first_function[J];
                double *out = reader->images + k * size + row * width + column;
                TRY(turn_shell_pair(reader, k, a, b, out, width));
            }
    return STATUS_OK;
}

static void add_images(const struct tile_reader *reader, const double factors[], int64_t size,
                       double beta, double *tile)
{
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int k = 0; k < reader->symmetry->group->order; k++)
            sum += factors[k] * reader->images[k * size + i];
        tile[i] = beta == 0 ? sum : beta * tile[i] + sum;
    }
}

static enum status add_own_tiles(struct tile_reader *reader, const double factors[], double beta,
                                 struct darray *B)
{
    struct own_tile own = {0};
    TRY(tile_reader_init(reader));
    while (own_tile_next(reader->symmetry->tiling, B, &own)) {
        TRY(read_images(reader, own.I, own.J));
        add_images(reader, factors, darray_block_size(B, own.pair), beta,
                   darray_local(B, own.pair));
    }
    return STATUS_OK;
}

enum status tile_symmetry_add(const struct tile_symmetry *symmetry, enum tile_matrix_use use,
                              const double factors[], const struct darray *A, double beta,
                              struct darray *B)
{
    struct tile_reader reader = {.symmetry = symmetry, .matrix = A, .use = use};
    enum status status = add_own_tiles(&reader, factors, beta, B);
    tile_reader_fini(&reader);
    return darray_sync_and_agree(status);
}

/* characters[r][k], of every representation and operation. */
struct character_table {
    double characters[POINT_GROUP_MAX_ORDER][POINT_GROUP_MAX_ORDER];
};

static struct character_table tabulate_characters(const struct point_group *group)
{
    struct character_table table = {{{0}}};
    for (int r = 0; r < group->order; r++)
        for (int k = 0; k < group->order; k++)
            table.characters[r][k] = point_group_character(group, r, k);
    return table;
}

struct parts_found {
    struct character_table table;
    double *largest; /* of each part */
};

/* Largest elements of the parts of the tile at hand. */
static void note_parts(const struct tile_reader *reader, int64_t size, void *context)
{
    const struct parts_found *found = context;
    const struct character_table *table = &found->table;
    double *largest = found->largest;
    int order = reader->symmetry->group->order;
    for (int r = 0; r < order; r++)
        for (int64_t i = 0; i < size; i++) {
            double sum = 0;
            for (int k = 0; k < order; k++)
                sum += table->characters[r][k] * reader->images[k * size + i];
            largest[r] = fmax(largest[r], fabs(sum) / order);
        }
}

/* Calls note for the images of each tile of this process. */
static enum status visit_images(const struct tile_symmetry *symmetry, const struct darray *D,
                                void (*note)(const struct tile_reader *reader, int64_t size,
                                             void *context),
                                void *context)
{
    struct tile_reader reader = {.symmetry = symmetry, .matrix = D, .use = TILE_DENSITY};
    struct own_tile own = {0};
    enum status status = tile_reader_init(&reader);
    while (status == STATUS_OK && own_tile_next(symmetry->tiling, D, &own)) {
        status = read_images(&reader, own.I, own.J);
        if (status == STATUS_OK)
            note(&reader, darray_block_size(D, own.pair), context);
    }
    tile_reader_fini(&reader);
    return status;
}

enum status tile_symmetry_find_parts(const struct tile_symmetry *symmetry, const struct darray *D,
                                     double largest[])
{
    struct parts_found found = {.table = tabulate_characters(symmetry->group), .largest = largest};
    for (int r = 0; r < symmetry->group->order; r++)
        largest[r] = 0;
    return visit_images(symmetry, D, note_parts, &found);
}

/* The identity is the first operation. */
static void note_rest(const struct tile_reader *reader, int64_t size, void *context)
{
    double *largest = context;
    int order = reader->symmetry->group->order;
    for (int64_t i = 0; i < size; i++) {
        double sum = 0;
        for (int k = 0; k < order; k++)
            sum += reader->images[k * size + i];
        largest[0] = fmax(largest[0], fabs(sum) / order);
        largest[1] = fmax(largest[1], fabs(reader->images[i] - sum / order));
    }
}

enum status tile_symmetry_find_rest(const struct tile_symmetry *symmetry, const struct darray *D,
                                    double largest[2])
{
    largest[0] = largest[1] = 0;
    return visit_images(symmetry, D, note_rest, largest);
}
