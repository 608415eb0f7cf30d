/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed dense matrices of doubles in ScaLAPACK's two-dimensional
 * block-cyclic layout, and the linear algebra of a self-consistent field on
 * them. All functions are collective over the grid's communicator unless they
 * say otherwise; scalars returned are the same on every process. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Rows and columns of a block: the same for all matrices, so that ScaLAPACK never
 * has to move a matrix to fit another; small, so that small matrices spread. */
enum { DENSE_BLOCK = 32 };

/* A near-square grid of processes that share matrices; process number
 * row * n_columns + column stands at (row, column). */
struct dense_grid {
    MPI_Comm comm; /* a duplicate of the creator's; owned */
    int context;   /* BLACS context */
    int n_rows;    /* processes in a column of the grid */
    int n_columns; /* processes in a row of the grid */
    int row;       /* this process */
    int column;
};

/* n_rows x n_columns matrix; element (i, j) lives on one process. */
struct dense {
    const struct dense_grid *grid; /* borrowed */
    int n_rows, n_columns;
    int local_rows; /* the distance in memory from a column to the next */
    int local_columns;
    double *local;     /* column-major, local_rows x local_columns; owned */
    int descriptor[9]; /* ScaLAPACK's */
};

/* Lets OpenBLAS take the kernels that the processor is for (blas_kernels.h) and run on one thread
 * in each process, unless the user asked for others with OPENBLAS_CORETYPE, OPENBLAS_NUM_THREADS or
 * OMP_NUM_THREADS, and has it map its memory. Once per program, at its start. Collective over comm.
 * Errors: STATUS_NO_MEMORY, the same on every process. */
enum status dense_start(MPI_Comm comm);

/* All processes of comm. Collective over comm, and so is the destruction; all
 * matrices of the grid must be gone by then.
 * Errors: STATUS_NO_MEMORY, the same on every process. */
enum status dense_grid_create(MPI_Comm comm, struct dense_grid **grid);
void dense_grid_destroy(struct dense_grid *grid);

/* A matrix of zeros; either dimension may be zero.
 * Errors, the same on every process: STATUS_NO_MEMORY; STATUS_LIMIT for more rows
 * or columns than the 32-bit indices of ScaLAPACK take. */
enum status dense_create(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                         struct dense **matrix);

/* Local half of dense_create; the caller batches the error check of several matrices, and destroys
 * all if any process failed. Not collective. */
enum status dense_allocate(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns,
                           struct dense **matrix);

/* Not collective; NULL is fine. */
void dense_destroy(struct dense *matrix);

/* Bytes per process, at most, of a matrix of this shape. Not collective. */
int64_t dense_bytes(const struct dense_grid *grid, int64_t n_rows, int64_t n_columns);

/* The matrices of an object: one list serves its creation and its estimate. */
struct dense_member {
    struct dense **matrix;
    int64_t n_rows, n_columns;
};

/* Creates all n with one agreement; all are NULL after a failure. Errors: as dense_create. */
enum status dense_create_members(const struct dense_grid *grid, int n,
                                 const struct dense_member members[]);

/* Bytes per process, at most, that they take. Not collective; looks at the shapes only. */
int64_t dense_members_bytes(const struct dense_grid *grid, int n,
                            const struct dense_member members[]);

/* Elements that this process holds. Not collective. */
size_t dense_local_size(const struct dense *matrix);

/* Global index of a local row or column. Not collective. */
int dense_global_row(const struct dense *matrix, int local_row);
int dense_global_column(const struct dense *matrix, int local_column);

/* Local rows of a local column that lie above the diagonal: the first ones. Not collective. */
int dense_rows_above(const struct dense *matrix, int local_column);

/* Copies element values: B = A, same shape. Not collective. */
void dense_copy(const struct dense *A, struct dense *B);

/* A = 1. Not collective. */
void dense_set_identity(struct dense *A);

/* B = alpha A + beta B, same shape. Not collective. beta 0 overwrites even NaN. */
void dense_add(double alpha, const struct dense *A, double beta, struct dense *B);

