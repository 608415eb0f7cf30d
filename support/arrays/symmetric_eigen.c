/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/arrays/symmetric_eigen.h"

#include <stdlib.h>

/* LAPACK, through the Fortran interface. */
void dsyev_(const char *job, const char *triangle, const int *n, double *A, const int *stride,
            double *values, double *work, const int *n_work, int *info);

enum status symmetric_eigen_in(int n, double *A, double *values, double *work)
{
    int n_work = SYMMETRIC_EIGEN_WORK * n, info;
    /* The lower triangle by rows is the upper one by columns. */
    dsyev_("V", "U", &n, A, &n, values, work, &n_work, &info);
    if (info != 0)
        return FAIL(STATUS_NUMERIC, "LAPACK found no eigenvectors of a matrix of %d rows (%d)", n,
                    info);
    return STATUS_OK;
}

enum status symmetric_eigen(int n, double *A, double *values)
{
    double *work = malloc((size_t)(SYMMETRIC_EIGEN_WORK * n) * sizeof *work);
    TRY(CHECK_MEMORY(work, "no memory for eigenvectors of %d rows", n));
    enum status status = symmetric_eigen_in(n, A, values, work);
    free(work);
    return status;
}
