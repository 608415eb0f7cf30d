/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed matrices against plain loops over whole ones, which every process
 * holds. Elements are small integers where results can be compared exactly. */
#include "support/arrays/dense.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct dense_grid *grid;

/* A whole matrix, row-major. */
struct whole {
    int n_rows, n_columns;
    double *element;
};

static struct whole whole_create(int n_rows, int n_columns)
{
    return (struct whole){n_rows, n_columns,
                          calloc((size_t)n_rows * (size_t)n_columns + 1, sizeof(double))};
}

static double *at(const struct whole *A, int i, int j)
{
    return &A->element[(size_t)i * (size_t)A->n_columns + (size_t)j];
}

static double made_up(int seed, int i, int j)
{
    unsigned mixed = (unsigned)seed * 2654435761u + (unsigned)i * 40503u + (unsigned)j * 9176u;
    mixed ^= mixed >> 13;
    mixed *= 1540483477u;
    mixed ^= mixed >> 15;
    return (double)(mixed % 19) - 9;
}

/* One matrix twice: whole, and distributed. */
static struct whole fill(int seed, int n_rows, int n_columns, struct dense **A)
{
    struct whole whole = whole_create(n_rows, n_columns);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++)
            *at(&whole, i, j) = made_up(seed, i, j);
    check_ok(dense_create(grid, n_rows, n_columns, A));
    for (int j = 0; j < (*A)->local_columns; j++)
        for (int i = 0; i < (*A)->local_rows; i++)
            (*A)->local[(size_t)j * (size_t)(*A)->local_rows + (size_t)i] =
                *at(&whole, dense_global_row(*A, i), dense_global_column(*A, j));
    return whole;
}

static void fill_with(struct dense *A, double value)
{
    for (int64_t i = 0; i < (int64_t)A->local_rows * A->local_columns; i++)
        A->local[i] = value;
}

static void fill_identity(struct dense *A)
{
    for (int j = 0; j < A->local_columns; j++)
        for (int i = 0; i < A->local_rows; i++)
            A->local[(size_t)j * (size_t)A->local_rows + (size_t)i] =
                dense_global_row(A, i) == dense_global_column(A, j);
}

static void check_equal(const struct dense *A, const struct whole *expected, double tolerance)
{
    assert_int_equal(A->n_rows, expected->n_rows);
    assert_int_equal(A->n_columns, expected->n_columns);
    for (int j = 0; j < A->local_columns; j++)
        for (int i = 0; i < A->local_rows; i++)
            check_close(A->local[(size_t)j * (size_t)A->local_rows + (size_t)i],
                        *at(expected, dense_global_row(A, i), dense_global_column(A, j)),
                        tolerance);
}

/* Every element is on one process, and none needs more than dense_bytes. */
TEST(layout_holds_each_element_once)
{
    const int shapes[][2] = {{0, 0}, {1, 1}, {5, 0}, {31, 33}, {64, 32}, {100, 7}, {333, 129}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct dense *A;
        int n_rows = shapes[s][0], n_columns = shapes[s][1];
        check_ok(dense_create(grid, n_rows, n_columns, &A));
        int *count = calloc((size_t)(n_rows * n_columns + 1), sizeof *count);
        for (int j = 0; j < A->local_columns; j++)
            for (int i = 0; i < A->local_rows; i++)
                count[dense_global_row(A, i) * n_columns + dense_global_column(A, j)]++;
        MPI_Allreduce(MPI_IN_PLACE, count, n_rows * n_columns, MPI_INT, MPI_SUM, grid->comm);
        for (int i = 0; i < n_rows * n_columns; i++)
            assert_int_equal(count[i], 1);
        assert_true((int64_t)A->local_rows * A->local_columns * 8 <=
                    dense_bytes(grid, n_rows, n_columns));
        free(count);
        dense_destroy(A);
    }
}

TEST(create_refuses_more_rows_than_an_index_counts)
{
    struct dense *A;
    check_status(STATUS_LIMIT, dense_create(grid, INT64_C(1) << 31, 1, &A));
    assert_null(A);
    check_status(STATUS_LIMIT, dense_create(grid, 1, INT32_MAX, &A));
}

