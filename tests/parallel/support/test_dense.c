/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed matrices against plain loops over whole ones, which every process
 * holds. Elements are small integers where results can be compared exactly. */
#include "tests/cases/dense_case.h"

#include "support/base/random.h"

#include <stdbool.h>
#include <string.h>

static struct dense_grid *grid;
static struct random_stream stream;

/* One matrix twice: distributed, and whole. */
struct pair {
    struct dense *dense;
    double *whole;
    int m, n;
};

static double *at(const struct pair *pair, int i, int j)
{
    return &pair->whole[(size_t)i * (size_t)pair->n + (size_t)j];
}

/* Of integers from -9 to 9. */
static struct pair pair_create(int m, int n)
{
    struct pair pair = {NULL, malloc(((size_t)m * (size_t)n + 1) * sizeof(double)), m, n};
    for (int i = 0; i < m * n; i++)
        pair.whole[i] = (double)random_below(&stream, 19) - 9;
    check_ok(dense_create(grid, m, n, &pair.dense));
    dense_put_whole(pair.whole, pair.dense);
    return pair;
}

static void pair_destroy(struct pair *pair)
{
    dense_destroy(pair->dense);
    free(pair->whole);
}

static void fill_with(struct dense *A, double value)
{
    for (size_t i = 0; i < dense_local_size(A); i++)
        A->local[i] = value;
}

static void check_equal(const struct pair *pair)
{
    double *found = dense_whole(pair->dense);
    for (int i = 0; i < pair->m * pair->n; i++)
        check_close(found[i], pair->whole[i], 0);
    free(found);
}

/* beta, or for 0 a matrix of NaN in its place. */
static double spoil_by(double beta, struct pair *pair)
{
    if (beta != 0)
        return beta;
    fill_with(pair->dense, NAN);
    memset(pair->whole, 0, (size_t)pair->m * (size_t)pair->n * sizeof *pair->whole);
    return 0;
}

/* 0, 1, a block and its neighbours, or any up to several blocks. */
static int random_size(void)
{
    static const int sizes[] = {
        0, 1, DENSE_BLOCK - 1, DENSE_BLOCK, DENSE_BLOCK + 1, 2 * DENSE_BLOCK};
    uint64_t choice = random_below(&stream, 12);
    return choice < 6 ? sizes[choice] : 2 + (int)random_below(&stream, 130);
}

/* Every element is on one process, and none needs more than dense_bytes. */
TEST(layout_holds_each_element_once)
{
    for (int round = 0; round < 20; round++) {
        struct pair A = pair_create(random_size(), random_size());
        check_equal(&A);
        assert_true((int64_t)dense_local_size(A.dense) * 8 <= dense_bytes(grid, A.m, A.n));
        pair_destroy(&A);
    }
}

TEST(create_refuses_more_rows_than_an_index_counts)
{
    struct dense *A;
    check_status(STATUS_LIMIT, dense_create(grid, INT64_C(1) << 31, 1, &A));
    assert_null(A);
    check_status(STATUS_LIMIT, dense_create(grid, 1, INT32_MAX, &A));
}

/* C = alpha op(A) op(B) + beta C, of the summed indices [first, last). */
static void multiply_whole(const char *op, double alpha, const struct pair *A, const struct pair *B,
                           const int range[2], double beta, struct pair *C)
{
    for (int i = 0; i < C->m; i++)
        for (int j = 0; j < C->n; j++) {
            double sum = 0;
            for (int l = range[0]; l < range[1]; l++)
                sum += (op[0] == 'N' ? *at(A, i, l) : *at(A, l, i)) *
                       (op[1] == 'N' ? *at(B, l, j) : *at(B, j, l));
            *at(C, i, j) = alpha * sum + beta * *at(C, i, j);
        }
}

