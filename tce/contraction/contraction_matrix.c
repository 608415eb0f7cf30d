/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/contraction/contraction_matrix.h"

#include "tce/tensor/permute.h"

#include <assert.h>
#include <cblas.h>
#include <limits.h>

/* --- packing --- */

/* Steps of `position` through all values of the list's indices, the last one fastest; false
 * when it is back at the first. value counts, from zeros. */
static bool next_position(const struct index_list *list, const int64_t extent[],
                          const int64_t stride[], int64_t value[MAX_RANK], int64_t *position)
{
    for (int d = list->n - 1; d >= 0; d--) {
        int index = list->index[d];
        *position += stride[index];
        if (++value[d] < extent[index])
            return true;
        *position -= value[d] * stride[index];
        value[d] = 0;
    }
    return false;
}

void contraction_pack(const struct index_list *from, const struct index_list *to,
                      const int64_t extent[MAX_INDICES], double factor, const double *source,
                      bool add, double *destination)
{
    int64_t stride[MAX_INDICES] = {0}, size = 1, position = 0, value[MAX_RANK] = {0};
    for (int d = from->n - 1; d >= 0; d--) {
        /* An index that occurs twice steps along a diagonal. */
        stride[from->index[d]] += size;
        size *= extent[from->index[d]];
    }
    struct permute_shape shape = {.rank = to->n};
    for (int d = 0; d < to->n; d++) {
        shape.extent[d] = extent[to->index[d]];
        shape.stride[d] = stride[to->index[d]];
    }
    struct index_list lone = {0};
    for (int d = 0; d < from->n; d++)
        if (index_list_count(to, from->index[d]) == 0 &&
            index_list_count(&lone, from->index[d]) == 0)
            index_list_append(&lone, from->index[d]);
    do {
        permute(&shape, factor, source + position, add, destination);
        add = true;
    } while (next_position(&lone, extent, stride, value, &position));
}

/* --- multiplication --- */

/* Products of fewer multiplications cost less than a call of DGEMM. */
enum { SMALL_PRODUCT = 64 };

/* Element (i, j) is at i row_stride + j column_stride. */
struct strided_matrix {
    int64_t n_rows, n_columns, row_stride, column_stride;
    int64_t batch_stride[MAX_RANK];
};

/* Distance between neighbours in an index; 0 if the list lacks it. */
static int64_t stride_of(const struct index_list *order, const int64_t extent[], int index)
{
    int64_t stride = 1;
    for (int d = order->n - 1; d >= 0; d--) {
        if (order->index[d] == index)
            return stride;
        stride *= extent[order->index[d]];
    }
    return 0;
}

static int64_t group_extent(const struct index_list *group, const int64_t extent[])
{
    int64_t product = 1;
    for (int d = 0; d < group->n; d++)
        product *= extent[group->index[d]];
    return product;
}

/* The indices of a group are adjacent, so the stride of the last one is that of the group. */
static int64_t group_stride(const struct index_list *order, const struct index_list *group,
                            const int64_t extent[])
{
    return group->n == 0 ? 0 : stride_of(order, extent, group->index[group->n - 1]);
}

static struct strided_matrix strided_matrix_of(const struct contraction_indices *indices,
                                               const struct index_list *order, enum index_role rows,
                                               enum index_role columns, const int64_t extent[])
{
    const struct index_list *row = &indices->group[rows], *column = &indices->group[columns];
    const struct index_list *batch = &indices->group[ROLE_BATCH];
    struct strided_matrix matrix = {.n_rows = group_extent(row, extent),
                                    .n_columns = group_extent(column, extent),
                                    .row_stride = group_stride(order, row, extent),
                                    .column_stride = group_stride(order, column, extent)};
    for (int d = 0; d < batch->n; d++)
        matrix.batch_stride[d] = stride_of(order, extent, batch->index[d]);
    return matrix;
}

/* A matrix as an argument of DGEMM: not to be transposed if it lies by rows. */
struct blas_matrix {
    enum CBLAS_TRANSPOSE op;
    int stride;
};

static int64_t larger_stride(int64_t left, int64_t right)
{
    return left > right ? left : right;
}

/* DGEMM ignores the stride of a single row, but demands at least its length. */
static struct blas_matrix blas_matrix_of(const struct strided_matrix *matrix)
{
    bool by_rows = matrix->n_columns == 1 || matrix->column_stride == 1;
    int64_t stride = by_rows ? larger_stride(matrix->row_stride, matrix->n_columns)
                             : larger_stride(matrix->column_stride, matrix->n_rows);
    assert(stride <= INT_MAX);
    return (struct blas_matrix){by_rows ? CblasNoTrans : CblasTrans, (int)stride};
}

static struct strided_matrix transposed(const struct strided_matrix *matrix)
{
    struct strided_matrix other = *matrix;
    other.n_rows = matrix->n_columns;
    other.n_columns = matrix->n_rows;
    other.row_stride = matrix->column_stride;
    other.column_stride = matrix->row_stride;
    return other;
}

