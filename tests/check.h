/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by all tests: cmocka with the headers it needs, tests that register themselves, checks of statuses and of
 * doubles. */
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

/* A test: TEST(sums_are_exact) { ... }. It registers itself; check.c has the main function, unless a program has one of
 * its own that calls check_run. */
#define TEST(name)                                                                                 \
    static void name(void);                                                                        \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add(#name, name);                                                                    \
    }                                                                                              \
    static void name(void)

/* A function before the first test, or after the last. */
#define TEST_SETUP(function)                                                                       \
    __attribute__((constructor)) static void set_up_by_##function(void)                            \
    {                                                                                              \
        check_before = function;                                                                   \
    }
#define TEST_TEARDOWN(function)                                                                    \
    __attribute__((constructor)) static void tear_down_by_##function(void)                         \
    {                                                                                              \
        check_after = function;                                                                    \
    }

void check_add(const char *name, void (*run)(void));
extern void (*check_before)(void), (*check_after)(void);

/* MPI on one process, for tests that run without mpiexec. */
void check_begin_mpi(void);
void check_end_mpi(void);

/* The command line, for tests. */
extern int check_argc;
extern char **check_argv;

/* Runs all tests; returns the exit status of main. Programs of beryl_test(RANKS ...) run them on every process between
 * MPI_Init and MPI_Finalize; only the first process reports what passed. With BERYL_TEST_POOL_OPTIONS set, which may
 * ask for a progress thread, several threads may communicate. */
int check_run(int argc, char **argv);