static void check_multiply(char op_A, char op_B, int m, int n, int k, double beta)
{
    struct dense *A, *B, *C;
    struct whole a = op_A == 'N' ? fill(1, m, k, &A) : fill(1, k, m, &A);
    struct whole b = op_B == 'N' ? fill(2, k, n, &B) : fill(2, n, k, &B);
    struct whole c = fill(3, m, n, &C);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += (op_A == 'N' ? *at(&a, i, l) : *at(&a, l, i)) *
                       (op_B == 'N' ? *at(&b, l, j) : *at(&b, j, l));
            *at(&c, i, j) = 3 * sum + (beta == 0 ? 0 : beta * *at(&c, i, j));
        }
    if (beta == 0)
        fill_with(C, NAN);
    dense_multiply(op_A, op_B, 3, A, B, beta, C);
    check_equal(C, &c, 0);
    free(a.element);
    free(b.element);
    free(c.element);
    dense_destroy(A);
    dense_destroy(B);
    dense_destroy(C);
}

TEST(multiply_takes_every_shape_and_transposition)
{
    const int shapes[][3] = {{1, 1, 1},   {2, 3, 1},    {40, 5, 33},   {5, 70, 100},
                             {64, 64, 7}, {130, 97, 0}, {0, 5, 7},     {7, 0, 3},
                             {65, 1, 96}, {33, 33, 33}, {100, 129, 31}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (const char *ops = "NNNTTNTT"; *ops != '\0'; ops += 2)
            for (double beta = 0; beta < 3; beta += 2)
                check_multiply(ops[0], ops[1], shapes[s][0], shapes[s][1], shapes[s][2], beta);
}

TEST(multiply_columns_sums_the_orbitals_asked_for)
{
    enum { m = 75, n = 50, n_columns = 110 };
    const int ranges[][2] = {{0, n_columns}, {0, 0},  {n_columns, n_columns}, {0, 1}, {33, 34},
                             {5, 64},        {31, 97}};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++)
        for (double beta = 0; beta < 2; beta++) {
            struct dense *A, *B, *C;
            struct whole a = fill(1, m, n_columns, &A), b = fill(2, n, n_columns, &B);
            struct whole c = fill(3, m, n, &C);
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int l = ranges[r][0]; l < ranges[r][1]; l++)
                        sum += *at(&a, i, l) * *at(&b, j, l);
                    *at(&c, i, j) = 2 * sum + (beta == 0 ? 0 : beta * *at(&c, i, j));
                }
            if (beta == 0)
                fill_with(C, NAN);
            dense_multiply_columns(2, A, B, ranges[r][0], ranges[r][1], beta, C);
            check_equal(C, &c, 0);
            free(a.element);
            free(b.element);
            free(c.element);
            dense_destroy(A);
            dense_destroy(B);
            dense_destroy(C);
        }
}

static void check_additions(int n_rows, int n_columns, double beta)
{
    struct dense *A, *T, *B;
    struct whole a = fill(1, n_rows, n_columns, &A), t = fill(2, n_columns, n_rows, &T);
    struct whole b = fill(3, n_rows, n_columns, &B);
    struct whole expected = whole_create(n_rows, n_columns);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++)
            *at(&expected, i, j) = 2 * *at(&a, i, j) + (beta == 0 ? 0 : beta * *at(&b, i, j));
    if (beta == 0)
        fill_with(B, NAN);
    dense_add(2, A, beta, B);
    check_equal(B, &expected, 0);
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++)
            *at(&expected, i, j) =
                5 * *at(&t, j, i) + (beta == 0 ? 0 : beta * *at(&expected, i, j));
    if (beta == 0)
        fill_with(B, NAN);
    dense_add_transposed(5, T, beta, B);
    check_equal(B, &expected, 0);
    dense_copy(A, B);
    check_equal(B, &a, 0);
    free(a.element);
    free(t.element);
    free(b.element);
    free(expected.element);
    dense_destroy(A);
    dense_destroy(T);
    dense_destroy(B);
}

