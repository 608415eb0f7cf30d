/* SPDX-License-Identifier: BSD-3-Clause */
/* The check that an operation leaves nothing behind. */
#pragma once

#include "support/base/clock.h"
#include "tests/check.h"
#include "tests/load/load_counts.h"

/* Growth of the resident memory that is noise: free lists of MPI, pages touched for the first time.
 */
#define LOAD_NOISE_BYTES (1 << 20)

/* Upper bound on the slowdown of the second half of the operations. With a cost linear in the
 * number of earlier operations the ratio of the fastest fifths would be 11. */
#define LOAD_SLOWER  4.0
#define LOAD_NOISE_S 0.05

/* Where other programs keep all cores busy, every operation waits for a time slice of another process:
 * the second half is repeated for as long, and twice at least. */
#define LOAD_PATIENCE_S 5.0

/* Parts of each half: the fastest counts, as the machine has other things to do. */
enum { LOAD_PARTS = 5 };

static inline void load_check_equal(const char *what, const char *object, int64_t before,
                                    int64_t after)
{
    if (before == after)
        return;
    fprintf(stderr, "%s: %lld %s before, %lld after\n", what, (long long)before, object,
            (long long)after);
    fail();
}

/* Runs an operation n times; the time of the fastest fifth, times 5. Collective over
 * MPI_COMM_WORLD. */
static inline double load_time(void (*operation)(void *context), void *context, int64_t n)
{
    double least_s = INFINITY;
    for (int64_t part = 0; part < LOAD_PARTS; part++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start_s = clock_now_s();
        for (int64_t i = n * part / LOAD_PARTS; i < n * (part + 1) / LOAD_PARTS; i++)
            operation(context);
        MPI_Barrier(MPI_COMM_WORLD);
        least_s = fmin(least_s, clock_now_s() - start_s);
    }
    return LOAD_PARTS * least_s;
}

static inline bool load_is_linear(double first_s, double second_s)
{
    return second_s <= LOAD_SLOWER * first_s + LOAD_NOISE_S;
}

static inline void load_check_linear(const char *what, double first_s, double second_s)
{
    if (load_is_linear(first_s, second_s))
        return;
    fprintf(stderr, "%s: %.3f s for the first half, %.3f s for the second\n", what, first_s,
            second_s);
    fail();
}

/* The time of n more operations after a half that took first_s; the least of several where other
 * programs kept the machine busy. Collective over MPI_COMM_WORLD. */
static inline double load_time_second(void (*operation)(void *context), void *context, int64_t n,
                                      double first_s)
{
    double second_s = INFINITY, start_s = clock_now_s();
    for (int i = 0, again = 1; again; i++) {
        second_s = fmin(second_s, load_time(operation, context, n));
        again = !load_is_linear(first_s, second_s) &&
                (i < 2 || clock_now_s() - start_s < LOAD_PATIENCE_S);
        MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    return second_s;
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

/* Runs an operation n times in addition to a tenth, which warms up. Collective over
 * MPI_COMM_WORLD. */
static inline void load_check(const char *what, void (*operation)(void *context), void *context,
                              int64_t n)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    load_time(operation, context, n / 10);
    struct load_counts before = load_counts_now();
    double first_s = load_time(operation, context, n / 2);
    double second_s = load_time_second(operation, context, n / 2, first_s);
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
    load_check_linear(what, first_s, second_s);
}
