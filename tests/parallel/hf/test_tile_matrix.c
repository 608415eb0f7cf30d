/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric matrices by tiles: nothing is lost on the way to the dense layout and
 * back; digest and product agree with the whole matrix's, on any number of
 * processes. */
#include "hf/tiles/tile_matrix.h"
#include "support/arrays/dense.h"
#include "support/base/sha256.h"
#include "tests/cases/hf_system.h"

static struct hf_system systems[2];
static struct dense_grid *grid;

/* Hydrogen atoms enough for several blocks of the dense layout. */
static void init_large(struct hf_system *system)
{
    char text[4096];
    size_t used = (size_t)snprintf(text, sizeof text, "20\n\n");
    for (int i = 0; i < 20; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %d 0 0\n",
                                 i % 7 == 3 ? "O" : "H", 3 * i);
    hf_system_init(system, text, hf_system_basis);
}

static void start(void)
{
    check_ok(darray_start());
    check_ok(dense_grid_create(MPI_COMM_WORLD, &grid));
    hf_system_init(&systems[0], hf_system_molecule, hf_system_basis);
    init_large(&systems[1]);
}

static void stop(void)
{
    for (int i = 0; i < 2; i++)
        hf_system_fini(&systems[i]);
    dense_grid_destroy(grid);
    darray_stop();
}

/* Fills this process's part; the upper triangle, which must not be read, with NaN. */
static void fill_dense(struct dense *dense, const double *whole, bool spoil_upper)
{
    for (int c = 0; c < dense->local_columns; c++)
        for (int r = 0; r < dense->local_rows; r++) {
            int row = dense_global_row(dense, r), column = dense_global_column(dense, c);
            dense->local[(size_t)c * (size_t)dense->local_rows + (size_t)r] =
                spoil_upper && column > row ? NAN : whole[row * dense->n_columns + column];
        }
}

static void check_dense(const struct dense *dense, const double *whole)
{
    for (int c = 0; c < dense->local_columns; c++)
        for (int r = 0; r < dense->local_rows; r++)
            assert_true(dense->local[(size_t)c * (size_t)dense->local_rows + (size_t)r] ==
                        whole[dense_global_row(dense, r) * dense->n_columns +
                              dense_global_column(dense, c)]);
}

static void check_conversions(const struct tiling *tiling, const double *whole)
{
    int64_t n = tiling->shells->n_functions;
    struct dense *dense;
    struct darray *tiles;
    double *got = malloc((size_t)(n * n) * sizeof *got);
    check_ok(dense_create(grid, n, n, &dense));
    check_ok(tile_matrix_create(tiling, "tiles", DARRAY_DOUBLE, &tiles));

    whole_matrix_put(tiling, whole, tiles);
    check_ok(tile_matrix_to_dense(tiling, tiles, dense));
    check_dense(dense, whole);

    /* Overwrites the contents. */
    fill_dense(dense, whole, true);
    check_ok(tile_matrix_from_dense(tiling, dense, tiles));
    whole_matrix_get(tiling, tiles, got);
    assert_memory_equal(got, whole, (size_t)(n * n) * sizeof *got);

    free(got);
    darray_destroy(tiles);
    dense_destroy(dense);
}

TEST(the_way_to_dense_and_back_loses_nothing)
{
    const int64_t targets[] = {1, 5, 13, 40, 1000};
    for (int s = 0; s < 2; s++) {
        double *whole = whole_matrix_random(systems[s].shells->n_functions, 1 + (unsigned)s);
        for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
            struct tiling *tiling;
            check_ok(tiling_create(systems[s].shells, targets[t], &tiling));
            check_conversions(tiling, whole);
            tiling_destroy(tiling);
        }
        free(whole);
    }
}

TEST(the_digest_is_that_of_the_whole_matrix)
{
    const int64_t targets[] = {1, 5, 40, 1000};
    for (int s = 0; s < 2; s++) {
        int64_t n = systems[s].shells->n_functions;
        double *whole = whole_matrix_random(n, 7);
        char expected[SHA256_HEX_SIZE], text[SHA256_HEX_SIZE];
        struct sha256 *sha256;
        check_ok(sha256_create(&sha256));
        sha256_add(sha256, whole, (size_t)(n * n) * sizeof *whole);
        sha256_finish(sha256, expected);
        sha256_destroy(sha256);
        for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
            struct tiling *tiling;
            struct darray *tiles;
            check_ok(tiling_create(systems[s].shells, targets[t], &tiling));
            check_ok(tile_matrix_create(tiling, "tiles", DARRAY_DOUBLE, &tiles));
            whole_matrix_put(tiling, whole, tiles);
            check_ok(tile_matrix_sha256(tiling, tiles, text));
            assert_string_equal(text, expected);
            darray_destroy(tiles);
            tiling_destroy(tiling);
        }
        free(whole);
    }
}

TEST(the_product_counts_both_triangles)
{
    int64_t n = systems[1].shells->n_functions;
    double *a = whole_matrix_random(n, 3), *b = whole_matrix_random(n, 4), expected = 0;
    for (int64_t i = 0; i < n * n; i++)
        expected += a[i] * b[i];
    struct tiling *tiling;
    struct darray *A, *B;
    check_ok(tiling_create(systems[1].shells, 11, &tiling));
    check_ok(tile_matrix_create(tiling, "A", DARRAY_DOUBLE, &A));
    check_ok(tile_matrix_create(tiling, "B", DARRAY_DOUBLE, &B));
    assert_true(tile_matrix_dot(tiling, A, B) == 0);
    whole_matrix_put(tiling, a, A);
    whole_matrix_put(tiling, b, B);
    check_close(tile_matrix_dot(tiling, A, B), expected, 1e-11);
    darray_destroy(A);
    darray_destroy(B);
    tiling_destroy(tiling);
    free(a);
    free(b);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
