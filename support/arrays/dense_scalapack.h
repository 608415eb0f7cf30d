/* What dense*.c call of BLACS, ScaLAPACK, LAPACK and OpenBLAS, none of which
 * comes with C prototypes for it: Fortran's calling convention, everything by
 * address. For nobody else. */
#ifndef BERYL_SUPPORT_DENSE_SCALAPACK_H
#define BERYL_SUPPORT_DENSE_SCALAPACK_H

#include <mpi.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int n_rows, int n_columns);
void Cblacs_gridexit(int context);

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

/* Eigenvalues and eigenvectors by divide and conquer; work sizes -1 ask for the
 * sizes, returned in the first elements. */
void dsyevd_(const char *job, const char *triangle, const int *n, double *A, const int *stride,
             double *values, double *work, const int *n_work, int *integer_work,
             const int *n_integer_work, int *info);

void openblas_set_num_threads(int n_threads);

#endif