TEST(add_and_add_transposed)
{
    const int shapes[][2] = {{1, 1}, {0, 4}, {70, 33}, {32, 200}, {65, 65}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (double beta = 0; beta < 2; beta++)
            check_additions(shapes[s][0], shapes[s][1], beta);
}

TEST(columns_are_copied_and_scaled)
{
    enum { n_rows = 70, n_columns = 101 };
    const int ranges[][2] = {{0, n_columns}, {0, 1}, {40, 0}, {31, 70}, {100, 1}};
    struct dense *A;
    struct whole a = fill(1, n_rows, n_columns, &A);
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        int first = ranges[r][0], n = ranges[r][1];
        struct dense *B;
        struct whole b = fill(2, n_rows, n, &B);
        double factor[n_columns];
        for (int j = 0; j < n; j++) {
            factor[j] = 1 + j;
            for (int i = 0; i < n_rows; i++)
                *at(&b, i, j) = *at(&a, i, first + j) * factor[j];
        }
        fill_with(B, NAN);
        dense_copy_columns(A, first, B);
        dense_scale_columns(B, factor);
        check_equal(B, &b, 0);
        dense_set_columns(B, first, A);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n_rows; i++)
                *at(&a, i, first + j) = *at(&b, i, j);
        check_equal(A, &a, 0);
        free(b.element);
        dense_destroy(B);
    }
    free(a.element);
    dense_destroy(A);
}

TEST(scalars_of_a_matrix)
{
    enum { n_rows = 90, n_columns = 67 };
    struct dense *A, *B;
    struct whole a = fill(1, n_rows, n_columns, &A), b = fill(2, n_rows, n_columns, &B);
    double dot = 0, largest = 0;
    for (int i = 0; i < n_rows * n_columns; i++) {
        dot += a.element[i] * b.element[i];
        largest = fmax(largest, fabs(a.element[i]));
    }
    assert_true(dense_dot(A, B) == dot);
    assert_true(dense_max_abs(A) == largest);

    /* One NaN, somewhere, is seen by all. */
    for (int j = 0; j < A->local_columns; j++)
        for (int i = 0; i < A->local_rows; i++)
            if (dense_global_row(A, i) == 40 && dense_global_column(A, j) == 35)
                A->local[(size_t)j * (size_t)A->local_rows + (size_t)i] = NAN;
    assert_true(isnan(dense_max_abs(A)));
    free(a.element);
    free(b.element);
    dense_destroy(A);
    dense_destroy(B);
}

TEST(gather_and_scatter_are_inverse)
{
    const int shapes[][2] = {{1, 1}, {0, 3}, {33, 65}, {100, 40}};
    int rank;
    MPI_Comm_rank(grid->comm, &rank);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct dense *A, *B;
        int n = shapes[s][0] * shapes[s][1];
        struct whole a = fill(1, shapes[s][0], shapes[s][1], &A);
        double *full = rank == 0 ? malloc((size_t)(n + 1) * sizeof *full) : NULL;
        check_ok(dense_gather(A, full));
        for (int i = 0; rank == 0 && i < n; i++)
            assert_true(full[i] == a.element[i]);
        check_ok(dense_create(grid, shapes[s][0], shapes[s][1], &B));
        check_ok(dense_scatter(full, B));
        check_equal(B, &a, 0);
        free(full);
        free(a.element);
        dense_destroy(A);
        dense_destroy(B);
    }
}

/* A symmetric matrix with n different eigenvalues, or a few many-fold ones. */
static struct whole fill_symmetric(int n, bool degenerate, struct dense **A)
{
    struct whole whole = fill(7, n, n, A);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double element = degenerate ? (i == j) : made_up(5, i, j) + 30.0 * i * (i == j) / n;
            *at(&whole, i, j) = *at(&whole, j, i) = element;
        }
    if (degenerate && n > 1)
        *at(&whole, 0, 1) = *at(&whole, 1, 0) = 2;
    for (int j = 0; j < (*A)->local_columns; j++)
        for (int i = 0; i < (*A)->local_rows; i++)
            (*A)->local[(size_t)j * (size_t)(*A)->local_rows + (size_t)i] =
                *at(&whole, dense_global_row(*A, i), dense_global_column(*A, j));
    return whole;
}

/* Each column's element of largest magnitude is positive, up to what rounding
 * makes of a tie. */
