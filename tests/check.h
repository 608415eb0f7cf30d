/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all tests: cmocka with the headers it needs, checks of statuses
 * and of doubles, and the main function of tests that run under mpiexec. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/base/status.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The call succeeds; its message is shown if not. */
#define check_ok(call) check_status_at(STATUS_OK, (call), __FILE__, __LINE__)

/* The call ends with this status. */
#define check_status(expected, call) check_status_at((expected), (call), __FILE__, __LINE__)

static inline void check_status_at(enum status expected, enum status actual, const char *file,
                                   int line)
{
    if (actual == expected)
        return;
    fprintf(stderr, "%s, not %s: %s\n", status_words(actual), status_words(expected),
            status_text());
    _fail(file, line);
}

/* |actual - expected| <= tolerance; not so if either is NaN. */
#define check_close(actual, expected, tolerance)                                                   \
    check_close_at((actual), (expected), (tolerance), __FILE__, __LINE__)

static inline void check_close_at(double actual, double expected, double tolerance,
                                  const char *file, int line)
{
    if (fabs(actual - expected) <= tolerance)
        return;
    fprintf(stderr, "%.17g is not %.17g to %g (difference %g)\n", actual, expected, tolerance,
            actual - expected);
    _fail(file, line);
}

/* Runs a group of tests on every process between MPI_Init and MPI_Finalize;
 * only the first process reports what passed. The exit status of main. With
 * BERYL_TEST_POOL_OPTIONS set, which may ask for a progress thread, several threads may
 * communicate. */
#define check_run_parallel(tests, argc, argv)                                                      \
    check_run_parallel_group(#tests, (tests), sizeof(tests) / sizeof((tests)[0]), (argc), (argv))

static inline int check_run_parallel_group(const char *name, const struct CMUnitTest *tests,
                                           size_t n_tests, int *argc, char ***argv)
{
    int rank, provided;
    MPI_Init_thread(argc, argv,
                    getenv("BERYL_TEST_POOL_OPTIONS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 && !freopen("/dev/null", "w", stdout))
        return 1;
    int n_failed = _cmocka_run_group_tests(name, tests, n_tests, NULL, NULL);
    MPI_Finalize();
    return n_failed != 0;
}
