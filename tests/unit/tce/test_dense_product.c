/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of blocks with their indices in any order, with gaps and diagonals, against plain loops; the
 * register tiles of every kind of vectors that the processor has. */
#include "support/vectors/vector_unit.h"
#include "tce/dense/dense_product.h"
#include "tce/dense/product_kernels.h"
#include "tce/dense/product_panels.h"
#include "tests/cases/random_block.h"
#include "tests/check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct block_buffers *buffers;
static struct product_scratch *scratch;

static void create_scratch(void)
{
    check_ok(block_buffers_create(&buffers));
    check_ok(product_scratch_create(buffers, &scratch));
}

static void destroy_scratch(void)
{
    product_scratch_destroy(buffers, scratch);
    block_buffers_destroy(buffers);
}

/* --- whole products --- */

enum role { ROW, COLUMN, SUMMED, BATCH, LONE_A, LONE_B, N_KINDS };

/* Whether C, A and B have the index. */
static const bool has_side[N_KINDS][N_SIDES] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1},
                                                {1, 1, 1}, {0, 1, 0}, {0, 0, 1}};

/* Lays out the side's indices in random order, here and there with a gap behind one, or twice: a diagonal.
 * Returns the elements that the block takes. */
static int64_t lay_out(struct dense_product *product, const enum role role[],
                       enum product_side side)
{
    int order[PRODUCT_MAX_DIMENSIONS], n = 0;
    int64_t stride = 1;
    for (int d = 0; d < product->n; d++)
        if (has_side[role[d]][side])
            order[n++] = d;
    for (int i = n - 1; i > 0; i--) {
        int j = below(i + 1), swapped = order[i];
        order[i] = order[j];
        order[j] = swapped;
    }
    if (below(8) == 0)
        stride = 2;
    for (int i = 0; i < n; i++) {
        struct product_dimension *dimension = &product->dimension[order[i]];
        dimension->stride[side] = stride;
        stride *= dimension->extent + (below(8) == 0 ? below(3) : 0);
        if (dimension->extent < 10 && below(10) == 0) {
            dimension->stride[side] += stride;
            stride *= dimension->extent;
        }
    }
    return stride;
}

/* Moves to the next values of the first n indices, the last of these fastest, and to their elements;
 * false after the last. */
static bool next_value(const struct dense_product *product, int n, int64_t value[], int64_t place[])
{
    for (int d = n - 1; d >= 0; d--) {
        const struct product_dimension *dimension = &product->dimension[d];
        int64_t step = ++value[d] < dimension->extent ? 1 : 1 - dimension->extent;
        for (int side = 0; side < N_SIDES; side++)
            place[side] += step * dimension->stride[side];
        if (step == 1)
            return true;
        value[d] = 0;
    }
    return false;
}

/* By loops over all values of all indices, the last one in the innermost loop. bound: what rounding is
 * relative to */
static void multiply_plainly(const struct dense_product *product, double *C, double *bound)
{
    static const struct product_dimension no_index = {.extent = 1};
    int n_outer = product->n > 0 ? product->n - 1 : 0;
    const struct product_dimension *last =
        product->n > 0 ? &product->dimension[n_outer] : &no_index;
    int64_t value[PRODUCT_MAX_DIMENSIONS] = {0}, place[N_SIDES] = {0};
    if (!product->add)
        do
            for (int64_t i = 0; i < last->extent; i++)
                C[place[SIDE_C] + i * last->stride[SIDE_C]] = 0;
        while (next_value(product, n_outer, value, place));
    do
        for (int64_t i = 0; i < last->extent; i++) {
            int64_t at = place[SIDE_C] + i * last->stride[SIDE_C];
            double term = product->factor * product->A[place[SIDE_A] + i * last->stride[SIDE_A]] *
                          product->B[place[SIDE_B] + i * last->stride[SIDE_B]];
            C[at] += term;
            bound[at] += fabs(term);
        }
    while (next_value(product, n_outer, value, place));
}

static void add_dimension(struct dense_product *product, enum role role[], enum role kind,
                          int64_t extent)
{
    product->dimension[product->n] = (struct product_dimension){.extent = extent};
    role[product->n++] = kind;
}

enum { MAX_TERMS = 20 };

/* A product with the C of another one: its indices are rows or columns as there, or as chance has it, and
 * here and there in all three. longest: of its first sum; 0: short */
static void begin_term(const struct dense_product *like, const enum role of_like[], int64_t longest,
                       struct dense_product *term, enum role role[])
{
    bool same = below(3) > 0;
    *term = (struct dense_product){.n = 0};
    term->factor = below(2) ? -1 : 0.5 * below(4);
    for (int d = 0; d < like->n; d++) {
        enum role other = below(20) == 0 ? BATCH : below(2) ? ROW : COLUMN;
        add_dimension(term, role, same ? of_like[d] : other, like->dimension[d].extent);
        term->dimension[d].stride[SIDE_C] = like->dimension[d].stride[SIDE_C];
    }
    if (longest > 0)
        add_dimension(term, role, SUMMED, longest);
    int n_sums = below(longest > 0 ? 2 : 4), most = longest == 0 ? 7 : longest <= 40 ? 40 : 3;
    for (int n = 0; n < n_sums; n++)
        add_dimension(term, role, SUMMED, 1 + below(most));
    for (int kind = LONE_A; kind <= LONE_B; kind++)
        if (below(8) == 0)
            add_dimension(term, role, (enum role)kind, 1 + below(3));
}

