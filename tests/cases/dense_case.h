/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense matrices from and to whole ones, row-major, which every process holds. */
#pragma once

#include "support/arrays/dense.h"
#include "tests/check.h"

#include <stdlib.h>

/* This process's elements of a whole matrix. Not collective. */
static inline void dense_put_whole(const double *whole, struct dense *A)
{
    for (int j = 0; j < A->local_columns; j++)
        for (int i = 0; i < A->local_rows; i++)
            A->local[(size_t)j * (size_t)A->local_rows + (size_t)i] =
                whole[(int64_t)dense_global_row(A, i) * A->n_columns + dense_global_column(A, j)];
}

/* The sum over all processes of an element's values on each, which one process alone has. The caller
 * frees it. */
static inline double *dense_whole(const struct dense *A)
{
    int n = A->n_rows * A->n_columns;
    double *whole = calloc((size_t)n + 1, sizeof *whole);
    assert_non_null(whole);
    for (int j = 0; j < A->local_columns; j++)
        for (int i = 0; i < A->local_rows; i++)
            whole[dense_global_row(A, i) * A->n_columns + dense_global_column(A, j)] =
                A->local[(size_t)j * (size_t)A->local_rows + (size_t)i];
    MPI_Allreduce(MPI_IN_PLACE, whole, n, MPI_DOUBLE, MPI_SUM, A->grid->comm);
    return whole;
}
