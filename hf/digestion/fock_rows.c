/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout, for a bra (ab) and kets k = 0, 1, ... = (cd) by descending bound. Functions are
 * numbered in the order in which they first occur (struct occurring_functions), so that large
 * integrals lie together at the upper left:
 *
 *     kets, one array a quantity     V, integrals of one bra: row c, column d, place[k] in it
 *
 *     block 0: k = 0 ... 7                 d0  d1  d2  ...   | up to a multiple of QUARTET_LANES
 *     block 1: k = 8 ... 15            c0  v0  v2  v5    0   | = stride
 *     ...                              c1  v1  v4   0    0   |
 *     last: empty lanes have           ... zero rows up to a multiple of ROW_GROUP
 *     orbit, D, bound of 0             QUARTET_LANES elements for the empty lanes of the last block
 *
 * Each D[i] and A[i] is four matrices of m x m elements, ac, ad, bc and bd: row and column are
 * such numbers, so that a row of V meets consecutive elements of them. */
#include "hf/digestion/fock_rows.h"

#include "support/base/clock.h"
#include "support/vectors/vector_clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW_GROUP = 4,        /* rows of V that are multiplied together */
    N_EXCHANGE_BLOCKS = 4 /* of D and A: ac, ad, bc, bd */
};

/* The roles of the functions of a block. */
static const int exchange_block_roles[N_EXCHANGE_BLOCKS][2] = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Functions of a tile that occur, in the order in which they do. */
struct occurring_functions {
    int32_t n;
    int32_t *function; /* within the tile */
    int32_t *number;   /* of each function of the tile; -1: does not occur */
};

/* Kets in blocks, one array a quantity. */
struct row_kets {
    int32_t n;
    int32_t *row, *column;       /* numbers of their functions */
    int32_t *place;              /* in V; those beyond n in its last elements */
    int32_t *n_rows, *n_columns; /* of kets up to this one */
    double *bound;
    double *orbit;                                     /* 1/2 for c = d; 0 beyond n */
    double *weight;                                    /* Coulomb weight (screening.h) */
    double *D[FOCK_MAX_COULOMB], *A[FOCK_MAX_COULOMB]; /* of Coulomb densities */
};

struct row_matrices {
    const struct tiling *tiling;
    int n_matrices;
    int64_t m;      /* functions of a tile at most, a multiple of QUARTET_LANES */
    int32_t stride; /* elements of a row of V, a multiple of QUARTET_LANES */
    struct occurring_functions role[4];
    struct row_kets kets;
    double *V;         /* zero but for kets of marked blocks */
    double *integrals; /* of a row, by ket: scratch of its user */
    double *D[FOCK_MAX_MATRICES],
        *A[FOCK_MAX_MATRICES]; /* blocks ac, ad, bc, bd of m x m elements */
    int32_t *blocks;           /* of a row: scratch of its user */
    int32_t n_marked;          /* all marked blocks are before it */
    unsigned char *marked;
    double *weight[2]; /* of the rows and columns of V, for a bra: scratch of the user */
    void *memory;
};

/* One of the four blocks in D[spin] or A[spin]. */
static inline double *exchange_block_of(const struct row_matrices *matrices, double *blocks,
                                        int block)
{
    return blocks + block * matrices->m * matrices->m;
}

/* --- the matrices of a tile quartet --- */

/* Hands out parts of one piece of memory, or only counts them, where that is NULL. */
struct parts {
    char *memory;
    int64_t used;
};

static void *take_part(struct parts *parts, int64_t n, int64_t size)
{
    void *part = parts->memory ? parts->memory + parts->used : NULL;
    parts->used += (n * size + 63) / 64 * 64;
    return part;
}

static double *take_doubles(struct parts *parts, int64_t n)
{
    return take_part(parts, n, (int64_t)sizeof(double));
}

static int32_t *take_integers(struct parts *parts, int64_t n)
{
    return take_part(parts, n, (int64_t)sizeof(int32_t));
}