/* The matrix of a factor, its rows the indices of C by descending strides, as panels. */
static double *pack_factor(const struct dense_product *product, enum product_side side,
                           const double *factor, enum factor_form form)
{
    struct dense_product sorted = {.n = 0}; /* sums, then rows, the nearest one last */
    int64_t n = 1, depth = 1, at = 0;
    int64_t value[PRODUCT_MAX_DIMENSIONS] = {0}, place[N_SIDES] = {0};
    for (int d = 0; d < 2 * product->n; d++) {
        const struct product_dimension *one = &product->dimension[d % product->n];
        bool is_row = d >= product->n;
        if (one->stride[side] == 0 || (one->stride[SIDE_C] > 0) != is_row)
            continue;
        *(is_row ? &n : &depth) *= one->extent;
        int i = sorted.n++;
        for (; i > 0 && sorted.dimension[i - 1].stride[SIDE_C] > 0 &&
               sorted.dimension[i - 1].stride[SIDE_C] < one->stride[SIDE_C];
             i--)
            sorted.dimension[i] = sorted.dimension[i - 1];
        sorted.dimension[i] = *one;
    }
    double *matrix = malloc((size_t)(n * depth) * sizeof *matrix);
    double *panels = random_block(product_panels_size(form, n, depth));
    do
        matrix[at++] = factor[place[side]];
    while (next_value(&sorted, sorted.n, value, place));
    product_panels_pack(form, n, depth, matrix, panels);
    free(matrix);
    return panels;
}

/* Replaces factors by panels here and there, where every index is in two of the three. */
static void pack_factors(struct dense_product *term, const enum role role[])
{
    enum factor_form form = below(2) ? ROW_PANELS : COLUMN_PANELS;
    for (int d = 0; d < term->n; d++)
        if (role[d] >= BATCH)
            return;
    const double **factor[] = {&term->A, &term->B};
    enum factor_form *its_form[] = {&term->form_A, &term->form_B};
    for (int f = 0; f < 2; f++) {
        if (below(2)) {
            double *panels = pack_factor(term, f == 0 ? SIDE_A : SIDE_B, *factor[f], form);
            free((double *)*factor[f]);
            *factor[f] = panels;
            *its_form[f] = form;
        }
        form = form == ROW_PANELS ? COLUMN_PANELS : ROW_PANELS;
    }
}

/* C (+)= a sum of products. longest: extent of an index of C, or of a sum of every product */
static void check_sum(int n_C, int n_terms, int64_t longest)
{
    struct dense_product terms[MAX_TERMS + 1] = {{.n = 0}}; /* number 0 has C's indices alone */
    enum role role[MAX_TERMS + 1][PRODUCT_MAX_DIMENSIONS];
    for (int d = 0; d < n_C; d++)
        add_dimension(&terms[0], role[0], below(2) ? ROW : COLUMN, 1 + below(n_C > 3 ? 4 : 9));
    if (n_C > 0 && below(2)) {
        int64_t *extent = &terms[0].dimension[below(n_C)].extent;
        *extent = longest > 0 ? longest : *extent;
        longest = 0;
    }
    int64_t size = lay_out(&terms[0], role[0], SIDE_C);
    double *C = random_block(size), *expected = malloc((size_t)size * sizeof *C);
    double *bound = calloc((size_t)size, sizeof *bound);
    memcpy(expected, C, (size_t)size * sizeof *C);
    bool add = below(2);
    for (int t = 1; t <= n_terms; t++) {
        begin_term(&terms[0], role[t - 1], longest, &terms[t], role[t]);
        terms[t].C = expected;
        terms[t].A = random_block(lay_out(&terms[t], role[t], SIDE_A));
        terms[t].B = random_block(lay_out(&terms[t], role[t], SIDE_B));
        terms[t].add = add || t > 1;
        multiply_plainly(&terms[t], expected, bound);
        terms[t].C = C;
        terms[t].add = add;
        pack_factors(&terms[t], role[t]);
    }
    if (n_terms == 1 && below(2))
        dense_product_run(&terms[1], scratch);
    else
        dense_products_run(n_terms, terms + 1, scratch);
    for (int64_t i = 0; i < size; i++)
        check_close(C[i], expected[i], 1e-14 * (1 + bound[i]));
    for (int t = 1; t <= n_terms; t++) {
        free((double *)terms[t].A);
        free((double *)terms[t].B);
    }
    free(C);
    free(expected);
    free(bound);
}

