/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tile_symmetry.h"

#include "hf/tiles/tile_matrix.h"
#include "support/arrays/item_cache.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Elements that are integers but for rounding become so: changes of sign and exchanges of coordinates
 * then round nothing. */
static void clear_rounding(int64_t n, double *T)
{
    for (int64_t i = 0; i < n * n; i++)
        T[i] = fabs(T[i] - rint(T[i])) < 1e-13 ? rint(T[i]) : T[i];
}

static void set_turns(struct tile_symmetry *symmetry)
{
    const struct shells *shells = symmetry->tiling->shells;
    double *next = symmetry->turn_storage;
    for (int k = 0; k < symmetry->group->order; k++)
        for (int l = 0; l <= shells->max_l; l++) {
            int64_t n = n_functions_of(shells, l);
            angular_image(l, shells->spherical, symmetry->group->matrix[k], next);
            symmetry->turns[k][l] = next;
            clear_rounding(n, next);
            next += n * n;
        }
}

/* The shells of an atom are consecutive; alike atoms have theirs in one order. */
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

uint64_t tile_symmetry_fixing(const struct tile_symmetry *symmetry, int n_operations, int64_t a,
                              int64_t b)
{
    uint64_t fixing = 0;
    for (int k = 0; k < n_operations; k++) {
        const int64_t *images = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
        bool fixed = (images[a] == a && images[b] == b) || (images[a] == b && images[b] == a);
        fixing |= (uint64_t)fixed << k;
    }
    return fixing;
}

/* Sums over the operations of a matrix, of one shell pair of each orbit:
 *
 *   S = sum_k f_k (k A)  of the highest pair of shells among the images of one
 *      |  turned by k
 *      v
 *   S of the pairs that operation k takes to it, where their tiles are this process's
 *
 * f_k being the characters of a one-dimensional representation times a factor. Every process sums for the
 * same pairs, in the order of operations, so that the sums do not depend on where tiles are. */

/* Tiles of other processes that are at hand at once. */
#define CACHE_BYTES 4000000

/* A walk over the orbits that have a pair of shells in a tile of this process. */
struct orbit_walk {
    const struct tile_symmetry *symmetry;
    int n_operations;
    const struct darray *matrix; /* A */
    const struct darray *own;    /* whose tiles of this process are walked over */
    enum tile_matrix_use use;
    struct item_cache *cache; /* of tiles of other processes */
    uint64_t *visited;        /* a bit for each pair of shells a >= b */
    double *images;           /* of the highest pair: order x shell_block_size */
    double *sum, *turned;     /* shell_block_size each */
};

static int64_t shell_block_size(const struct tiling *tiling)
{
    int64_t n = 0;
    for (int64_t s = 0; s < tiling->shells->n_shells; s++)
        if (tiling->shells->shells[s].n_functions > n)
            n = tiling->shells->shells[s].n_functions;
    return n * n;
}

static int64_t visited_words(const struct tiling *tiling)
{
    int64_t n = tiling->shells->n_shells;
    return (n * (n + 1) / 2 + 63) / 64;
}

static int64_t bytes_of_sums(const struct tiling *tiling, const struct point_group *group)
{
    return ((group->order + 2) * shell_block_size(tiling) + visited_words(tiling)) * 8 +
           item_cache_bytes(tiling_n_pairs(tiling)) + CACHE_BYTES;
}

int64_t tile_symmetry_bytes(const struct tiling *tiling, const struct point_group *group)
{
    const struct shells *shells = tiling->shells;
    int64_t of_operation = shells->n_shells + shells->n_groups + turn_elements(shells);
    return (int64_t)sizeof(struct tile_symmetry) +
           (shells->n_shells + group->order * of_operation) * 8 + bytes_of_sums(tiling, group);
}

static enum status load_tile(int64_t pair, void *context, void **item, int64_t *bytes)
{
    const struct orbit_walk *walk = context;
    *bytes = darray_block_size(walk->matrix, pair) * (int64_t)sizeof(double);
    *item = malloc((size_t)*bytes);
    TRY(CHECK_MEMORY(*item, "no memory for a tile of a matrix"));
    darray_get(walk->matrix, pair, *item);
    return STATUS_OK;
}

static void orbit_walk_fini(struct orbit_walk *walk)
{
    item_cache_destroy(walk->cache);
    free(walk->visited);
    free(walk->images);
}

