/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests that with --digests print digests of their results instead, to be compared among numbers
 * of processes. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/sha256.h"
#include "tests/check.h"

#include <mpi.h>
#include <stdio.h>

/* Finds the digest of n digests, each found by `find`. */
static inline void
digest_case_combine(int n, void (*find)(int i, const void *context, char digest[SHA256_HEX_SIZE]),
                    const void *context, char all[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    char one[SHA256_HEX_SIZE];
    check_ok(sha256_create(&sha256));
    for (int i = 0; i < n; i++) {
        find(i, context, one);
        sha256_add(sha256, one, sizeof one);
    }
    sha256_finish(sha256, all);
    sha256_destroy(sha256);
}

/* A line of the first process. */
static inline void digest_case_print(const char *digest)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s\n", digest);
}

/* Prints digests, with MPI and distributed arrays; the exit status of main. */
static inline int digest_case_run(int *argc, char ***argv, void (*print_digests)(void))
{
    MPI_Init(argc, argv);
    check_ok(darray_start());
    print_digests();
    darray_stop();
    MPI_Finalize();
    return 0;
}
