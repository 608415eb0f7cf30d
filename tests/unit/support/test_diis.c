/* SPDX-License-Identifier: BSD-3-Clause */
/* The coefficients of DIIS minimise the error, and old steps give way when the
 * equations are ill-conditioned. */
#include "support/arrays/diis.h"
#include "tests/check.h"

/* Two errors of given lengths and the cosine between them. */
TEST(two_steps_give_the_foot_of_the_perpendicular)
{
    static const struct {
        double a, b, cosine, c[2], tolerance;
    } cases[] = {
        {3, 4, 0, {16.0 / 25, 9.0 / 25}, 1e-14}, /* divides the line from (3, 0) to (0, 4) 16 : 9 */
        {2, 1, 1 - 1e-10, {-1, 2}, 1e-3},        /* along one line: extrapolated to 0 */
        {2, 1, -1, {1.0 / 3, 2.0 / 3}, 1e-10},   /* errors that cancel */
        {1, 1e-7, 0, {1e-14, 1}, 1e-6},          /* sizes do not matter */
        {1, 0, 0, {0, 1}, 0},
        {0, 0, 0, {0, 1}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double a = cases[i].a, b = cases[i].b, ab = a * b * cases[i].cosine, c[2];
        int n_dropped;
        check_ok(diis_coefficients(2, (double[]){a * a, ab, ab, b * b}, 2, c, &n_dropped));
        assert_int_equal(n_dropped, 0);
        for (int k = 0; k < 2; k++)
            check_close(c[k], cases[i].c[k], cases[i].tolerance * fabs(cases[i].c[k]));
    }
}

TEST(dependent_old_steps_are_dropped)
{
    static const struct {
        int n, n_dropped;
        double B[9], c[3];
    } cases[] = {
        {1, 0, {4}, {1}},
        {3, 1, {1, 1, 0, 1, 1, 0, 0, 0, 1}, {0, 0.5, 0.5}}, /* errors (1, 0), (1, 0), (0, 1) */
        {3, 2, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 0, 1}},
    };
    for (int i = 0; i < 3; i++) {
        double c[3];
        int n_dropped;
        check_ok(diis_coefficients(cases[i].n, cases[i].B, cases[i].n, c, &n_dropped));
        assert_int_equal(n_dropped, cases[i].n_dropped);
        for (int k = 0; k < cases[i].n; k++)
            check_close(c[k], cases[i].c[k], 1e-14);
    }
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
