/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that an operation leaves nothing behind. */
#pragma once

#include "support/base/clock.h"
#include "tests/check.h"
#include "tests/load/load_counts.h"

/* Growth of the resident memory that is noise: free lists of MPI, pages touched for the first time.
 */
#define LOAD_NOISE_BYTES (1 << 20)

static inline void load_check_equal(const char *what, const char *object, int64_t before,
                                    int64_t after)
{
    if (before == after)
        return;
    fprintf(stderr, "%s: %lld %s before, %lld after\n", what, (long long)before, object,
            (long long)after);
    fail();
}

/* Seconds of n operations. Collective over MPI_COMM_WORLD. */
static inline double load_run(void (*operation)(void *context), void *context, int64_t n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double start_s = clock_now_s();
    for (int64_t i = 0; i < n; i++)
        operation(context);
    MPI_Barrier(MPI_COMM_WORLD);
    return clock_now_s() - start_s;
}

static inline void load_check_held(const char *what, const struct load_counts *before,
                                   const struct load_counts *after)
{
    load_check_equal(what, "windows", before->windows, after->windows);
    load_check_equal(what, "communicators", before->communicators, after->communicators);
    load_check_equal(what, "types", before->types, after->types);
    load_check_equal(what, "groups", before->groups, after->groups);
    load_check_equal(what, "requests", before->requests, after->requests);
    load_check_equal(what, "files", before->files, after->files);
    load_check_equal(what, "threads", before->threads, after->threads);
}

/* Runs an operation n times in addition to a tenth, which warms up, and prints the seconds of both halves.
 * Collective over MPI_COMM_WORLD. */
static inline void load_check(const char *what, void (*operation)(void *context), void *context,
                              int64_t n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    load_run(operation, context, n / 10);
    struct load_counts before = load_counts_now();
    double first_s = load_run(operation, context, n / 2);
    double second_s = load_run(operation, context, n / 2);
    struct load_counts after = load_counts_now();
    int64_t grown_bytes = after.resident_bytes - before.resident_bytes;
    if (rank == 0)
        printf("%-28s %8lld times %9.3f + %.3f s %6lld kB more, %lld windows made\n", what,
               (long long)n, first_s, second_s, (long long)(grown_bytes / 1024),
               (long long)(after.windows_made - before.windows_made));
    load_check_held(what, &before, &after);
    if (grown_bytes > LOAD_NOISE_BYTES) {
        fprintf(stderr, "%s: %lld bytes of memory more after %lld times\n", what,
                (long long)grown_bytes, (long long)n);
        fail();
    }
}