TEST(multiply_takes_every_shape_and_transposition)
{
    static const char *const ops[] = {"NN", "NT", "TN", "TT"};
    for (int round = 0; round < 80; round++) {
        const char *op = ops[round % 4];
        int m = random_size(), n = random_size(), k = random_size();
        struct pair A = op[0] == 'N' ? pair_create(m, k) : pair_create(k, m);
        struct pair B = op[1] == 'N' ? pair_create(k, n) : pair_create(n, k);
        struct pair C = pair_create(m, n);
        double beta = spoil_by(round / 4 % 2 * 2, &C);
        multiply_whole(op, 3, &A, &B, (int[]){0, k}, beta, &C);
        dense_multiply(op[0], op[1], 3, A.dense, B.dense, beta, C.dense);
        check_equal(&C);
        if (round % 4 == 1) { /* of orbitals [first, last) */
            int first = (int)random_below(&stream, (uint64_t)k + 1);
            int last = first + (int)random_below(&stream, (uint64_t)(k - first) + 1);
            multiply_whole(op, 2, &A, &B, (int[]){first, last}, beta, &C);
            dense_multiply_columns(2, A.dense, B.dense, first, last, beta, C.dense);
            check_equal(&C);
        }
        pair_destroy(&A);
        pair_destroy(&B);
        pair_destroy(&C);
    }
}

TEST(add_and_add_transposed)
{
    for (int round = 0; round < 20; round++) {
        int m = random_size(), n = random_size();
        struct pair A = pair_create(m, n), T = pair_create(n, m), B = pair_create(m, n);
        double beta = spoil_by(round % 3, &B);
        for (int i = 0; i < m * n; i++)
            B.whole[i] = 2 * A.whole[i] + beta * B.whole[i];
        dense_add(2, A.dense, beta, B.dense);
        check_equal(&B);
        beta = spoil_by(round % 3, &B);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                *at(&B, i, j) = 5 * *at(&T, j, i) + beta * *at(&B, i, j);
        dense_add_transposed(5, T.dense, beta, B.dense);
        check_equal(&B);
        dense_copy(A.dense, B.dense);
        memcpy(B.whole, A.whole, (size_t)(m * n) * sizeof(double));
        check_equal(&B);
        pair_destroy(&A);
        pair_destroy(&T);
        pair_destroy(&B);
    }
}

TEST(columns_are_copied_and_scaled)
{
    enum { M = 70, N = 101 };
    const int ranges[][2] = {{0, N}, {0, 1}, {40, 0}, {31, 70}, {100, 1}};
    struct pair A = pair_create(M, N);
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; r++) {
        int first = ranges[r][0], n = ranges[r][1];
        struct pair B = pair_create(M, n);
        double factor[N];
        spoil_by(0, &B);
        for (int j = 0; j < n; j++) {
            factor[j] = 1 + j;
            for (int i = 0; i < M; i++)
                *at(&A, i, first + j) = *at(&B, i, j) = *at(&A, i, first + j) * factor[j];
        }
        dense_copy_columns(A.dense, first, B.dense);
        dense_scale_columns(B.dense, factor);
        check_equal(&B);
        dense_set_columns(B.dense, first, A.dense);
        check_equal(&A);
        pair_destroy(&B);
    }
    pair_destroy(&A);
}

TEST(scalars_of_a_matrix)
{
    enum { M = 90, N = 67 };
    struct pair A = pair_create(M, N), B = pair_create(M, N);
    double dot = 0, largest = 0;
    *at(&A, 50, 60) = -11;
    dense_put_whole(A.whole, A.dense);
    for (int i = 0; i < M * N; i++) {
        dot += A.whole[i] * B.whole[i];
        largest = fmax(largest, fabs(A.whole[i]));
    }
    assert_true(dense_dot(A.dense, B.dense) == dot);
    assert_true(dense_max_abs(A.dense) == largest);
    /* One NaN, somewhere, is seen by all. */
    *at(&A, 40, 35) = NAN;
    dense_put_whole(A.whole, A.dense);
    assert_true(isnan(dense_max_abs(A.dense)));
    pair_destroy(&A);
    pair_destroy(&B);
}

TEST(gather_and_scatter_are_inverse)
{
    int rank;
    MPI_Comm_rank(grid->comm, &rank);
    for (int round = 0; round < 10; round++) {
        struct pair A = pair_create(random_size(), random_size());
        size_t n = (size_t)(A.m * A.n);
        double *full = rank == 0 ? malloc((n + 1) * sizeof *full) : NULL;
        check_ok(dense_gather(A.dense, full));
        assert_true(rank > 0 || memcmp(full, A.whole, n * sizeof *full) == 0);
        fill_with(A.dense, NAN);
        check_ok(dense_scatter(full, A.dense));
        check_equal(&A);
        free(full);
        pair_destroy(&A);
    }
}

