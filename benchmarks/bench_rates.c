/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates that bound a contraction, on all processes at once, as a line of JSON: GFLOP/s of DGEMM of 2000 x 2000
 * matrices and GB/s of memcpy, read and written, both per process and the best of a few.
 *
 *     bench_rates [REPEAT]
 *     mpirun -np 2 bench_rates */
#include "support/arrays/blas_kernels.h"
#include "support/base/clock.h"
#include "support/base/status.h"

#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy is far beyond any cache. */
enum { DGEMM_N = 2000, COPY_BYTES = 128000000 };

static double now_together_s(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return clock_now_s();
}

static enum status dgemm_rate(int repeat, double *gflops)
{
    const size_t n = (size_t)DGEMM_N * DGEMM_N;
    double *matrices = malloc(3 * n * sizeof *matrices);
    *gflops = 0;
    TRY(CHECK_MEMORY(matrices, "no memory for matrices"));
    for (size_t i = 0; i < 3 * n; i++)
        matrices[i] = 1.0 / (double)(1 + i % 101);
    for (int i = 0; i < repeat; i++) {
        double start_s = now_together_s();
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, DGEMM_N, DGEMM_N, DGEMM_N, 1,
                    matrices, DGEMM_N, matrices + n, DGEMM_N, 0, matrices + 2 * n, DGEMM_N);
        *gflops = fmax(*gflops, 2e-9 * DGEMM_N * DGEMM_N * DGEMM_N / (now_together_s() - start_s));
    }
    free(matrices);
    return STATUS_OK;
}

static enum status copy_rate(int repeat, double *gigabytes)
{
    char *bytes = malloc(2 * (size_t)COPY_BYTES);
    *gigabytes = 0;
    TRY(CHECK_MEMORY(bytes, "no memory for a copy"));
    memset(bytes, 1, 2 * (size_t)COPY_BYTES);
    for (int i = 0; i < repeat; i++) {
        double start_s = now_together_s();
        memcpy(bytes + COPY_BYTES, bytes, COPY_BYTES);
        /* Else the compiler leaves out a copy that nobody reads. */
        __asm__ volatile("" : : "r"(bytes) : "memory");
        *gigabytes = fmax(*gigabytes, 2e-9 * COPY_BYTES / (now_together_s() - start_s));
    }
    free(bytes);
    return STATUS_OK;
}

static enum status print_rates(int repeat)
{
    double gflops, gigabytes;
    int rank, n_processes;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    if (repeat < 1)
        return FAIL(STATUS_USAGE, "give a number of repetitions from 1 on");
    blas_kernels_start();
    TRY(dgemm_rate(repeat, &gflops));
    TRY(copy_rate(repeat, &gigabytes));
    if (rank == 0)
        printf(
            "{\"processes\": %d, \"kernels\": \"%s\", \"dgemm_gflops\": %.3f, \"copy_gb_per_s\": "
            "%.3f}\n",
            n_processes, openblas_get_corename(), gflops, gigabytes);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    enum status status = print_rates(argc > 1 ? atoi(argv[1]) : 3);
    if (status != STATUS_OK)
        fprintf(stderr, "bench_rates: %s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