static void lay_out(struct row_matrices *matrices, struct parts *parts)
{
    int64_t m = matrices->m, n_kets = m * m;
    for (int role = 0; role < 4; role++) {
        matrices->role[role].function = take_integers(parts, m);
        matrices->role[role].number = take_integers(parts, m);
    }
    int32_t **integers[] = {&matrices->kets.row, &matrices->kets.column, &matrices->kets.place,
                            &matrices->kets.n_rows, &matrices->kets.n_columns};
    for (int i = 0; i < 5; i++)
        *integers[i] = take_integers(parts, n_kets);
    double **numbers[] = {&matrices->kets.bound, &matrices->kets.orbit, &matrices->kets.weight,
                          &matrices->integrals};
    for (int i = 0; i < 4; i++)
        *numbers[i] = take_doubles(parts, n_kets);
    for (int c = 0; c < FOCK_MAX_COULOMB; c++) {
        matrices->kets.D[c] = take_doubles(parts, n_kets);
        matrices->kets.A[c] = take_doubles(parts, n_kets);
    }
    matrices->V = take_doubles(parts, m * m + QUARTET_LANES);
    for (int i = 0; i < matrices->n_matrices; i++) {
        matrices->D[i] = take_doubles(parts, N_EXCHANGE_BLOCKS * m * m);
        matrices->A[i] = take_doubles(parts, N_EXCHANGE_BLOCKS * m * m);
    }
    for (int side = 0; side < 2; side++)
        matrices->weight[side] = take_doubles(parts, m);
    matrices->blocks = take_integers(parts, n_kets / QUARTET_LANES);
    matrices->marked = take_part(parts, n_kets / QUARTET_LANES, 1);
}

