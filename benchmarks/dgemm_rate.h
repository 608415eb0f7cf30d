/* SPDX-License-Identifier: BSD-3-Clause */
/* Times of all processes together, and the rate of DGEMM that they bound. Collective over MPI_COMM_WORLD. */
#pragma once

#include "support/base/clock.h"
#include "support/base/status.h"

#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

/* When all processes have come here. */
static inline double now_together_s(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return clock_now_s();
}

/* GFLOP/s of a process, all at once, for matrices of n x n: the best of a few. Errors: STATUS_NO_MEMORY. */
static inline enum status dgemm_rate(int n, int repeat, double *gflops)
{
    const size_t n_elements = (size_t)n * (size_t)n;
    double *matrices = malloc(3 * n_elements * sizeof *matrices);
    *gflops = 0;
    TRY(CHECK_MEMORY(matrices, "no memory for matrices"));
    for (size_t i = 0; i < 3 * n_elements; i++)
        matrices[i] = 1.0 / (double)(1 + i % 101);
    for (int i = 0; i < repeat; i++) {
        double start_s = now_together_s();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, matrices, n,
                    matrices + n_elements, n, 0, matrices + 2 * n_elements, n);
        *gflops = fmax(*gflops, 2e-9 * n * n * n / (now_together_s() - start_s));
    }
    free(matrices);
    return STATUS_OK;
}
