/* SPDX-License-Identifier: BSD-3-Clause */
/* DIIS solves a linear problem of n unknowns after n + 1 steps; with one step kept it is plain
 * iteration; values that are not finite end it. */
#include "tce/methods/amplitude_solver.h"
#include "tce/tensor/tensor_algebra.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

enum { N_PAIR = 2, N_VECTOR = 3, N = N_PAIR + N_VECTOR };

/* Two unknowns, tensors of 2 and of 3 numbers in blocks of 1. */
struct problem {
    struct index_space *spaces[2];
    struct tensor *x[2], *f[2];
    struct amplitude_solver *solver;
};

static double first_guess(const int64_t value[], void *context)
{
    (void)context;
    return 1 + 0.5 * (double)value[0];
}

static void problem_init(struct problem *problem, int n_kept)
{
    const struct index_block blocks[2] = {{.size = N_PAIR}, {.size = N_VECTOR}};
    for (int i = 0; i < 2; i++) {
        check_ok(index_space_create("s", 1, &blocks[i], 1, &problem->spaces[i]));
        struct block_labels labels = {.rank = 1, .space = {problem->spaces[i]}};
        check_ok(tensor_create("x", &labels, MPI_COMM_WORLD, &problem->x[i]));
        check_ok(tensor_create("f", &labels, MPI_COMM_WORLD, &problem->f[i]));
        tensor_fill(problem->x[i], first_guess, NULL);
    }
    check_ok(amplitude_solver_create(2, problem->x, problem->f, n_kept, MPI_COMM_WORLD,
                                     &problem->solver));
}

static void problem_fini(struct problem *problem)
{
    amplitude_solver_destroy(problem->solver);
    for (int i = 0; i < 2; i++) {
        tensor_destroy(problem->x[i]);
        tensor_destroy(problem->f[i]);
        index_space_destroy(problem->spaces[i]);
    }
}

/* The numbers of both tensors together, each a block. */
static void get(struct tensor *const tensors[], double values[N])
{
    darray_sync();
    for (int i = 0; i < N; i++)
        darray_get(tensors[i >= N_PAIR]->data, i < N_PAIR ? i : i - N_PAIR, &values[i]);
    darray_sync();
}

static void put(struct tensor *const tensors[], const double values[N])
{
    for (int i = 0; i < N; i++) {
        struct darray *to = tensors[i >= N_PAIR]->data;
        int64_t block = i < N_PAIR ? i : i - N_PAIR;
        if (darray_local(to, block))
            darray_put(to, block, &values[i]);
    }
    darray_sync();
}

/* f(x) = b + M x, with the solution s: b = s - M s. Plain iteration would diverge, and errors
 * become smaller slowly, so that no step is too old to be used. */
static double solution(int i)
{
    return 2.0 - i;
}

static void linear(const double x[N], double f[N])
{
    for (int i = 0; i < N; i++) {
        int next = (i + 1) % N;
        f[i] = solution(i) + 0.5 * (x[i] - solution(i)) - (x[next] - solution(next));
    }
}

static void coupled_cosines(const double x[N], double f[N])
{
    for (int i = 0; i < N; i++)
        f[i] = 0.5 * cos(x[(i + 1) % N] + i);
}

static void identity(const double x[N], double f[N])
{
    for (int i = 0; i < N; i++)
        f[i] = x[i];
}

/* A step from x to the next one; returns max |f(x) - x|. */
static double step(struct problem *problem, void function(const double *, double *), double x[N],
                   double f[N])
{
    double change, norm, expected = 0, squares = 0;
    get(problem->x, x);
    function(x, f);
    put(problem->f, f);
    check_ok(amplitude_solver_step(problem->solver, &change, &norm));
    for (int i = 0; i < N; i++) {
        expected = fmax(expected, fabs(f[i] - x[i]));
        squares += (f[i] - x[i]) * (f[i] - x[i]);
    }
    check_close(change, expected, 1e-15 * expected);
    check_close(norm * norm, squares, 1e-14 * squares);
    get(problem->x, x);
    return change;
}

TEST(diis_solves_a_linear_problem_in_one_step_more_than_unknowns)
{
    struct problem problem;
    double x[N], f[N];
    problem_init(&problem, 8);
    for (int n = 0; n <= N; n++) {
        double change = step(&problem, linear, x, f);
        /* Not earlier: else the test would show nothing. */
        assert_true(n > 3 || change > 1e-3);
    }
    for (int i = 0; i < N; i++)
        check_close(x[i], solution(i), 1e-8);
    problem_fini(&problem);
}

/* More steps than are kept; half of them by another solver with the steps of the first. */
TEST(a_short_memory_converges_as_well_and_can_be_resumed)
{
    struct problem problem, other;
    double x[N], f[N], again[N], change = 1;
    const double one = 1;
    problem_init(&problem, 3);
    problem_init(&other, 3);
    for (int n = 0; n < 60 && change > 1e-10; n++) {
        change = step(&problem, coupled_cosines, x, f);
        if (n == 4) {
            int n_steps, n_others;
            const struct amplitude_step *from = amplitude_solver_steps(problem.solver, &n_steps);
            const struct amplitude_step *to = amplitude_solver_steps(other.solver, &n_others);
            assert_int_equal(n_steps, 3);
            for (int s = 0; s < n_steps; s++)
                for (int i = 0; i < 2; i++) {
                    const struct tensor *const image = from[s].image[i], *const error =
                                                                             from[s].error[i];
                    tensor_combine(1, &one, &image, to[s].image[i]);
                    tensor_combine(1, &one, &error, to[s].error[i]);
                }
            darray_sync();
            check_ok(amplitude_solver_resume(other.solver, n_steps));
            put(other.x, x);
        } else if (n > 4) {
            step(&other, coupled_cosines, again, f);
            assert_memory_equal(again, x, sizeof x);
        }
    }
    assert_true(change <= 1e-10);
    coupled_cosines(x, f);
    for (int i = 0; i < N; i++)
        check_close(x[i], f[i], 1e-9);
    problem_fini(&problem);
    problem_fini(&other);
}

TEST(one_step_kept_is_plain_iteration)
{
    struct problem problem;
    double x[N], f[N];
    problem_init(&problem, 1);
    for (int n = 0; n < 4; n++) {
        step(&problem, linear, x, f);
        assert_memory_equal(x, f, sizeof x);
        get(problem.f, x);
        assert_memory_equal(x, f, sizeof x);
    }
    problem_fini(&problem);
}

TEST(a_solution_stays)
{
    struct problem problem;
    double x[N], f[N];
    problem_init(&problem, 4);
    for (int n = 0; n < 3; n++) {
        check_close(step(&problem, identity, x, f), 0, 0);
        for (int i = 0; i < N; i++)
            check_close(x[i], f[i], 1e-15 * fabs(f[i]));
    }
    problem_fini(&problem);
}

TEST(numbers_that_are_none_are_refused_everywhere)
{
    static const struct {
        double value;
        int at;
    } cases[] = {{NAN, 0}, {NAN, N - 1}, {INFINITY, 1}, {-INFINITY, N - 2}};
    for (int c = 0; c < 4; c++) {
        struct problem problem;
        double x[N], f[N], change, norm;
        problem_init(&problem, 4);
        step(&problem, linear, x, f);
        f[cases[c].at] = cases[c].value;
        put(problem.f, f);
        check_status(STATUS_NUMERIC, amplitude_solver_step(problem.solver, &change, &norm));
        problem_fini(&problem);
    }
}

TEST_SETUP(darray_case_start)
TEST_TEARDOWN(darray_case_stop)
