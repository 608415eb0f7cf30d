/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/dense_product.h"

#include "support/base/integers.h"
#include "tce/dense/packed_product.h"
#include "tce/dense/product_shape.h"

#include <cblas.h>
#include <limits.h>

/* Products of fewer multiplications cost less than a call of an engine. */
enum { SMALL_PRODUCT = 64 };

/* Shorter sums cost less than a call of BLAS. */
enum { MIN_DDOT = 32 };

/* Whether BLAS, whose numbers are of type int, takes it as a length or a stride. */
static bool is_blas_number(int64_t x)
{
    return x > 0 && x <= INT_MAX;
}

/* --- loops --- */

/* n elements of C along one of its indices. */
static void multiply_along(const struct product_dimension *along, double factor, const double *A,
                           const double *B, bool add, double *C)
{
    const int64_t *stride = along->stride;
    for (int64_t i = 0; i < along->extent; i++) {
        double product = factor * (A[i * stride[SIDE_A]] * B[i * stride[SIDE_B]]);
        double *c = &C[i * stride[SIDE_C]];
        *c = add ? *c + product : product;
    }
}

static void multiply_elements(int64_t n, double factor, const double *restrict A,
                              const double *restrict B, bool add, double *restrict C)
{
    for (int64_t i = 0; i < n; i++)
        C[i] = add ? C[i] + factor * (A[i] * B[i]) : factor * (A[i] * B[i]);
}

static void multiply_by_number(int64_t n, double factor, const double *restrict A, bool add,
                               double *restrict C)
{
    for (int64_t i = 0; i < n; i++)
        C[i] = add ? C[i] + factor * A[i] : factor * A[i];
}

static void run_along(const struct product_dimension *along, double factor, const double *A,
                      const double *B, bool add, double *C)
{
    const int64_t *stride = along->stride;
    bool neighbours = stride[SIDE_C] == 1 && stride[SIDE_A] == 1;
    if (neighbours && stride[SIDE_B] == 1)
        multiply_elements(along->extent, factor, A, B, add, C);
    else if (neighbours && stride[SIDE_B] == 0)
        multiply_by_number(along->extent, factor * *B, A, add, C);
    else
        multiply_along(along, factor, A, B, add, C);
}

/* One element of C, summed along an index. */
static double sum_along(const struct product_dimension *along, const double *A, const double *B)
{
    const int64_t *stride = along->stride;
    double sum = 0;
    if (along->extent >= MIN_DDOT && is_blas_number(along->extent) &&
        is_blas_number(stride[SIDE_A]) && is_blas_number(stride[SIDE_B]))
        return cblas_ddot((int)along->extent, A, (int)stride[SIDE_A], B, (int)stride[SIDE_B]);
    for (int64_t i = 0; i < along->extent; i++)
        sum += A[i * stride[SIDE_A]] * B[i * stride[SIDE_B]];
    return sum;
}

static void append_dimensions(struct dimension_list *list, const struct dimension_list *more)
{
    for (int d = 0; d < more->n; d++)
        list->dimension[list->n++] = more->dimension[d];
}

static struct product_dimension take_dimension(struct dimension_list *list, int taken)
{
    struct product_dimension dimension = list->dimension[taken];
    list->n--;
    for (int d = taken; d < list->n; d++)
        list->dimension[d] = list->dimension[d + 1];
    return dimension;
}

/* The two innermost loops; loops of one value where there are fewer. */
struct inner_loops {
    struct product_dimension along, across;
    bool sums_along, sums_across; /* they are over summed values */
};

/* Takes from the lists along neighbours in A, which without columns is the larger factor, or else in C. */
static struct inner_loops take_inner_loops(struct dimension_list *of_C,
                                           struct dimension_list *summed)
{
    struct inner_loops inner = {.along.extent = 1, .across.extent = 1};
    int in_C = dimension_list_neighbours(of_C, SIDE_A);
    int in_sum = dimension_list_neighbours(summed, SIDE_A);
    inner.sums_along = (in_C < 0 && in_sum >= 0) || (of_C->n == 0 && summed->n > 0);
    if (inner.sums_along)
        inner.along = take_dimension(summed, in_sum >= 0 ? in_sum : 0);
    else if (of_C->n > 0)
        inner.along = take_dimension(of_C, in_C >= 0 ? in_C : 0);
    inner.sums_across = summed->n > 0;
    if (inner.sums_across || of_C->n > 0)
        inner.across = take_dimension(inner.sums_across ? summed : of_C, 0);
    return inner;
}

