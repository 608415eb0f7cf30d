/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/dense.h"

#include "support/arrays/blas_kernels.h"
#include "support/base/agree.h"
#include "support/base/memory.h"

#include <assert.h>
#include <cblas.h>
#include <stdbool.h>
#include <stdlib.h>

/* ScaLAPACK, which comes without C prototypes, has Fortran's calling convention, everything by
 * address; indices count from 1. */

/* C = alpha op(A) op(B) + beta C, of parts that begin at (i, j), counted from 1. */
void pdgemm_(const char *op_A, const char *op_B, const int *m, const int *n, const int *k,
             const double *alpha, const double *A, const int *i_A, const int *j_A,
             const int *descriptor_A, const double *B, const int *i_B, const int *j_B,
             const int *descriptor_B, const double *beta, double *C, const int *i_C, const int *j_C,
             const int *descriptor_C);

/* C = alpha op(A) + beta C, C being m x n. */
void pdgeadd_(const char *op_A, const int *m, const int *n, const double *alpha, const double *A,
              const int *i_A, const int *j_A, const int *descriptor_A, const double *beta,
              double *C, const int *i_C, const int *j_C, const int *descriptor_C);

static const int one = 1;

/* OpenBLAS maps a buffer of 128 MiB at the first product and, where there is no room for it, tries
 * again forever. A quarter more, because the address space is in pieces. */
static enum status check_room_for_blas(void)
{
    const double buffer_bytes = 160 << 20;
    double room_bytes = (double)memory_limits().address_bytes;
    if (room_bytes >= buffer_bytes)
        return STATUS_OK;
    return FAIL(STATUS_NO_MEMORY,
                "%.0f MB of address space are left, linear algebra needs %.0f: raise the limit "
                "(ulimit -v)",
                1e-6 * room_bytes, 1e-6 * buffer_bytes);
}

/* Maps the buffer now, so that the memory left is known. The product is large enough to need it;
 * nothing is done where there is no memory for its operands. */
static void map_blas_buffer(void)
{
    enum { N = 128 };
    const size_t n_elements = (size_t)N * N;
    double *A = calloc(2 * n_elements, sizeof *A);
    if (A)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, A, N, A, N, 0,
                    A + n_elements, N);
    free(A);
}

enum status dense_start(MPI_Comm comm)
{
    blas_kernels_start();
    if (!getenv("OPENBLAS_NUM_THREADS") && !getenv("OMP_NUM_THREADS"))
        openblas_set_num_threads(1);
    TRY(status_agree(comm, check_room_for_blas()));
    map_blas_buffer();
    return STATUS_OK;
}

/* Whether process 0 has the whole matrix: ScaLAPACK would broadcast it to processes that have
 * nothing to compute. */
static bool is_one_block(const struct dense *A)
{
    return A->n_rows <= DENSE_BLOCK && A->n_columns <= DENSE_BLOCK;
}

/* At least 1, as BLAS asks for. */
static int dense_stride(const struct dense *A)
{
    return A->local_rows > 0 ? A->local_rows : 1;
}

/* C = alpha op(A) op(B) + beta C with inner summed indices; A and B begin at the column first. */
static void multiply_from(char op_A, char op_B, int inner, double alpha, const struct dense *A,
                          const struct dense *B, int first, double beta, struct dense *C)
{
    int column = first + 1;
    if (!is_one_block(A) || !is_one_block(B) || !is_one_block(C)) {
        pdgemm_(&op_A, &op_B, &C->n_rows, &C->n_columns, &inner, &alpha, A->local, &one, &column,
                A->descriptor, B->local, &one, &column, B->descriptor, &beta, C->local, &one, &one,
                C->descriptor);
        return;
    }
    if (C->local_rows == 0 || C->local_columns == 0)
        return;
    cblas_dgemm(CblasColMajor, op_A == 'N' ? CblasNoTrans : CblasTrans,
                op_B == 'N' ? CblasNoTrans : CblasTrans, C->n_rows, C->n_columns, inner, alpha,
                A->local + (size_t)first * (size_t)A->local_rows, dense_stride(A),
                B->local + (size_t)first * (size_t)B->local_rows, dense_stride(B), beta, C->local,
                dense_stride(C));
}

void dense_add_transposed(double alpha, const struct dense *A, double beta, struct dense *B)
{
    assert(A->grid == B->grid && A->n_rows == B->n_columns && A->n_columns == B->n_rows);
    assert(A != B);
    pdgeadd_("T", &B->n_rows, &B->n_columns, &alpha, A->local, &one, &one, A->descriptor, &beta,
             B->local, &one, &one, B->descriptor);
}

void dense_multiply(char op_A, char op_B, double alpha, const struct dense *A,
                    const struct dense *B, double beta, struct dense *C)
{
    int inner = op_A == 'N' ? A->n_columns : A->n_rows;
    assert((op_A == 'N' || op_A == 'T') && (op_B == 'N' || op_B == 'T'));
    assert(A->grid == C->grid && B->grid == C->grid && A != C && B != C);
    assert(C->n_rows == (op_A == 'N' ? A->n_rows : A->n_columns));
    assert(C->n_columns == (op_B == 'N' ? B->n_columns : B->n_rows));
    assert(inner == (op_B == 'N' ? B->n_rows : B->n_columns));
    multiply_from(op_A, op_B, inner, alpha, A, B, 0, beta, C);
}

void dense_multiply_columns(double alpha, const struct dense *A, const struct dense *B, int first,
                            int last, double beta, struct dense *C)
{
    assert(A->grid == C->grid && B->grid == C->grid && A != C && B != C);
    assert(0 <= first && first <= last && last <= A->n_columns && last <= B->n_columns);
    assert(C->n_rows == A->n_rows && C->n_columns == B->n_rows);
    multiply_from('N', 'T', last - first, alpha, A, B, first, beta, C);
}

/* Copies n columns of B, beginning at from, to the columns of A beginning at to. */
static void put_columns(const struct dense *B, int from, int n, struct dense *A, int to)
{
    const double copied = 1, kept = 0;
    int from_column = from + 1, to_column = to + 1;
    assert(A->grid == B->grid && A->n_rows == B->n_rows && A != B);
    assert(0 <= from && from + n <= B->n_columns && 0 <= to && to + n <= A->n_columns);
    pdgeadd_("N", &A->n_rows, &n, &copied, B->local, &one, &from_column, B->descriptor, &kept,
             A->local, &one, &to_column, A->descriptor);
}

void dense_copy_columns(const struct dense *A, int first, struct dense *B)
{
    put_columns(A, first, B->n_columns, B, 0);
}

void dense_set_columns(const struct dense *B, int first, struct dense *A)
{
    put_columns(B, 0, B->n_columns, A, first);
}
