/* SPDX-License-Identifier: BSD-3-Clause */
/* The coefficients of DIIS minimise the error, and old steps give way when the
 * equations are ill-conditioned. */
#include "support/arrays/diis.h"
#include "tests/check.h"

/* B of two errors of given lengths and angle. */
static void two_errors(double a, double b, double cosine, double *B)
{
    B[0] = a * a;
    B[1] = B[2] = a * b * cosine;
    B[3] = b * b;
}

TEST(one_step_is_itself)
{
    double B = 4, c;
    int n_dropped;
    check_ok(diis_coefficients(1, &B, 1, &c, &n_dropped));
    check_close(c, 1, 0);
    assert_int_equal(n_dropped, 0);
}

TEST(two_steps_give_the_foot_of_the_perpendicular)
{
    double B[4], c[2];
    int n_dropped;
    /* On the line from (3, 0) to (0, 4) the point nearest to the origin divides it 16 : 9. */
    two_errors(3, 4, 0, B);
    check_ok(diis_coefficients(2, B, 2, c, &n_dropped));
    check_close(c[0], 16.0 / 25, 1e-14);
    check_close(c[1], 9.0 / 25, 1e-14);
    /* Along one line, from 2 to 1: extrapolated to 0. */
    two_errors(2, 1, 1 - 1e-10, B);
    check_ok(diis_coefficients(2, B, 2, c, &n_dropped));
    check_close(c[0], -1, 1e-3);
    check_close(c[1], 2, 1e-3);
    assert_int_equal(n_dropped, 0);
}

TEST(sizes_of_errors_do_not_matter)
{
    double B[4], c[2];
    int n_dropped;
    two_errors(1, 1e-7, 0, B);
    check_ok(diis_coefficients(2, B, 2, c, &n_dropped));
    assert_int_equal(n_dropped, 0);
    check_close(c[0], 1e-14, 1e-20);
    check_close(c[1], 1, 1e-13);
}

TEST(dependent_old_steps_are_dropped)
{
    /* Errors (1,0), (1,0), (0,1): the first two are the same. */
    const double B[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1};
    double c[3];
    int n_dropped;
    check_ok(diis_coefficients(3, B, 3, c, &n_dropped));
    assert_int_equal(n_dropped, 1);
    check_close(c[0], 0, 0);
    check_close(c[1], 0.5, 1e-14);
    check_close(c[2], 0.5, 1e-14);
}

TEST(equal_errors_leave_the_newest_step)
{
    const double B[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    double c[3];
    int n_dropped;
    check_ok(diis_coefficients(3, B, 3, c, &n_dropped));
    assert_int_equal(n_dropped, 2);
    check_close(c[2], 1, 0);
}

TEST(an_error_of_zero_is_taken)
{
    double B[4], c[2];
    int n_dropped;
    two_errors(1, 0, 0, B);
    check_ok(diis_coefficients(2, B, 2, c, &n_dropped));
    check_close(c[0], 0, 0);
    check_close(c[1], 1, 0);
}

TEST(errors_that_cancel_are_cancelled)
{
    double B[4], c[2];
    int n_dropped;
    two_errors(2, 1, -1, B);
    check_ok(diis_coefficients(2, B, 2, c, &n_dropped));
    assert_int_equal(n_dropped, 0);
    check_close(c[0], 1.0 / 3, 1e-10);
    check_close(c[1], 2.0 / 3, 1e-10);
}

/* F = solution + size step, error = step with its size: a linear problem. A step changes one pair
 * of elements. */
static void fill_step(int kind, double size, struct dense *F, struct dense *error)
{
    for (int c = 0; c < F->local_columns; c++) {
        for (int r = 0; r < F->local_rows; r++) {
            int i = dense_global_row(F, r), j = dense_global_column(F, c);
            size_t at = (size_t)c * (size_t)F->local_rows + (size_t)r;
            double step = i != j && i + j == kind + 1 ? kind + 1 : 0;
            F->local[at] = 100 + i + j + size * step;
            error->local[at] = (i < j ? 3 : -3) * size * step;
        }
    }
}

TEST(extrapolation_of_a_linear_problem_is_exact)
{
    struct dense_grid *grid;
    struct diis *diis;
    struct dense *F, *error, *scratch;
    check_ok(dense_grid_create(MPI_COMM_WORLD, &grid));
    check_ok(diis_create(grid, 1, 3, 3, &diis));
    check_ok(dense_create(grid, 3, 3, &F));
    check_ok(dense_create(grid, 3, 3, &error));
    check_ok(dense_create(grid, 3, 3, &scratch));
    /* More steps than are kept; the last two cancel. */
    for (int kind = 0; kind < 3; kind++) {
        fill_step(kind, 1, F, error);
        diis_push(diis, &F, &error);
    }
    fill_step(2, -0.5, F, error);
    diis_push(diis, &F, &error);
    assert_int_equal(diis_n_steps(diis), 3);
    check_ok(diis_extrapolate(diis, scratch, &F));
    for (int c = 0; c < F->local_columns; c++)
        for (int r = 0; r < F->local_rows; r++)
            check_close(F->local[c * F->local_rows + r],
                        100 + dense_global_row(F, r) + dense_global_column(F, c), 1e-10);
    dense_destroy(F);
    dense_destroy(error);
    dense_destroy(scratch);
    diis_destroy(diis);
    dense_grid_destroy(grid);
}