TEST(sums_of_products)
{
    random_stream_init(&random_numbers, 14, 0);
    for (int trial = 0; trial < 2500; trial++)
        check_sum(below(6), trial % 2 ? 1 : 1 + below(below(8) == 0 ? MAX_TERMS : 5), 0);
}

/* Beyond what is packed at a time, in each direction. */
TEST(long_products)
{
    static const int64_t longest[] = {31, 40, 193, 385, 450, 700, 900, 1030, 2100};
    random_stream_init(&random_numbers, 12, 0);
    for (int trial = 0; trial < 180; trial++)
        check_sum(below(4), 1 + below(2), longest[trial % 9]);
}

/* --- register tiles --- */

/* Offsets of n rows: neighbours, each `stride` apart, forwards or backwards, or runs of neighbours. */
static void set_offsets(int64_t n, int kind, int64_t stride, int64_t offset[])
{
    for (int64_t i = 0; i < n; i++)
        offset[i] = kind == 0   ? i
                    : kind == 1 ? i * stride
                    : kind == 2 ? (n - 1 - i) * stride
                                : i + i / 5;
}

enum { MAX_TILE_DEPTH = 40, TILE_BLOCK = 2 * MAX_TILE_DEPTH * MAX_TILE_DEPTH };

static void check_tile(const struct product_kernels *kernels, int n_rows, int n_columns,
                       int64_t depth, int kind)
{
    int64_t row[PRODUCT_MAX_TILE_ROWS], column[PRODUCT_MAX_TILE_COLUMNS];
    int64_t of_k[MAX_TILE_DEPTH], of_k_in_B[MAX_TILE_DEPTH];
    double *A = random_block(TILE_BLOCK), *B = random_block(TILE_BLOCK),
           *C = random_block(TILE_BLOCK);
    double old[TILE_BLOCK], a[PRODUCT_MAX_TILE_ROWS * MAX_TILE_DEPTH];
    double b[PRODUCT_MAX_TILE_COLUMNS * MAX_TILE_DEPTH];
    set_offsets(n_rows, kind % 4, MAX_TILE_DEPTH, row);
    set_offsets(n_columns, kind % 4 % 3 == 0, MAX_TILE_DEPTH, column);
    set_offsets(depth, kind % 4 % 3 == 0 ? 1 : 0, MAX_TILE_DEPTH, of_k);
    struct panel_source of_A = {A, n_rows, row, depth, of_k};
    kernels->pack(&of_A, kernels->rows, a);
    set_offsets(depth, 0, 1, of_k_in_B);
    struct panel_source of_B = {B, n_columns, column, depth, of_k_in_B};
    kernels->pack(&of_B, kernels->columns, b);
    memcpy(old, C, sizeof old);
    struct row_runs rows;
    kernels->find_runs(n_rows, row, &rows);
    struct product_tile tile = {.C = C,
                                .rows = &rows,
                                .n_columns = n_columns,
                                .column = column,
                                .factor = -0.5,
                                .add = kind % 2};
    /* The second half of k in a pair of its own, beside a factor of the first. */
    int64_t half = kind % 3 == 0 ? depth / 2 : 0;
    struct panel_pair pairs[] = {
        {half, a, b, NULL, 1},
        {depth - half, a + half * kernels->rows, b + half * kernels->columns, NULL, 0.25}};
    if (kind % 4 == 0 && n_rows == kernels->rows)
        pairs[0].a = pairs[1].a = A, pairs[0].a_column = of_k, pairs[1].a_column = of_k + half;
    kernels->multiply(2, pairs, &tile);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++) {
            double sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += (k < half ? 0.25 : 1) *
                       A[row[i] + (kind % 4 % 3 == 0 ? k * MAX_TILE_DEPTH : k)] * B[column[j] + k];
            double *c = &C[row[i] + column[j]], *before = &old[row[i] + column[j]];
            check_close(*c, -0.5 * sum + (tile.add ? *before : 0), 1e-13);
            *c = *before;
        }
    assert_memory_equal(C, old, sizeof old);
    free(A);
    free(B);
    free(C);
}

TEST(tiles_of_every_vector_unit)
{
    static const struct {
        enum vector_unit needs;
        const struct product_kernels *kernels;
    } tables[] = {
        {VECTOR_UNIT_BASELINE, &product_kernels_baseline},
#ifdef __x86_64__
        {VECTOR_UNIT_AVX2, &product_kernels_avx2},
        {VECTOR_UNIT_AVX512, &product_kernels_avx512},
#endif
    };
    random_stream_init(&random_numbers, 13, 0);
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        const struct product_kernels *kernels = tables[t].kernels;
        if (vector_unit_here() < tables[t].needs)
            continue;
        for (int n_rows = 1; n_rows <= kernels->rows; n_rows++)
            for (int n_columns = 1; n_columns <= kernels->columns; n_columns++)
                check_tile(kernels, n_rows, n_columns, 1 + below(MAX_TILE_DEPTH), below(8));
    }
}

TEST_SETUP(create_scratch)
TEST_TEARDOWN(destroy_scratch)