static void run_inner_loops(const struct inner_loops *inner, double factor, const double *A,
                            const double *B, bool add, double *C)
{
    const int64_t *stride = inner->across.stride;
    for (int64_t i = 0; i < inner->across.extent; i++) {
        if (inner->sums_along)
            *C = (add ? *C : 0) + factor * sum_along(&inner->along, A, B);
        else
            run_along(&inner->along, factor, A, B, add, C);
        add = add || inner->sums_across;
        A += stride[SIDE_A];
        B += stride[SIDE_B];
        C += stride[SIDE_C];
    }
}

static void multiply_by_loops(const struct product_shape *shape)
{
    struct dimension_list of_C = shape->rows, summed = shape->summed;
    struct dimension_place at = {{0}, {0}}, at_summed = {{0}, {0}};
    append_dimensions(&of_C, &shape->columns);
    append_dimensions(&of_C, &shape->batch);
    struct inner_loops inner = take_inner_loops(&of_C, &summed);
    do {
        bool add = shape->add;
        do {
            run_inner_loops(&inner, shape->factor,
                            shape->A + at.offset[SIDE_A] + at_summed.offset[SIDE_A],
                            shape->B + at.offset[SIDE_B] + at_summed.offset[SIDE_B], add,
                            shape->C + at.offset[SIDE_C]);
            add = true;
        } while (dimension_list_next(&summed, 0, &at_summed));
    } while (dimension_list_next(&of_C, 0, &at));
}

/* --- BLAS --- */

/* A matrix in storage by columns, or its transpose. */
struct blas_matrix {
    enum CBLAS_TRANSPOSE op;
    int64_t stride;
    bool fits;
};

static struct product_dimension only_dimension(const struct dimension_list *list)
{
    return list->n > 0 ? list->dimension[0] : (struct product_dimension){.extent = 1};
}

/* A matrix of one row or column is regular with any stride. DGEMM's leading dimension must be at
 * least the length of a column. */
static struct blas_matrix find_blas_matrix(const struct product_dimension *row,
                                           const struct product_dimension *column,
                                           enum product_side side)
{
    int64_t row_stride = row->stride[side], column_stride = column->stride[side];
    bool by_columns = row->extent == 1 || row_stride == 1;
    struct blas_matrix matrix = {.op = by_columns ? CblasNoTrans : CblasTrans};
    matrix.stride =
        by_columns ? max_int64(column_stride, row->extent) : max_int64(row_stride, column->extent);
    bool regular = by_columns || column->extent == 1 || column_stride == 1;
    bool full = (row->extent == 1 || row_stride > 0) && (column->extent == 1 || column_stride > 0);
    matrix.fits = regular && full && is_blas_number(matrix.stride);
    return matrix;
}

static bool has_panels(const struct product_shape *shape)
{
    return shape->has_panels_A || shape->has_panels_B;
}

struct blas_product {
    struct product_dimension row, column, summed;
    struct blas_matrix A, B, C;
};

/* False: the blocks do not lie as matrices. */
static bool find_blas_product(const struct product_shape *shape, struct blas_product *found)
{
    found->row = only_dimension(&shape->rows);
    found->column = only_dimension(&shape->columns);
    found->summed = only_dimension(&shape->summed);
    found->A = find_blas_matrix(&found->row, &found->summed, SIDE_A);
    found->B = find_blas_matrix(&found->summed, &found->column, SIDE_B);
    found->C = find_blas_matrix(&found->row, &found->column, SIDE_C);
    return !has_panels(shape) && shape->rows.n <= 1 && shape->columns.n <= 1 &&
           shape->summed.n <= 1 && found->A.fits && found->B.fits && found->C.fits &&
           found->C.op == CblasNoTrans && is_blas_number(found->row.extent) &&
           is_blas_number(found->column.extent) && is_blas_number(found->summed.extent);
}