/* After a failure, too, orbit_walk_fini has to be called. */
static enum status orbit_walk_init(struct orbit_walk *walk)
{
    const struct tiling *tiling = walk->symmetry->tiling;
    int64_t n = shell_block_size(tiling), order = walk->n_operations;
    const struct item_cache_source source = {load_tile, NULL, walk};
    walk->visited = calloc((size_t)visited_words(tiling), sizeof *walk->visited);
    walk->images = malloc((size_t)((order + 2) * n) * sizeof(double));
    TRY(CHECK_MEMORY(walk->visited && walk->images, "no memory for images of a matrix"));
    walk->sum = walk->images + order * n;
    walk->turned = walk->sum + n;
    return item_cache_create(tiling_n_pairs(tiling), CACHE_BYTES, &source, &walk->cache);
}

/* A block of two shells within a larger one: element (i, j) at i * stride[0] + j * stride[1]. */
struct shell_block {
    const struct shell *a, *b;
    const double *elements;
    int64_t stride[2];
};

/* T of a shell under operation k: of its inverse for operators. */
static const double *find_turn(const struct orbit_walk *walk, int k, const struct shell *shell)
{
    bool density = walk->use == TILE_DENSITY;
    return walk->symmetry->turns[density ? k : walk->symmetry->group->inverse[k]][shell->l];
}

/* out: block (a, b) of k X, X being the block of their images; row-major:
 * out[p][q] = sum_mn T_a[p][m] X[m][n] T_b[q][n], or with both T transposed. */
static void turn_block(const struct orbit_walk *walk, int k, const struct shell_block *X,
                       double *out)
{
    int n_a = X->a->n_functions, n_b = X->b->n_functions;
    const double *T_a = find_turn(walk, k, X->a), *T_b = find_turn(walk, k, X->b);
    bool transposed = walk->use == TILE_DENSITY;
    int row = transposed ? 1 : n_b, column = transposed ? n_b : 1; /* of T_b */
    memset(out, 0, (size_t)(n_a * n_b) * sizeof *out);
    for (int m = 0; m < n_a; m++) {
        double half[ANGULAR_MAX_FUNCTIONS] = {0};
        for (int n = 0; n < n_b; n++) {
            double x = X->elements[m * X->stride[0] + n * X->stride[1]];
            for (int q = 0; q < n_b; q++)
                half[q] += x * T_b[q * row + n * column];
        }
        for (int p = 0; p < n_a; p++)
            for (int q = 0; q < n_b; q++)
                out[p * n_b + q] += T_a[transposed ? m * n_a + p : p * n_a + m] * half[q];
    }
}

