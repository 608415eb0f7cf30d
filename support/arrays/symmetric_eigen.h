/* SPDX-License-Identifier: BSD-3-Clause */
/* Eigenvectors of small symmetric matrices held whole by one process. */
#ifndef BERYL_SUPPORT_SYMMETRIC_EIGEN_H
#define BERYL_SUPPORT_SYMMETRIC_EIGEN_H

#include "support/base/status.h"

/* A V = V diag(values) by LAPACK, n >= 1. Not collective; the same bits on every
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

#endif