static void multiply_matrices(const struct product_shape *shape, const struct blas_product *blas)
{
    cblas_dgemm(CblasColMajor, blas->A.op, blas->B.op, (int)blas->row.extent,
                (int)blas->column.extent, (int)blas->summed.extent, shape->factor, shape->A,
                (int)blas->A.stride, shape->B, (int)blas->B.stride, shape->add, shape->C,
                (int)blas->C.stride);
}

/* --- choice --- */

/* Whether each element of a factor is used but once, as one side of the matrices has length 1, or all is
 * tiny. */
static bool is_for_loops(const struct product_shape *shape)
{
    double rows = (double)dimension_list_size(&shape->rows);
    double columns = (double)dimension_list_size(&shape->columns);
    double summed = (double)dimension_list_size(&shape->summed);
    bool small =
        rows == 1 || columns == 1 || summed == 1 || rows * columns * summed <= SMALL_PRODUCT;
    return small && !has_panels(shape);
}

static bool is_one_element(const struct product_shape *shape)
{
    return !has_panels(shape) &&
           shape->rows.n + shape->columns.n + shape->summed.n + shape->batch.n == 0;
}

/* One product for each value of its batch indices. */
static void run_batch(struct product_shape *shape, struct product_scratch *scratch)
{
    const struct product_shape first = *shape;
    struct dimension_place place = {{0}, {0}};
    struct blas_product blas;
    bool by_blas = find_blas_product(shape, &blas);
    if (!by_blas && !has_panels(shape))
        product_shape_reorder(shape);
    do {
        shape->A = first.A + place.offset[SIDE_A];
        shape->B = first.B + place.offset[SIDE_B];
        shape->C = first.C + place.offset[SIDE_C];
        if (by_blas)
            multiply_matrices(shape, &blas);
        else
            packed_products_run(1, shape, scratch);
    } while (dimension_list_next(&first.batch, 0, &place));
}

static void run_shape(struct product_shape *shape, struct product_scratch *scratch)
{
    if (is_one_element(shape)) {
        double one = shape->factor * (*shape->A * *shape->B);
        *shape->C = shape->add ? *shape->C + one : one;
    } else if (is_for_loops(shape)) {
        multiply_by_loops(shape);
    } else {
        run_batch(shape, scratch);
    }
}

void dense_product_run(const struct dense_product *product, struct product_scratch *scratch)
{
    struct product_shape shape;
    product_shape_init(product, &shape);
    run_shape(&shape, scratch);
}

/* --- sums --- */

/* Products that are summed in registers at a time. */
enum { MAX_SUMMED_PRODUCTS = 8 };

/* Whether the packed engine runs it alone, too. */
static bool is_for_packing(const struct product_shape *shape)
{
    struct blas_product blas;
    return shape->batch.n == 0 && shape->factor != 0 && !is_for_loops(shape) &&
           !find_blas_product(shape, &blas);
}

/* Shapes of the first of n products: as many as are summed in registers; returns their number. */
static int find_summed(int n, const struct dense_product products[],
                       struct product_shape shapes[MAX_SUMMED_PRODUCTS])
{
    product_shape_init(&products[0], &shapes[0]);
    bool more = n > 1 && is_for_packing(&shapes[0]);
    int found = 1;
    while (more && found < n && found < MAX_SUMMED_PRODUCTS) {
        product_shape_init(&products[found], &shapes[found]);
        more = is_for_packing(&shapes[found]) && product_shapes_match(&shapes[0], &shapes[found]);
        found += more;
    }
    return found;
}

void dense_products_run(int n, const struct dense_product products[],
                        struct product_scratch *scratch)
{
    struct product_shape shapes[MAX_SUMMED_PRODUCTS];
    for (int first = 0, found; first < n; first += found) {
        found = find_summed(n - first, products + first, shapes);
        shapes[0].add = shapes[0].add || first > 0;
        if (found > 1)
            packed_products_run(found, shapes, scratch);
        else
            run_shape(&shapes[0], scratch);
    }
}
