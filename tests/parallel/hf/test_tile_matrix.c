/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric matrices by tiles: nothing is lost on the way to the dense layout and
 * back; digest and product agree with the whole matrix's, and densities of orbitals with plain loops to
 * the last bit, on any number of processes. */
#include "hf/tiles/orbital_density.h"
#include "support/base/sha256.h"
#include "tests/cases/dense_case.h"
#include "tests/cases/hf_system.h"

enum { N_ORBITALS = 70, N_TARGETS = 5 }; /* more than two panels of any */

static const int64_t targets[N_TARGETS] = {1, 5, 13, 40, 1000};

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

/* To dense and back over other contents, without a look at the upper triangle. */
static void check_conversions(const struct tiling *tiling, const double *whole)
{
    int64_t n = tiling->shells->n_functions;
    struct dense *dense;
    struct darray *tiles = tiles_create(tiling, whole), *back = tiles_create(tiling, NULL);
    check_ok(dense_create(grid, n, n, &dense));
    check_ok(tile_matrix_to_dense(tiling, tiles, dense));
    double *found = dense_whole(dense);
    assert_memory_equal(found, whole, (size_t)(n * n) * sizeof *found);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            found[i * n + j] = NAN;
    dense_put_whole(found, dense);
    free(found);
    for (int times = 0; times < 2; times++)
        check_ok(tile_matrix_from_dense(tiling, dense, back));
    found = tiles_whole(tiling, back);
    assert_memory_equal(found, whole, (size_t)(n * n) * sizeof *found);
    free(found);
    darray_destroy(tiles);
    darray_destroy(back);
    dense_destroy(dense);
}

static void check_digest(const struct tiling *tiling, const double *whole)
{
    int64_t n = tiling->shells->n_functions;
    char expected[SHA256_HEX_SIZE], found[SHA256_HEX_SIZE];
    struct darray *tiles = tiles_create(tiling, whole);
    struct sha256 *sha256;
    check_ok(sha256_create(&sha256));
    sha256_add(sha256, whole, (size_t)(n * n) * sizeof *whole);
    sha256_finish(sha256, expected);
    sha256_destroy(sha256);
    check_ok(tile_matrix_sha256(tiling, tiles, found));
    assert_string_equal(found, expected);
    darray_destroy(tiles);
}

TEST(dense_layout_and_digest_are_those_of_the_whole_matrix)
{
    for (int i = 0; i < 2 * N_TARGETS; i++) {
        const struct shells *shells = systems[i % 2].shells;
        double *whole = whole_matrix_random(shells->n_functions, 1 + (unsigned)i);
        struct tiling *tiling;
        check_ok(tiling_create(shells, targets[i / 2], &tiling));
        check_conversions(tiling, whole);
        check_digest(tiling, whole);
        tiling_destroy(tiling);
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
    check_ok(tiling_create(systems[1].shells, 11, &tiling));
    struct darray *A = tiles_create(tiling, NULL), *B = tiles_create(tiling, NULL);
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

static double *plain_density(int64_t n, const double *C, double occupation, int n_occupied)
{
    double *D = calloc((size_t)(n * n), sizeof *D);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int k = 0; k < n_occupied; k++) {
                volatile double product = C[i * N_ORBITALS + k] * C[j * N_ORBITALS + k];
                D[i * n + j] += occupation * product;
            }
    return D;
}

TEST(the_density_of_orbitals_is_that_of_plain_loops)
{
    static const int n_occupied[N_TARGETS] = {0, 1, 32, 33, N_ORBITALS};
    const struct shells *shells = systems[0].shells;
    int64_t n = shells->n_functions;
    double *whole = whole_matrix_random(N_ORBITALS, 5); /* more rows than functions */
    struct dense *C;
    assert_true(n <= N_ORBITALS);
    check_ok(dense_create(grid, n, N_ORBITALS, &C));
    dense_put_whole(whole, C);
    for (int i = 0; i < N_TARGETS * N_TARGETS; i++) {
        int occupied = n_occupied[i / N_TARGETS];
        double occupation = 1 + i % 2, *expected = plain_density(n, whole, occupation, occupied);
        struct tiling *tiling;
        check_ok(tiling_create(shells, targets[i % N_TARGETS], &tiling));
        struct darray *D = tiles_create(tiling, NULL);
        /* The earlier contents of D do not matter. */
        for (int times = 0; times < 2; times++)
            check_ok(orbital_density(tiling, occupation, C, occupied, D));
        double *found = tiles_whole(tiling, D);
        assert_memory_equal(found, expected, (size_t)(n * n) * sizeof *found);
        darray_destroy(D);
        tiling_destroy(tiling);
        free(expected);
        free(found);
    }
    dense_destroy(C);
    free(whole);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