static int64_t functions_in_blocks(const struct tiling *tiling)
{
    return (tiling->max_functions + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
}

int64_t row_matrices_bytes(const struct tiling *tiling, int n_matrices)
{
    struct row_matrices matrices = {.n_matrices = n_matrices, .m = functions_in_blocks(tiling)};
    struct parts parts = {0};
    lay_out(&matrices, &parts);
    return parts.used;
}

enum status row_matrices_create(const struct tiling *tiling, int n_matrices,
                                struct row_matrices **matrices)
{
    struct row_matrices *made = *matrices = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for rows of integrals"));
    *made = (struct row_matrices){
        .tiling = tiling, .n_matrices = n_matrices, .m = functions_in_blocks(tiling)};
    made->memory = aligned_alloc(64, (size_t)row_matrices_bytes(tiling, n_matrices));
    TRY(CHECK_MEMORY(made->memory, "no memory for rows of integrals"));
    lay_out(made, &(struct parts){.memory = made->memory});
    return STATUS_OK;
}

void row_matrices_destroy(struct row_matrices *matrices)
{
    if (matrices)
        free(matrices->memory);
    free(matrices);
}

static int32_t number_function(struct occurring_functions *occurring, int64_t function)
{
    int32_t *number = &occurring->number[function];
    if (*number < 0) {
        *number = occurring->n;
        occurring->function[occurring->n++] = (int32_t)function;
    }
    return *number;
}

static void clear_occurring(struct row_matrices *matrices, const struct quartet_views *views)
{
    for (int role = 0; role < 4; role++) {
        int64_t n = tile_n_functions(matrices->tiling, views->tile[role]);
        matrices->role[role].n = 0;
        memset(matrices->role[role].number, -1, (size_t)n * sizeof *matrices->role[role].number);
    }
}

/* Takes the first n pairs of the class as kets, and empties V. */
static void set_kets(struct row_matrices *matrices, const struct quartet_views *views,
                     const struct pair_class *class, int32_t n)
{
    struct row_kets *kets = &matrices->kets;
    struct occurring_functions *C = &matrices->role[2], *D = &matrices->role[3];
    const struct tile_view *cd = &views->view[2][3];
    kets->n = n;
    for (int32_t k = 0; k < n; k++) {
        const struct shell_pair *pair = &class->pairs[k];
        int64_t c = view_function(views, 2, pair->function[0]);
        int64_t d = view_function(views, 3, pair->function[1]);
        kets->row[k] = number_function(C, c);
        kets->column[k] = number_function(D, d);
        kets->n_rows[k] = C->n;
        kets->n_columns[k] = D->n;
        kets->bound[k] = pair->bound;
        kets->orbit[k] = pair->first == pair->second ? 0.5 : 1;
        kets->weight[k] = 0;
        for (int i = 0; i < FOCK_MAX_COULOMB; i++) {
            bool used = i < views->kind.n_coulomb;
            int64_t at = c * cd->stride[0] + d * cd->stride[1];
            kets->D[i][k] = used ? 2 * views->kind.coulomb_scale * cd->D->coulomb[i][at] : 0;
            kets->weight[k] = fmax(kets->weight[k], fabs(kets->D[i][k]));
            kets->A[i][k] = 0;
        }
    }
    matrices->stride = (D->n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    int32_t n_elements = (C->n + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP * matrices->stride;
    memset(matrices->V, 0, (size_t)(n_elements + QUARTET_LANES) * sizeof(double));
    for (int32_t k = 0; k < n; k++)
        kets->place[k] = kets->row[k] * matrices->stride + kets->column[k];
    int32_t end = (n + QUARTET_LANES - 1) / QUARTET_LANES * QUARTET_LANES;
    for (int32_t k = n; k < end; k++) {
        kets->row[k] = kets->column[k] = 0;
        kets->place[k] = n_elements + k % QUARTET_LANES;
        kets->bound[k] = kets->orbit[k] = kets->weight[k] = 0;
        for (int i = 0; i < FOCK_MAX_COULOMB; i++)
            kets->D[i][k] = kets->A[i][k] = 0;
    }
    matrices->n_marked = 0;
    memset(matrices->marked, 0, (size_t)(end / QUARTET_LANES));
}

/* Copies D, and clears A, for the functions that occur. All rows have m elements, with zeros at the
 * end of D's, whether they meet rows of V (d) or its columns (c). */
static void copy_exchange(struct row_matrices *matrices, const struct quartet_views *views,
                          int matrix)
{
    for (int block = 0; block < N_EXCHANGE_BLOCKS; block++) {
        const int *roles = exchange_block_roles[block];
        const struct occurring_functions *x = &matrices->role[roles[0]],
                                         *y = &matrices->role[roles[1]];
        const struct tile_view *view = &views->view[roles[0]][roles[1]];
        const double *from = view->D->exchange[matrix];
        double *D = exchange_block_of(matrices, matrices->D[matrix], block);
        double *A = exchange_block_of(matrices, matrices->A[matrix], block);
        for (int32_t i = 0; i < x->n; i++, D += matrices->m, A += matrices->m) {
            int64_t at = x->function[i] * view->stride[0];
            for (int32_t j = 0; j < y->n; j++)
                D[j] = from[at + y->function[j] * view->stride[1]];
            for (int64_t j = y->n; j < matrices->m; j++)
                D[j] = 0;
            memset(A, 0, (size_t)matrices->m * sizeof *A);
        }
    }
}

/* Adds all A to the views. */
static void add_matrices(const struct row_matrices *matrices, const struct quartet_views *views)
{
    const struct row_kets *kets = &matrices->kets;
    const struct tile_view *cd = &views->view[2][3];
    for (int i = 0; i < views->kind.n_coulomb; i++)
        for (int32_t k = 0; k < kets->n; k++)
            cd->coulomb[i][matrices->role[2].function[kets->row[k]] * cd->stride[0] +
                           matrices->role[3].function[kets->column[k]] * cd->stride[1]] +=
                kets->A[i][k];
    double factor = views->kind.exchange_scale;
    for (int matrix = 0; matrix < views->kind.n_matrices; matrix++)
        for (int block = 0; block < N_EXCHANGE_BLOCKS; block++) {
            const int *roles = exchange_block_roles[block];
            const struct occurring_functions *x = &matrices->role[roles[0]],
                                             *y = &matrices->role[roles[1]];
            const struct tile_view *view = &views->view[roles[0]][roles[1]];
            const double *A = exchange_block_of(matrices, matrices->A[matrix], block);
            for (int32_t i = 0; i < x->n; i++, A += matrices->m) {
                double *to = view->exchange[matrix] + x->function[i] * view->stride[0];
                for (int32_t j = 0; j < y->n; j++)
                    to[y->function[j] * view->stride[1]] += factor * A[j];
            }
        }
}

/* Clears the blocks of V that the previous row filled and this one does not. */
static void clear_others(struct row_matrices *matrices, int32_t n_blocks)
{
    enum { EMPTY, OLD, NEW };
    for (int32_t i = 0; i < n_blocks; i++)
        matrices->marked[matrices->blocks[i]] = NEW;
    for (int32_t block = 0; block < matrices->n_marked; block++)
        if (matrices->marked[block] == OLD) {
            for (int32_t k = block * QUARTET_LANES; k < (block + 1) * QUARTET_LANES; k++)
                matrices->V[matrices->kets.place[k]] = 0;
            matrices->marked[block] = EMPTY;
        }
    for (int32_t i = 0; i < n_blocks; i++)
        matrices->marked[matrices->blocks[i]] = OLD;
    matrices->n_marked = n_blocks > 0 ? matrices->blocks[n_blocks - 1] + 1 : 0;
}

/* Replaces the integrals of the last row in V by the blocks of this one. */
static void put_row(struct row_matrices *matrices, int32_t n_blocks)
{
    clear_others(matrices, n_blocks);
    for (int32_t n = 0; n < n_blocks; n++) {
        int32_t first = matrices->blocks[n] * QUARTET_LANES;
        for (int32_t k = first; k < first + QUARTET_LANES; k++)
            matrices->V[matrices->kets.place[k]] = matrices->integrals[k];
    }
}

/* Takes the functions that occur in the first n_bras and n_kets pairs, these kets, and their
 * elements of D; V and A are zero. */
static void begin_matrices(struct row_matrices *matrices, const struct quartet_views *views,
                           const struct pair_class *bra, int32_t n_bras,
                           const struct pair_class *ket, int32_t n_kets)
{
    clear_occurring(matrices, views);
    set_kets(matrices, views, ket, n_kets);
    for (int32_t i = 0; i < n_bras; i++) {
        number_function(&matrices->role[0], view_function(views, 0, bra->pairs[i].function[0]));
        number_function(&matrices->role[1], view_function(views, 1, bra->pairs[i].function[1]));
    }
    for (int matrix = 0; matrix < views->kind.n_matrices; matrix++)
        copy_exchange(matrices, views, matrix);
}

/* --- rows --- */

enum { REST_INTEGRALS = 8192 }; /* between two calls of after_rows: some 20 microseconds */

typedef double lanes __attribute__((vector_size(QUARTET_LANES * sizeof(double))));

/* Pairs of a class with a bound product of at least the threshold with this other bound. */
static int32_t count_pairs(const struct pair_class *class, double bound, double threshold)
{
    int32_t low = 0, high = class->n_pairs;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (class->pairs[middle].bound * bound >= threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The bra's functions, by number and within the tiles, and its scaled Coulomb densities. */
struct row_bra {
    double bound, D[FOCK_MAX_COULOMB];
    int32_t a, b;
    double orbit; /* 1/2 for a = b */
};

/* Exchange weights of the rows and columns of V with the bra (screening.h). */
static void set_row_weights(struct row_matrices *matrices, const struct row_bra *bra,
                            const struct density_kind *kind)
{
    double factor = fabs(kind->exchange_scale);
    for (int side = 0; side < 2; side++) {
        double *weight = matrices->weight[side];
        for (int matrix = 0; matrix < kind->n_matrices; matrix++) {
            const double *of_a =
                exchange_block_of(matrices, matrices->D[matrix], side) + bra->a * matrices->m;
            const double *of_b =
                exchange_block_of(matrices, matrices->D[matrix], 2 + side) + bra->b * matrices->m;
            for (int32_t i = 0; i < matrices->role[2 + side].n; i++) {
                double largest = factor * fmax(fabs(of_a[i]), fabs(of_b[i]));
                weight[i] = matrix == 0 || largest > weight[i] ? largest : weight[i];
            }
        }
    }
}

/* Whether any ket of a block makes a significant quartet. */
static bool block_is_significant(const struct row_matrices *matrices, int32_t block,
                                 const struct row_bra *bra, const struct fock_rows_task *task)
{
    const struct row_kets *kets = &matrices->kets;
    const double *of_rows = matrices->weight[0], *of_columns = matrices->weight[1];
    double bra_weight = 2 * fmax(fabs(bra->D[0]), fabs(bra->D[1]));
    bool any = false;
    for (int32_t k = block * QUARTET_LANES; k < (block + 1) * QUARTET_LANES; k++) {
        double of_c = of_rows[kets->row[k]], of_d = of_columns[kets->column[k]];
        any |= quartet_is_significant(bra->bound * kets->bound[k],
                                      kets->weight[k] > bra_weight ? kets->weight[k] : bra_weight,
                                      of_c > of_d ? of_c : of_d, task->threshold, task->cutoff);
    }
    return any;
}

/* Blocks of the first n_kets to be computed; returns their number. */
static int32_t select_blocks(struct row_matrices *matrices, const struct fock_rows_task *task,
                             const struct row_bra *bra, int32_t n_kets,
                             const struct density_kind *kind)
{
    int32_t n = 0, end = (n_kets + QUARTET_LANES - 1) / QUARTET_LANES;
    bool by_density = task->rule == SCREENING_DENSITY;
    if (by_density)
        set_row_weights(matrices, bra, kind);
    for (int32_t block = 0; block < end; block++) {
        matrices->blocks[n] = block;
        n += !by_density || block_is_significant(matrices, block, bra, task);
    }
    return n;
}

/* A_cd += 2 D_ab v of a Coulomb density; returns the sum of 2 D_cd v. For the first one v[k] *= the
 * orbit's weight before. */
VECTOR_CLONES
static double add_coulomb_row(const struct row_kets *kets, const int32_t *blocks, int32_t n_blocks,
                              const struct row_bra *bra, int density, double *v)
{
    lanes sum = {0};
    const lanes *D = (const lanes *)kets->D[density], *orbit = (const lanes *)kets->orbit;
    lanes *A = (lanes *)kets->A[density], *integrals = (lanes *)v;
    for (int32_t i = 0; i < n_blocks; i++) {
        int32_t b = blocks[i];
        lanes x = integrals[b];
        if (density == 0)
            integrals[b] = x *= orbit[b] * bra->orbit;
        sum += x * D[b];
        A[b] += x * (2 * bra->D[density]);
    }
    double total = 0;
    for (int i = 0; i < QUARTET_LANES; i++)
        total += sum[i];
    return total;
}

/* Weights the integrals even where there is no Coulomb density. */
static void add_coulomb_of_row(const struct row_matrices *matrices,
                               const struct quartet_views *views, const struct s_row *row,
                               const struct row_bra *bra, int64_t at_ab, double *v)
{
    int density = 0, n = views->kind.n_coulomb;
    do {
        double sum = add_coulomb_row(&matrices->kets, row->blocks, row->n_blocks, bra, density, v);
        if (density < n)
            views->view[0][1].coulomb[density][at_ab] += sum;
    } while (++density < n);
}

#define INLINE static inline __attribute__((always_inline))

/* The sums of eight vectors. */
INLINE void sum_lanes(const lanes s[8], lanes *sums)
{
    lanes t[4], u[2];
    for (int64_t i = 0; i < 4; i++)
        t[i] = __builtin_shufflevector(s[2 * i], s[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(s[2 * i], s[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    for (int64_t i = 0; i < 2; i++)
        u[i] = __builtin_shufflevector(t[2 * i], t[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(t[2 * i], t[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
    *sums = __builtin_shufflevector(u[0], u[1], 0, 1, 2, 3, 8, 9, 10, 11) +
            __builtin_shufflevector(u[0], u[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/* Rows of D and A that belong to a bra: of a with c and d, of b with c and d. */
struct exchange_rows {
    const double *D[N_EXCHANGE_BLOCKS];
    double *A[N_EXCHANGE_BLOCKS];
};

/* A_ac += V_cd D_bd, A_bc += V_cd D_ad, A_ad += D_bc V_cd, A_bd += D_ac V_cd for the first rows and
 * blocks of columns of V. */
VECTOR_CLONES
static void add_exchange_rows(const struct exchange_rows *rows, const double *V, int32_t stride,
                              int32_t n_rows, int32_t n_blocks)
{
    const double *D_ac = rows->D[0], *D_bc = rows->D[2];
    const lanes *D_ad = (const lanes *)rows->D[1], *D_bd = (const lanes *)rows->D[3];
    lanes *A_ad = (lanes *)rows->A[1], *A_bd = (lanes *)rows->A[3];
    for (int32_t c = 0; c < n_rows; c += ROW_GROUP) {
        lanes s[2 * ROW_GROUP] = {{0}}, sums;
        for (int32_t block = 0; block < n_blocks; block++) {
            lanes of_a = D_ad[block], of_b = D_bd[block], to_a = A_ad[block], to_b = A_bd[block];
            for (int i = 0; i < ROW_GROUP; i++) {
                lanes v = ((const lanes *)(V + (int64_t)(c + i) * stride))[block];
                s[i] += v * of_b;
                s[ROW_GROUP + i] += v * of_a;
                to_a += v * D_bc[c + i];
                to_b += v * D_ac[c + i];
            }
            A_ad[block] = to_a;
            A_bd[block] = to_b;
        }
        sum_lanes(s, &sums);
        for (int i = 0; i < ROW_GROUP; i++) {
            rows->A[0][c + i] += sums[i];
            rows->A[2][c + i] += sums[ROW_GROUP + i];
        }
    }
}

static void add_exchange_of_row(struct row_matrices *matrices, const struct row_bra *bra,
                                int32_t n_kets, int n_matrices)
{
    int32_t last =
        matrices->n_marked * QUARTET_LANES < n_kets ? matrices->n_marked * QUARTET_LANES : n_kets;
    int32_t n_rows = matrices->kets.n_rows[last - 1],
            n_columns = matrices->kets.n_columns[last - 1];
    for (int i = 0; i < n_matrices; i++) {
        struct exchange_rows parts;
        for (int block = 0; block < N_EXCHANGE_BLOCKS; block++) {
            int64_t at = (exchange_block_roles[block][0] == 0 ? bra->a : bra->b) * matrices->m;
            parts.D[block] = exchange_block_of(matrices, matrices->D[i], block) + at;
            parts.A[block] = exchange_block_of(matrices, matrices->A[i], block) + at;
        }
        add_exchange_rows(&parts, matrices->V, matrices->stride, n_rows,
                          (n_columns + QUARTET_LANES - 1) / QUARTET_LANES);
    }
}

static void compute_row_integrals(const struct rows_of_classes *rows, const struct s_row *row,
                                  double *integrals)
{
    struct class_cost *cost = rows->cost;
    double start_s = cost ? clock_now_s() : 0;
    two_electron_compute_row(rows->two_electron, row, integrals);
    if (!cost)
        return;
    double n = (double)row_n_quartets(row);
    cost->integral_s += clock_now_s() - start_s;
    cost->quartets += n;
    cost->integrals += n;
    cost->primitives += n;
    cost->lanes += (double)row->n_blocks * QUARTET_LANES;
}

/* Computes the quartets of bra number i with the first n_kets; returns how many. */
static int64_t compute_row(struct row_matrices *matrices, const struct quartet_views *views,
                           const struct fock_rows_task *task, int32_t i, int32_t n_kets)
{
    const struct shell_pair *pair = &task->rows->bra->pairs[i];
    const struct tile_view *ab = &views->view[0][1];
    int64_t a = view_function(views, 0, pair->function[0]);
    int64_t b = view_function(views, 1, pair->function[1]);
    int64_t at_ab = a * ab->stride[0] + b * ab->stride[1];
    struct row_bra bra = {.bound = pair->bound,
                          .a = matrices->role[0].number[a],
                          .b = matrices->role[1].number[b],
                          .orbit = pair->first == pair->second ? 0.5 : 1};
    for (int c = 0; c < views->kind.n_coulomb; c++)
        bra.D[c] = views->kind.coulomb_scale * ab->D->coulomb[c][at_ab];
    struct s_row row = {.bra_class = task->rows->bra,
                        .ket_class = task->rows->ket,
                        .bra = i,
                        .n_kets = n_kets,
                        .n_blocks = select_blocks(matrices, task, &bra, n_kets, &views->kind),
                        .blocks = matrices->blocks};
    if (row.n_blocks == 0)
        return 0;
    double *v = matrices->integrals;
    compute_row_integrals(task->rows, &row, v);
    if (task->rows->triangle && n_kets == i + 1)
        v[i] /= 2; /* the quartet (P|P) */
    add_coulomb_of_row(matrices, views, &row, &bra, at_ab, v);
    put_row(matrices, row.n_blocks);
    add_exchange_of_row(matrices, &bra, n_kets, views->kind.n_matrices);
    return row_n_quartets(&row);
}

static int64_t compute_rows_of_classes(struct row_matrices *matrices,
                                       const struct quartet_views *views,
                                       const struct fock_rows_task *task,
                                       void (*after_rows)(void *context), void *context)
{
    const struct pair_class *bra = task->rows->bra, *ket = task->rows->ket;
    int32_t n_bras = count_pairs(bra, ket->pairs[0].bound, task->threshold);
    int32_t n_kets = count_pairs(ket, bra->pairs[0].bound, task->threshold);
    if (n_bras == 0)
        return 0;
    begin_matrices(matrices, views, bra, n_bras, ket, n_kets);
    int64_t n_integrals = 0, rested = 0;
    for (int32_t i = 0; i < n_bras; i++) {
        while (bra->pairs[i].bound * ket->pairs[n_kets - 1].bound < task->threshold)
            n_kets--;
        int32_t end = task->rows->triangle && i + 1 < n_kets ? i + 1 : n_kets;
        n_integrals += compute_row(matrices, views, task, i, end);
        if (n_integrals - rested >= REST_INTEGRALS) {
            rested = n_integrals;
            after_rows(context);
        }
    }
    add_matrices(matrices, views);
    return n_integrals;
}

int64_t fock_rows_compute(struct row_matrices *matrices, const struct quartet_views *views,
                          const struct fock_rows_task *task, void (*after_rows)(void *context),
                          void *context)
{
    struct class_cost *cost = task->rows->cost;
    if (!cost)
        return compute_rows_of_classes(matrices, views, task, after_rows, context);
    double start_s = clock_now_s(), integral_s = cost->integral_s;
    int64_t n = compute_rows_of_classes(matrices, views, task, after_rows, context);
    cost->digestion_s += clock_now_s() - start_s - (cost->integral_s - integral_s);
    return n;
}