/* c (+)= factor * a * b. */
struct matrix_product {
    struct strided_matrix a, b, c;
    const double *A, *B; /* the first elements */
    double *C;
    double factor;
    bool add; /* to what c holds, instead of replacing it */
};

static void multiply_plainly(const struct matrix_product *product)
{
    const struct strided_matrix *a = &product->a, *b = &product->b, *c = &product->c;
    for (int64_t i = 0; i < c->n_rows; i++)
        for (int64_t j = 0; j < c->n_columns; j++) {
            double sum = 0, *element = product->C + i * c->row_stride + j * c->column_stride;
            for (int64_t k = 0; k < a->n_columns; k++)
                sum += product->A[i * a->row_stride + k * a->column_stride] *
                       product->B[k * b->row_stride + j * b->column_stride];
            *element = product->add ? *element + product->factor * sum : product->factor * sum;
        }
}

static void multiply_as_dot(const struct matrix_product *product)
{
    const struct strided_matrix *a = &product->a, *b = &product->b;
    assert(a->n_columns <= INT_MAX && a->column_stride <= INT_MAX && b->row_stride <= INT_MAX);
    double dot = product->factor * cblas_ddot((int)a->n_columns, product->A, (int)a->column_stride,
                                              product->B, (int)b->row_stride);
    *product->C = product->add ? *product->C + dot : dot;
}

/* c lies by rows. */
static void multiply_by_rows(const struct matrix_product *product)
{
    const struct strided_matrix *a = &product->a, *b = &product->b;
    struct blas_matrix blas_a = blas_matrix_of(a), blas_b = blas_matrix_of(b);
    struct blas_matrix blas_c = blas_matrix_of(&product->c);
    assert(blas_c.op == CblasNoTrans && a->n_rows <= INT_MAX && b->n_columns <= INT_MAX &&
           a->n_columns <= INT_MAX);
    cblas_dgemm(CblasRowMajor, blas_a.op, blas_b.op, (int)a->n_rows, (int)b->n_columns,
                (int)a->n_columns, product->factor, product->A, blas_a.stride, product->B,
                blas_b.stride, product->add, product->C, blas_c.stride);
}

static void multiply_matrices(const struct matrix_product *product)
{
    const struct strided_matrix *c = &product->c;
    if (c->n_rows * c->n_columns * product->a.n_columns <= SMALL_PRODUCT) {
        multiply_plainly(product);
    } else if (c->n_rows == 1 && c->n_columns == 1) {
        multiply_as_dot(product);
    } else if (c->n_columns == 1 || c->column_stride == 1) {
        multiply_by_rows(product);
    } else {
        struct matrix_product other = *product;
        other.a = transposed(&product->b);
        other.b = transposed(&product->a);
        other.c = transposed(c);
        other.A = product->B;
        other.B = product->A;
        multiply_by_rows(&other);
    }
}

static bool same_order(const struct index_list *left, const struct index_list *right)
{
    for (int d = 0; d < left->n && d < right->n; d++)
        if (left->index[d] != right->index[d])
            return false;
    return left->n == right->n;
}

/* Whether all three have the same indices in the same order. */
static bool is_elementwise(const struct contraction_indices *indices)
{
    const struct index_list *batch = &indices->group[ROLE_BATCH];
    return same_order(&indices->A.order, batch) && same_order(&indices->B.order, batch) &&
           same_order(&indices->C.order, batch);
}

static void multiply_elements(int64_t n, double factor, const double *restrict A,
                              const double *restrict B, bool add, double *restrict C)
{
    for (int64_t i = 0; i < n; i++)
        C[i] = add ? C[i] + factor * (A[i] * B[i]) : factor * (A[i] * B[i]);
}

void contraction_multiply(const struct contraction_indices *indices,
                          const int64_t extent[MAX_INDICES], double factor, const double *A,
                          const double *B, bool add, double *C)
{
    struct matrix_product product = {
        .a = strided_matrix_of(indices, &indices->A.order, ROLE_ROW, ROLE_SUMMED, extent),
        .b = strided_matrix_of(indices, &indices->B.order, ROLE_SUMMED, ROLE_COLUMN, extent),
        .c = strided_matrix_of(indices, &indices->C.order, ROLE_ROW, ROLE_COLUMN, extent),
        .A = A,
        .B = B,
        .C = C,
        .factor = factor,
        .add = add};
    const struct index_list *batch = &indices->group[ROLE_BATCH];
    int64_t value[MAX_RANK] = {0};
    if (is_elementwise(indices)) {
        multiply_elements(group_extent(batch, extent), factor, A, B, add, C);
        return;
    }
    for (;;) {
        multiply_matrices(&product);
        int d = batch->n - 1;
        for (; d >= 0; d--) {
            product.A += product.a.batch_stride[d];
            product.B += product.b.batch_stride[d];
            product.C += product.c.batch_stride[d];
            if (++value[d] < extent[batch->index[d]])
                break;
            product.A -= value[d] * product.a.batch_stride[d];
            product.B -= value[d] * product.b.batch_stride[d];
            product.C -= value[d] * product.c.batch_stride[d];
            value[d] = 0;
        }
        if (d < 0)
            return;
    }
}
