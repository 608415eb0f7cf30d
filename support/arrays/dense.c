#include "support/arrays/dense.h"

#include "support/arrays/dense_layout.h"
#include "support/base/agree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int dense_local_count(int n, int place, int n_places)
{
    int n_blocks = n / DENSE_BLOCK;
    int count = n_blocks / n_places * DENSE_BLOCK;
    int extra = n_blocks % n_places;
    if (place < extra)
        count += DENSE_BLOCK;
    else if (place == extra)
        count += n % DENSE_BLOCK;
    return count;
}

int dense_global_index(int local, int place, int n_places)
{
    return (local / DENSE_BLOCK * n_places + place) * DENSE_BLOCK + local % DENSE_BLOCK;
}

size_t dense_local_size(const struct dense *matrix)
{
    return (size_t)matrix->local_rows * (size_t)matrix->local_columns;
}

static void check_same_shape(const struct dense *A, const struct dense *B)
{
    assert(A->grid == B->grid && A->n_rows == B->n_rows && A->n_columns == B->n_columns);
    (void)A;
    (void)B;
}

enum status dense_create(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                         struct dense **matrix)
{
    assert(n_rows >= 0 && n_columns >= 0);
    *matrix = NULL;
    /* ScaLAPACK computes with indices a block beyond the end. */
    const int64_t limit = INT32_MAX - DENSE_BLOCK;
    if (n_rows > limit || n_columns > limit)
        return FAIL(STATUS_LIMIT, "a matrix of %lld x %lld: at most %lld rows and columns",
                    (long long)n_rows, (long long)n_columns, (long long)limit);
    struct dense *new = calloc(1, sizeof *new);
    if (new) {
        *new = (struct dense){.grid = grid, .n_rows = (int)n_rows, .n_columns = (int)n_columns};
        new->local_rows = dense_local_count(new->n_rows, grid->row, grid->n_rows);
        new->local_columns = dense_local_count(new->n_columns, grid->column, grid->n_columns);
        /* One more, so that there is something to point at on every process. */
        new->local = calloc(dense_local_size(new) + 1, sizeof *new->local);
        int stride = new->local_rows > 0 ? new->local_rows : 1;
        const int dense_type = 1;
        int descriptor[9] = {dense_type,  grid->context, new->n_rows, new->n_columns,
                             DENSE_BLOCK, DENSE_BLOCK,   0,           0,
                             stride};
        memcpy(new->descriptor, descriptor, sizeof descriptor);
    }
    enum status status = STATUS_OK;
    if (!new || !new->local)
        status = FAIL(STATUS_NO_MEMORY, "no memory for a matrix of %lld x %lld (%.3f GB a process)",
                      (long long)n_rows, (long long)n_columns,
                      1e-9 * (double)dense_bytes(grid, n_rows, n_columns));
    status = status_agree(grid->comm, status);
    if (status == STATUS_OK)
        *matrix = new;
    else
        dense_destroy(new);
    return status;
}

void dense_destroy(struct dense *matrix)
{
    if (!matrix)
        return;
    free(matrix->local);
    free(matrix);
}

int64_t dense_bytes(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns)
{
    /* The first process has the most blocks. */
    int64_t row_blocks = (n_rows + DENSE_BLOCK - 1) / DENSE_BLOCK;
    int64_t column_blocks = (n_columns + DENSE_BLOCK - 1) / DENSE_BLOCK;
    int64_t rows = (row_blocks + grid->n_rows - 1) / grid->n_rows * DENSE_BLOCK;
    int64_t columns = (column_blocks + grid->n_columns - 1) / grid->n_columns * DENSE_BLOCK;
    rows = rows < n_rows ? rows : n_rows;
    columns = columns < n_columns ? columns : n_columns;
    return rows * columns * (int64_t)sizeof(double);
}

int dense_global_row(const struct dense *matrix, int local_row)
{
    return dense_global_index(local_row, matrix->grid->row, matrix->grid->n_rows);
}

int dense_global_column(const struct dense *matrix, int local_column)
{
    return dense_global_index(local_column, matrix->grid->column, matrix->grid->n_columns);
}

void dense_copy(const struct dense *A, struct dense *B)
{
    check_same_shape(A, B);
    memcpy(B->local, A->local, dense_local_size(A) * sizeof *A->local);
}

void dense_add(double alpha, const struct dense *A, double beta, struct dense *B)
{
    check_same_shape(A, B);
    size_t n = dense_local_size(A);
    for (size_t i = 0; i < n; i++)
        B->local[i] = alpha * A->local[i] + (beta == 0 ? 0 : beta * B->local[i]);
}

void dense_scale_columns(struct dense *A, const double *factor)
{
    for (int j = 0; j < A->local_columns; j++) {
        double column_factor = factor[dense_global_column(A, j)];
        double *column = A->local + (size_t)j * (size_t)A->local_rows;
        for (int i = 0; i < A->local_rows; i++)
            column[i] *= column_factor;
    }
}

double dense_dot(const struct dense *A, const struct dense *B)
{
    check_same_shape(A, B);
    size_t n = dense_local_size(A);
    double own = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        own += A->local[i] * B->local[i];
    /* Broadcast one sum: an allreduce may add in another order elsewhere. */
    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, A->grid->comm);
    MPI_Bcast(&sum, 1, MPI_DOUBLE, 0, A->grid->comm);
    return sum;
}

double dense_max_abs(const struct dense *A)
{
    size_t n = dense_local_size(A);
    struct {
        double largest, nan;
    } own = {0, 0}, all;
    for (size_t i = 0; i < n; i++) {
        double magnitude = fabs(A->local[i]);
        if (magnitude > own.largest)
            own.largest = magnitude;
        else if (isnan(magnitude))
            own.nan = 1;
    }
    MPI_Allreduce(&own, &all, 2, MPI_DOUBLE, MPI_MAX, A->grid->comm);
    return all.nan > 0 ? NAN : all.largest;
}
