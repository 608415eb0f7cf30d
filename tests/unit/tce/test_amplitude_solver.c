/* SPDX-License-Identifier: BSD-3-Clause */
/* DIIS solves a linear problem of n unknowns after n + 1 steps; with one step kept it is plain
 * iteration; values that are not finite end it. */
#include "tce/methods/amplitude_solver.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { N_PAIR = 2, N_VECTOR = 3, N = N_PAIR + N_VECTOR };

/* Two unknowns, tensors of 2 and of 3 numbers in blocks of 1. */
struct problem {
    struct index_space *spaces[2];
    struct tensor *x[2], *f[2];
};

static double one(const int64_t value[], void *context)
{
    (void)context;
    return 1 + 0.5 * (double)value[0];
}

/* The first guess is not zero. */
static void problem_init(struct problem *problem)
{
    const struct index_block blocks[2] = {{.size = N_PAIR}, {.size = N_VECTOR}};
    for (int i = 0; i < 2; i++) {
        check_ok(index_space_create("s", 1, &blocks[i], 1, &problem->spaces[i]));
        struct block_labels labels = {.rank = 1, .space = {problem->spaces[i]}};
        check_ok(tensor_create("x", &labels, MPI_COMM_WORLD, &problem->x[i]));
        check_ok(tensor_create("f", &labels, MPI_COMM_WORLD, &problem->f[i]));
        tensor_fill(problem->x[i], one, NULL);
    }
}

static void problem_fini(struct problem *problem)
{
    for (int i = 0; i < 2; i++) {
        tensor_destroy(problem->x[i]);
        tensor_destroy(problem->f[i]);
        index_space_destroy(problem->spaces[i]);
    }
}

/* Block i of both together. */
static struct darray *place_of(struct tensor *const tensors[], int i, int64_t *block)
{
    *block = i < N_PAIR ? i : i - N_PAIR;
    return tensors[i < N_PAIR ? 0 : 1]->data;
}

static void get(struct tensor *const tensors[], double values[N])
{
    darray_sync();
    for (int i = 0; i < N; i++) {
        int64_t block;
        const struct darray *from = place_of(tensors, i, &block);
        darray_get(from, block, &values[i]);
    }
    darray_sync();
}

static void put(struct tensor *const tensors[], const double values[N])
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++) {
        int64_t block;
        struct darray *to = place_of(tensors, i, &block);
        if (darray_owner(to, block) == rank)
            darray_put(to, block, &values[i]);
    }
    darray_sync();
}

/* f(x) = b + M x, with the solution s: b = s - M s. Plain iteration would diverge, and errors
 * become smaller slowly, so that no step is too old to be used. */
static double M(int i, int j)
{
    return (i == j ? 0.5 : 0) - (j == (i + 1) % N);
}

static double solution(int i)
{
    return 2.0 - i;
}

static void linear(const double x[N], double f[N])
{
    for (int i = 0; i < N; i++) {
        f[i] = solution(i);
        for (int j = 0; j < N; j++)
            f[i] += M(i, j) * (x[j] - solution(j));
    }
}

TEST(diis_solves_a_linear_problem_in_one_step_more_than_unknowns)
{
    struct problem problem;
    struct amplitude_solver *solver;
    double x[N], f[N], change, norm;
    problem_init(&problem);
    check_ok(amplitude_solver_create(2, problem.x, problem.f, 8, MPI_COMM_WORLD, &solver));
    for (int step = 0; step <= N; step++) {
        double expected = 0, squares = 0;
        get(problem.x, x);
        linear(x, f);
        put(problem.f, f);
        check_ok(amplitude_solver_step(solver, &change, &norm));
        for (int i = 0; i < N; i++) {
            expected = fmax(expected, fabs(f[i] - x[i]));
            squares += (f[i] - x[i]) * (f[i] - x[i]);
        }
        check_close(change, expected, 1e-15 * expected);
        check_close(norm * norm, squares, 1e-14 * squares);
        /* Not earlier: else the test would show nothing. */
        assert_true(step > 3 || change > 1e-3);
    }
    get(problem.x, x);
    for (int i = 0; i < N; i++)
        check_close(x[i], solution(i), 1e-8);
    amplitude_solver_destroy(solver);
    problem_fini(&problem);
}