/* B = alpha A^T + beta B. beta 0 overwrites even NaN. */
void dense_add_transposed(double alpha, const struct dense *A, double beta, struct dense *B);

/* C = alpha op(A) op(B) + beta C; op is 'N' (nothing) or 'T' (transpose). The
 * shapes must fit: op(A) m x k, op(B) k x n, C m x n. beta 0 overwrites even NaN. */
void dense_multiply(char op_A, char op_B, double alpha, const struct dense *A,
                    const struct dense *B, double beta, struct dense *C);

/* C = alpha A(:, first:last) B(:, first:last)^T + beta C: the density of the
 * orbitals [first, last), none if first == last. beta 0 overwrites even NaN. */
void dense_multiply_columns(double alpha, const struct dense *A, const struct dense *B, int first,
                            int last, double beta, struct dense *C);

/* Copies the columns [first, first + B's columns) of A into B. */
void dense_copy_columns(const struct dense *A, int first, struct dense *B);

/* Overwrites the columns [first, first + B's columns) of A with B. */
void dense_set_columns(const struct dense *B, int first, struct dense *A);

/* Multiplies column j by factor[j]; factor has n_columns entries, the same on
 * every process. Not collective. */
void dense_scale_columns(struct dense *A, const double *factor);

/* sum_ij A_ij B_ij. */
double dense_dot(const struct dense *A, const struct dense *B);

/* dense_dot in two steps, so that many products take one reduction: the sum over the elements of
 * this process, not collective; and the sums over the processes of n such numbers. */
double dense_dot_part(const struct dense *A, const struct dense *B);
void dense_sum_parts(const struct dense_grid *grid, int n, double *parts);

/* max_ij |A_ij|; NaN if any element is, 0 without elements. */
double dense_max_abs(const struct dense *A);

/* The whole matrix on process 0 of the grid, for small ones: full, row-major,
 * n_rows x n_columns, is read or written there and not looked at elsewhere.
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status dense_gather(const struct dense *A, double *full);
enum status dense_scatter(const double *full, struct dense *A);

/* dense_gather with memory of the caller, so that nothing can fail: buffer holds dense_part_size
 * elements on process 0, as many as the largest process has, and is not read elsewhere. */
size_t dense_part_size(const struct dense *A);
void dense_gather_parts(const struct dense *A, double *full, double *buffer);
void dense_scatter_parts(const double *full, double *buffer, struct dense *A);

/* Matrices below this many rows are diagonalised by LAPACK on one process. */
enum { DENSE_EIGEN_SMALL = 500 };

/* Eigenvalues (ascending) and orthonormal eigenvectors (columns of V) of the
 * symmetric A (n x n, both triangles set; destroyed): by LAPACK on one process
 * when A is small or leaves a process without a block, else by ELPA. The sign of
 * each vector is such that its element of largest magnitude is positive.
 * eigenvalues     n entries, on every process
 * Errors, the same on every process: STATUS_NUMERIC (elements or eigenvalues that are
 * not finite, no convergence), STATUS_LIBRARY, STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status dense_eigen(struct dense *A, double *eigenvalues, struct dense *V);

/* Bytes, at most, that dense_eigen of n x n takes on a process while it runs. Not collective. */
int64_t dense_eigen_bytes(const struct dense_grid *grid, int64_t n);

/* Eigenvectors of a small symmetric matrix that one process holds whole, A V = V diag(values), by
 * LAPACK; n >= 1. Not collective; the same bits on every
 * process that gets the same bits.
 * A       n x n, the lower triangle of the row-major matrix is read; overwritten
 *         with the orthonormal eigenvectors, vector k at A[k * n .. k * n + n - 1]
 * values  n, ascending
 * Errors: STATUS_NO_MEMORY, STATUS_NUMERIC. */
enum status symmetric_eigen(int n, double *A, double *values);

/* symmetric_eigen with memory of the caller, SYMMETRIC_EIGEN_WORK * n numbers: processes that have
 * equal matrices need not agree on the outcome, STATUS_OK or STATUS_NUMERIC. */
enum { SYMMETRIC_EIGEN_WORK = 34 };
enum status symmetric_eigen_in(int n, double *A, double *values, double *work);
