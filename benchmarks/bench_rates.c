/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates that bound a contraction, on all processes at once, as a line of JSON: GFLOP/s of DGEMM of 2000 x 2000
 * matrices and GB/s of memcpy, read and written, both per process and the best of a few.
 *
 *     bench_rates [REPEAT]
 *     mpirun -np 2 bench_rates */
#include "benchmarks/dgemm_rate.h"
#include "support/arrays/blas_kernels.h"

#include <stdio.h>
#include <string.h>

/* A copy is far beyond any cache. */
enum { DGEMM_N = 2000, COPY_BYTES = 128000000 };

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
    TRY(dgemm_rate(DGEMM_N, repeat, &gflops));
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