/* More steps than are kept. */
TEST(a_short_memory_converges_as_well)
{
    struct problem problem;
    struct amplitude_solver *solver;
    double x[N], f[N], change = 1, norm;
    problem_init(&problem);
    check_ok(amplitude_solver_create(2, problem.x, problem.f, 3, MPI_COMM_WORLD, &solver));
    for (int step = 0; step < 60 && change > 1e-10; step++) {
        get(problem.x, x);
        for (int i = 0; i < N; i++)
            f[i] = 0.5 * cos(x[(i + 1) % N] + i);
        put(problem.f, f);
        check_ok(amplitude_solver_step(solver, &change, &norm));
    }
    assert_true(change <= 1e-10);
    get(problem.x, x);
    for (int i = 0; i < N; i++)
        check_close(x[i], 0.5 * cos(x[(i + 1) % N] + i), 1e-9);
    amplitude_solver_destroy(solver);
    problem_fini(&problem);
}

TEST(one_step_kept_is_plain_iteration)
{
    struct problem problem;
    struct amplitude_solver *solver;
    double x[N], f[N], change, norm;
    problem_init(&problem);
    check_ok(amplitude_solver_create(2, problem.x, problem.f, 1, MPI_COMM_WORLD, &solver));
    for (int step = 0; step < 4; step++) {
        get(problem.x, x);
        linear(x, f);
        put(problem.f, f);
        check_ok(amplitude_solver_step(solver, &change, &norm));
        get(problem.x, x);
        assert_memory_equal(x, f, sizeof x);
        get(problem.f, x);
        assert_memory_equal(x, f, sizeof x);
    }
    amplitude_solver_destroy(solver);
    problem_fini(&problem);
}

/* f(x) = x: nothing is left to do. */
TEST(a_solution_stays)
{
    struct problem problem;
    struct amplitude_solver *solver;
    double x[N], again[N], change, norm;
    problem_init(&problem);
    get(problem.x, x);
    put(problem.f, x);
    check_ok(amplitude_solver_create(2, problem.x, problem.f, 4, MPI_COMM_WORLD, &solver));
    for (int step = 0; step < 3; step++) {
        check_ok(amplitude_solver_step(solver, &change, &norm));
        check_close(change, 0, 0);
        check_close(norm, 0, 0);
        get(problem.x, again);
        for (int i = 0; i < N; i++)
            check_close(again[i], x[i], 1e-15 * fabs(x[i]));
    }
    amplitude_solver_destroy(solver);
    problem_fini(&problem);
}

static void check_refused(double value, int at)
{
    struct problem problem;
    struct amplitude_solver *solver;
    double x[N], f[N], change, norm;
    problem_init(&problem);
    check_ok(amplitude_solver_create(2, problem.x, problem.f, 4, MPI_COMM_WORLD, &solver));
    get(problem.x, x);
    linear(x, f);
    put(problem.f, f);
    check_ok(amplitude_solver_step(solver, &change, &norm));
    f[at] = value;
    put(problem.f, f);
    check_status(STATUS_NUMERIC, amplitude_solver_step(solver, &change, &norm));
    amplitude_solver_destroy(solver);
    problem_fini(&problem);
}

TEST(numbers_that_are_none_are_refused_everywhere)
{
    check_refused(NAN, 0);
    check_refused(NAN, N - 1);
    check_refused(INFINITY, 1);
    check_refused(-INFINITY, N - 2);
}

TEST(the_elements_kept_are_counted)
{
    check_close(amplitude_solver_count_elements(N, 8), 2.0 * 8 * N, 0);
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
