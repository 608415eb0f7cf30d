/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/check.h"

enum { MAX_TESTS = 100 };

static struct CMUnitTest tests[MAX_TESTS];
static void (*runs[MAX_TESTS])(void);
static size_t n_tests;
void (*check_before)(void), (*check_after)(void);
int check_argc;
char **check_argv;

static void call_test(void **state)
{
    (**(void (**)(void)) * state)();
}

void check_add(const char *name, void (*run)(void))
{
    if (n_tests == MAX_TESTS)
        abort();
    runs[n_tests] = run;
    tests[n_tests] =
        (struct CMUnitTest){.name = name, .test_func = call_test, .initial_state = &runs[n_tests]};
    n_tests++;
}

void check_begin_mpi(void)
{
    MPI_Init(NULL, NULL);
}

void check_end_mpi(void)
{
    MPI_Finalize();
}

static int begin(void **state)
{
    (void)state;
    if (check_before)
        check_before();
    return 0;
}

/* The teardown is the last test: cmocka forgives what fails after a group. */
static int run_group(void)
{
    if (check_after)
        check_add("teardown", check_after);
    return _cmocka_run_group_tests("tests", tests, n_tests, begin, NULL);
}

int check_run(int argc, char **argv)
{
    check_argc = argc;
    check_argv = argv;
#ifdef CHECK_PARALLEL
    int rank, provided;
    MPI_Init_thread(&check_argc, &check_argv,
                    getenv("BERYL_TEST_POOL_OPTIONS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0 && !freopen("/dev/null", "w", stdout))
        return 1;
    int n_failed = run_group();
    MPI_Finalize();
    return n_failed != 0;
#else
    return run_group();
#endif
}

__attribute__((weak)) int main(int argc, char **argv)
{
    return check_run(argc, argv);
}
