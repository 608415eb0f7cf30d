/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/fock_rows.h"

#include "support/base/clock.h"
#include "support/vectors/vector_clones.h"

#include <math.h>

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
    row_matrices_put(matrices, row.n_blocks);
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
    row_matrices_begin(matrices, views, bra, n_bras, ket, n_kets);
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
    row_matrices_end(matrices, views);
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