/* A symmetric matrix with n different eigenvalues, or a few many-fold ones. */
static struct pair symmetric_pair(int n, bool degenerate)
{
    struct pair A = pair_create(n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            *at(&A, i, j) = *at(&A, j, i) =
                degenerate ? (i == j) : *at(&A, i, j) + 30.0 * i * (i == j) / n;
    if (degenerate && n > 1)
        *at(&A, 0, 1) = *at(&A, 1, 0) = 2;
    dense_put_whole(A.whole, A.dense);
    return A;
}

/* Each column's element of largest magnitude is positive, up to what rounding
 * makes of a tie. */
static void check_signs(const struct dense *V)
{
    double *full = dense_whole(V);
    for (int j = 0; j < V->n_columns; j++) {
        double lowest = 0, highest = 0;
        for (int i = 0; i < V->n_rows; i++) {
            lowest = fmin(lowest, full[i * V->n_columns + j]);
            highest = fmax(highest, full[i * V->n_columns + j]);
        }
        assert_true(highest >= -lowest);
    }
    free(full);
}

/* A V = V E, and V^T V = 1. */
static void check_eigen(int n, bool degenerate)
{
    struct pair A = symmetric_pair(n, degenerate), R = pair_create(n, n);
    struct dense *copy, *V;
    double *eigenvalues = malloc((size_t)n * sizeof *eigenvalues);
    check_ok(dense_create(grid, n, n, &copy));
    check_ok(dense_create(grid, n, n, &V));
    dense_copy(A.dense, copy);
    fill_with(V, NAN);
    check_ok(dense_eigen(copy, eigenvalues, V));
    for (int i = 1; i < n; i++)
        assert_true(eigenvalues[i - 1] <= eigenvalues[i]);
    dense_copy(V, R.dense);
    dense_scale_columns(R.dense, eigenvalues);
    dense_multiply('N', 'N', 1, A.dense, V, -1, R.dense);
    check_close(dense_max_abs(R.dense), 0, 1e-12 * (dense_max_abs(A.dense) * sqrt(n) + 1));
    dense_set_identity(R.dense);
    dense_multiply('T', 'N', 1, V, V, -1, R.dense);
    check_close(dense_max_abs(R.dense), 0, 1e-12);
    check_signs(V);
    free(eigenvalues);
    dense_destroy(copy);
    dense_destroy(V);
    pair_destroy(&A);
    pair_destroy(&R);
}

TEST(eigenvectors_diagonalise_and_are_orthonormal)
{
    static const int sizes[] = {1, 2, 5, 100, 600};
    for (int i = 0; i < 10; i++)
        check_eigen(sizes[i / 2], i % 2);
}

/* Elements that are not finite, on the last process that has any; and finite ones with eigenvalues that are
 * not: n times as large. */
TEST(eigen_refuses_what_is_not_finite_everywhere)
{
    static const int sizes[] = {1, 40, 600};
    static const double bad[] = {NAN, INFINITY, 1.5e308, -1.5e308};
    for (int way = 0; way < 12; way++) {
        int n = sizes[way / 4];
        bool everywhere = way % 4 >= 2;
        if (everywhere && n == 1)
            continue;
        struct pair A = symmetric_pair(n, false), V = pair_create(n, n);
        double *eigenvalues = malloc((size_t)n * sizeof *eigenvalues);
        for (int i = everywhere ? 0 : n * n - 1; i < n * n; i++)
            A.whole[i] = bad[way % 4];
        dense_put_whole(A.whole, A.dense);
        check_status(STATUS_NUMERIC, dense_eigen(A.dense, eigenvalues, V.dense));
        free(eigenvalues);
        pair_destroy(&A);
        pair_destroy(&V);
    }
}

static void create_grid(void)
{
    check_ok(dense_start(MPI_COMM_WORLD));
    check_ok(dense_grid_create(MPI_COMM_WORLD, &grid));
    random_stream_init(&stream, 1, 0);
}

static void destroy_grid(void)
{
    dense_grid_destroy(grid);
}

TEST_SETUP(create_grid)

TEST_TEARDOWN(destroy_grid)