static void check_signs(struct dense *V)
{
    int n = V->n_rows, rank;
    MPI_Comm_rank(grid->comm, &rank);
    double *full = rank == 0 ? malloc((size_t)n * (size_t)n * sizeof *full) : NULL;
    check_ok(dense_gather(V, full));
    for (int j = 0; rank == 0 && j < n; j++) {
        double lowest = 0, highest = 0;
        for (int i = 0; i < n; i++) {
            lowest = fmin(lowest, full[(size_t)i * (size_t)n + (size_t)j]);
            highest = fmax(highest, full[(size_t)i * (size_t)n + (size_t)j]);
        }
        assert_true(highest >= -lowest);
    }
    free(full);
}

static void check_eigen(int n, bool degenerate)
{
    struct dense *A, *V, *AV, *VE, *VtV;
    struct whole a = fill_symmetric(n, degenerate, &A);
    double *eigenvalues = malloc((size_t)n * sizeof *eigenvalues);
    struct dense **created[] = {&V, &AV, &VE, &VtV};
    for (size_t i = 0; i < sizeof created / sizeof created[0]; i++)
        check_ok(dense_create(grid, n, n, created[i]));
    dense_copy(A, VtV);
    double norm = dense_max_abs(A) * sqrt(n) + 1;
    fill_with(V, NAN);
    check_ok(dense_eigen(A, eigenvalues, V));
    for (int i = 1; i < n; i++)
        assert_true(eigenvalues[i - 1] <= eigenvalues[i]);

    dense_multiply('N', 'N', 1, VtV, V, 0, AV);
    dense_copy(V, VE);
    dense_scale_columns(VE, eigenvalues);
    dense_add(-1, VE, 1, AV);
    check_close(dense_max_abs(AV), 0, 1e-12 * norm);
    dense_multiply('T', 'N', 1, V, V, 0, VtV);
    fill_identity(AV);
    dense_add(-1, AV, 1, VtV);
    check_close(dense_max_abs(VtV), 0, 1e-12);
    check_signs(V);

    free(a.element);
    free(eigenvalues);
    dense_destroy(A);
    for (size_t i = 0; i < sizeof created / sizeof created[0]; i++)
        dense_destroy(*created[i]);
}

TEST(eigenvectors_diagonalise_and_are_orthonormal)
{
    const int sizes[] = {1, 2, 5, 100, 600};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        check_eigen(sizes[s], false);
        check_eigen(sizes[s], true);
    }
}

TEST(eigen_refuses_what_is_not_finite_everywhere)
{
    const int sizes[] = {1, 40, 600};
    const double bad[] = {NAN, INFINITY};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (size_t b = 0; b < 2; b++) {
            struct dense *A, *V;
            double *eigenvalues = malloc((size_t)sizes[s] * sizeof *eigenvalues);
            struct whole a = fill_symmetric(sizes[s], false, &A);
            check_ok(dense_create(grid, sizes[s], sizes[s], &V));
            /* On the last process that holds anything at all. */
            if (A->local_rows > 0 && A->local_columns > 0 &&
                dense_global_row(A, A->local_rows - 1) == sizes[s] - 1 &&
                dense_global_column(A, A->local_columns - 1) == sizes[s] - 1)
                A->local[A->local_rows * A->local_columns - 1] = bad[b];
            check_status(STATUS_NUMERIC, dense_eigen(A, eigenvalues, V));
            free(eigenvalues);
            free(a.element);
            dense_destroy(A);
            dense_destroy(V);
        }
}

/* Elements that are finite, eigenvalues that are not: n times as large. */
TEST(eigenvalues_beyond_the_range_of_numbers_are_refused)
{
    const int sizes[] = {2, 40, 600};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int sign = -1; sign <= 1; sign += 2) {
            struct dense *A, *V;
            double *eigenvalues = malloc((size_t)sizes[s] * sizeof *eigenvalues);
            check_ok(dense_create(grid, sizes[s], sizes[s], &A));
            check_ok(dense_create(grid, sizes[s], sizes[s], &V));
            fill_with(A, sign * 1.5e308);
            check_status(STATUS_NUMERIC, dense_eigen(A, eigenvalues, V));
            free(eigenvalues);
            dense_destroy(A);
            dense_destroy(V);
        }
}

static void create_grid(void)
{
    check_ok(dense_start(MPI_COMM_WORLD));
    check_ok(dense_grid_create(MPI_COMM_WORLD, &grid));
}

static void destroy_grid(void)
{
    dense_grid_destroy(grid);
}

TEST_SETUP(create_grid)

TEST_TEARDOWN(destroy_grid)