/* The block of shells a and b of tile (I, J) or (J, I), whichever is stored. */
static struct shell_block find_block(const struct tile_symmetry *symmetry, int64_t a, int64_t b,
                                     const double *tile)
{
    const struct tiling *tiling = symmetry->tiling;
    const struct shell *shells = tiling->shells->shells;
    int64_t I = symmetry->shell_tiles[a], J = symmetry->shell_tiles[b];
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

static int64_t tile_of_shells(const struct tile_symmetry *symmetry, int64_t a, int64_t b)
{
    return tile_pair_index_unordered(symmetry->shell_tiles[a], symmetry->shell_tiles[b]);
}

static const int64_t *shell_images(const struct tile_symmetry *symmetry, int k)
{
    return symmetry->shell_images + k * symmetry->tiling->shells->n_shells;
}

/* out: block (a, b) of k A. */
static enum status read_image(struct orbit_walk *walk, int k, int64_t a, int64_t b, double *out)
{
    const struct tile_symmetry *symmetry = walk->symmetry;
    const int64_t *images = shell_images(symmetry, k);
    int64_t pair = tile_of_shells(symmetry, images[a], images[b]);
    const double *tile = darray_local(walk->matrix, pair);
    bool here = tile != NULL;
    void *item = NULL;
    if (!here)
        TRY(item_cache_pin(walk->cache, pair, &item));
    struct shell_block block =
        find_block(symmetry, images[a], images[b], here ? tile : (const double *)item);
    turn_block(walk, k, &block, out);
    if (!here)
        item_cache_release(walk->cache, pair);
    return STATUS_OK;
}

/* The highest pair of an orbit, a >= b, whose images are at hand. */
struct highest_pair {
    int64_t a, b;
    int64_t size; /* of its block */
};

static struct highest_pair find_highest(const struct orbit_walk *walk, int64_t a, int64_t b)
{
    const struct tile_symmetry *symmetry = walk->symmetry;
    int64_t highest = -1;
    struct highest_pair pair = {0};
    for (int k = 0; k < walk->n_operations; k++) {
        const int64_t *images = shell_images(symmetry, k);
        int64_t number = tile_pair_index_unordered(images[a], images[b]);
        if (number > highest) {
            highest = number;
            pair.a = images[a] > images[b] ? images[a] : images[b];
            pair.b = images[a] > images[b] ? images[b] : images[a];
        }
    }
    const struct shell *shells = symmetry->tiling->shells->shells;
    pair.size = (int64_t)shells[pair.a].n_functions * shells[pair.b].n_functions;
    return pair;
}

static bool is_visited(const struct orbit_walk *walk, int64_t a, int64_t b)
{
    int64_t number = tile_pair_index_unordered(a, b);
    return walk->visited[number / 64] >> number % 64 & 1;
}

static void mark_visited(struct orbit_walk *walk, int64_t a, int64_t b)
{
    int64_t number = tile_pair_index_unordered(a, b);
    walk->visited[number / 64] |= UINT64_C(1) << number % 64;
}

/* A use of the images of a highest pair: images[k] is block (pair->a, pair->b) of k A. */
struct orbit_use {
    void (*use_images)(struct orbit_walk *walk, const struct highest_pair *pair, void *context);
    /* walk->turned: block (a, b) of k walk->sum, which use_images sets, row-major. NULL: not called. */
    void (*use_turned)(const struct orbit_walk *walk, int k, int64_t a, int64_t b, void *context);
    void *context;
};

static enum status visit_orbit(struct orbit_walk *walk, const struct highest_pair *pair,
                               const struct orbit_use *use)
{
    const struct tile_symmetry *symmetry = walk->symmetry;
    const struct shell *shells = symmetry->tiling->shells->shells;
    const struct shell_block sum = {.a = &shells[pair->a],
                                    .b = &shells[pair->b],
                                    .elements = walk->sum,
                                    .stride = {shells[pair->b].n_functions, 1}};
    for (int k = 0; k < walk->n_operations; k++)
        TRY(read_image(walk, k, pair->a, pair->b, walk->images + k * pair->size));
    use->use_images(walk, pair, use->context);
    for (int k = 0; k < walk->n_operations; k++) {
        const int64_t *images = shell_images(symmetry, symmetry->group->inverse[k]);
        int64_t a = images[pair->a], b = images[pair->b];
        if (is_visited(walk, a, b) || !darray_local(walk->own, tile_of_shells(symmetry, a, b)))
            continue;
        mark_visited(walk, a, b);
        if (!use->use_turned)
            continue;
        turn_block(walk, k, &sum, walk->turned);
        use->use_turned(walk, k, a, b, use->context);
    }
    return STATUS_OK;
}

static enum status visit_tile(struct orbit_walk *walk, const struct own_tile *own,
                              const struct orbit_use *use)
{
    const struct tiling *tiling = walk->symmetry->tiling;
    for (int64_t a = tiling->first_shell[own->I]; a < tiling->first_shell[own->I + 1]; a++)
        for (int64_t b = tiling->first_shell[own->J]; b < tiling->first_shell[own->J + 1]; b++) {
            if (b > a || is_visited(walk, a, b))
                continue;
            struct highest_pair pair = find_highest(walk, a, b);
            TRY(visit_orbit(walk, &pair, use));
        }
    return STATUS_OK;
}

/* walk: symmetry, matrix, use and own. */
static enum status visit_orbits(struct orbit_walk *walk, const struct orbit_use *use)
{
    struct own_tile own = {0};
    enum status status = orbit_walk_init(walk);
    while (status == STATUS_OK && own_tile_next(walk->symmetry->tiling, walk->own, &own))
        status = visit_tile(walk, &own, use);
    orbit_walk_fini(walk);
    return status;
}

struct addition {
    const double *factors;
    double beta;
    struct darray *B;
};

static void sum_images(struct orbit_walk *walk, const struct highest_pair *pair, void *context)
{
    const struct addition *addition = context;
    memset(walk->sum, 0, (size_t)pair->size * sizeof *walk->sum);
    for (int k = 0; k < walk->n_operations; k++)
        for (int64_t i = 0; i < pair->size; i++)
            walk->sum[i] += addition->factors[k] * walk->images[k * pair->size + i];
}

/* walk->turned becomes a block of B, transposed or not. */
static void add_turned_block(const struct orbit_walk *walk, double scale, double beta,
                             const struct shell_block *block, bool transposed, double *to)
{
    int64_t n_a = block->a->n_functions, n_b = block->b->n_functions;
    for (int64_t i = 0; i < n_a; i++)
        for (int64_t j = 0; j < n_b; j++) {
            double *element = to + i * block->stride[0] + j * block->stride[1];
            double sum = scale * walk->turned[transposed ? j * n_a + i : i * n_b + j];
            *element = beta == 0 ? sum : beta * *element + sum;
        }
}

/* Tiles of the diagonal are stored whole: both (a, b) and (b, a). */
static void add_turned(const struct orbit_walk *walk, int k, int64_t a, int64_t b, void *context)
{
    const struct addition *addition = context;
    const struct tile_symmetry *symmetry = walk->symmetry;
    double *tile = darray_local(addition->B, tile_of_shells(symmetry, a, b));
    double character = addition->factors[k] / addition->factors[0];
    struct shell_block block = find_block(symmetry, a, b, tile);
    add_turned_block(walk, character, addition->beta, &block, false,
                     tile + (block.elements - tile));
    if (a == b || symmetry->shell_tiles[a] != symmetry->shell_tiles[b])
        return;
    block = find_block(symmetry, b, a, tile);
    add_turned_block(walk, character, addition->beta, &block, true, tile + (block.elements - tile));
}

enum status tile_symmetry_add(const struct tile_symmetry *symmetry, int n_operations,
                              enum tile_matrix_use use, const double factors[],
                              const struct darray *A, double beta, struct darray *B)
{
    struct addition addition = {factors, beta, B};
    const struct orbit_use orbit_use = {sum_images, add_turned, &addition};
    struct orbit_walk walk = {
        .symmetry = symmetry, .n_operations = n_operations, .matrix = A, .own = B, .use = use};
    return darray_sync_and_agree(visit_orbits(&walk, &orbit_use));
}

/* The images hold all blocks of the orbit, so that their parts stand for all its pairs. */
static void note_parts(struct orbit_walk *walk, const struct highest_pair *pair, void *context)
{
    double *largest = context;
    int n = walk->n_operations;
    for (int r = 0; r < n; r++)
        for (int64_t i = 0; i < pair->size; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += point_group_character(r, k) * walk->images[k * pair->size + i];
            largest[r] = fmax(largest[r], fabs(sum) / n);
        }
}

static void note_rest(struct orbit_walk *walk, const struct highest_pair *pair, void *context)
{
    double *largest = context;
    int n = walk->n_operations;
    for (int64_t i = 0; i < pair->size; i++) {
        double mean = 0;
        for (int k = 0; k < n; k++)
            mean += walk->images[k * pair->size + i] / n;
        largest[0] = fmax(largest[0], fabs(mean));
        for (int k = 0; k < n; k++)
            largest[1] = fmax(largest[1], fabs(walk->images[k * pair->size + i] - mean));
    }
}

static enum status find_largest(const struct tile_symmetry *symmetry, int n_operations,
                                const struct darray *D, const struct orbit_use *use)
{
    struct orbit_walk walk = {.symmetry = symmetry,
                              .n_operations = n_operations,
                              .matrix = D,
                              .own = D,
                              .use = TILE_DENSITY};
    return visit_orbits(&walk, use);
}

enum status tile_symmetry_find_parts(const struct tile_symmetry *symmetry, const struct darray *D,
                                     double largest[POINT_GROUP_MAX_COMMUTING])
{
    const struct orbit_use use = {note_parts, NULL, largest};
    memset(largest, 0, POINT_GROUP_MAX_COMMUTING * sizeof *largest);
    return find_largest(symmetry, symmetry->group->n_commuting, D, &use);
}

enum status tile_symmetry_find_rest(const struct tile_symmetry *symmetry, const struct darray *D,
                                    double largest[2])
{
    const struct orbit_use use = {note_rest, NULL, largest};
    memset(largest, 0, 2 * sizeof *largest);
    return find_largest(symmetry, symmetry->group->order, D, &use);
}
