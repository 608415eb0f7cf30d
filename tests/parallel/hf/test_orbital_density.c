/* SPDX-License-Identifier: BSD-3-Clause */
/* The density of orbitals equals a sum by plain loops to the last bit, on any number of processes,
 * for any tiles, and for no, some or all orbitals occupied. */
#include "hf/tiles/orbital_density.h"
#include "tests/cases/hf_system.h"

enum { N_ORBITALS = 70 }; /* more than two panels of any */

static struct hf_system hf;

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&hf, hf_system_molecule, hf_system_basis);
}

static void stop(void)
{
    hf_system_fini(&hf);
    darray_stop();
}

/* Element (m, k) of C: numbers without structure. */
static double element(int64_t m, int64_t k)
{
    uint64_t random = (uint64_t)(m * N_ORBITALS + k + 1) * 6364136223846793005u;
    random = (random ^ random >> 29) * 1442695040888963407u;
    return (double)(random >> 11) * 0x1p-52 - 1;
}

static double *plain_density(int64_t n, double occupation, int n_occupied)
{
    double *D = calloc((size_t)(n * n), sizeof *D);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int k = 0; k < n_occupied; k++) {
                volatile double product = element(i, k) * element(j, k);
                D[i * n + j] += occupation * product;
            }
    return D;
}

static void check_density(const struct dense *C, int64_t target, double occupation, int n_occupied)
{
    int64_t n = hf.shells->n_functions;
    double *expected = plain_density(n, occupation, n_occupied);
    double *found = malloc((size_t)(n * n) * sizeof *found);
    struct tiling *tiling;
    struct darray *D;
    check_ok(tiling_create(hf.shells, target, &tiling));
    check_ok(tile_matrix_create(tiling, "D", DARRAY_DOUBLE, &D));
    /* The earlier contents of D do not matter. */
    for (int times = 0; times < 2; times++)
        check_ok(orbital_density(tiling, occupation, C, n_occupied, D));
    whole_matrix_get(tiling, D, found);
    assert_memory_equal(found, expected, (size_t)(n * n) * sizeof *found);
    darray_destroy(D);
    tiling_destroy(tiling);
    free(expected);
    free(found);
}

TEST(the_density_is_that_of_plain_loops)
{
    static const int n_occupied[] = {0, 1, 32, 33, N_ORBITALS};
    struct dense_grid *grid;
    struct dense *C;
    check_ok(dense_grid_create(MPI_COMM_WORLD, &grid));
    check_ok(dense_create(grid, hf.shells->n_functions, N_ORBITALS, &C));
    for (int c = 0; c < C->local_columns; c++)
        for (int r = 0; r < C->local_rows; r++)
            C->local[(size_t)c * (size_t)C->local_rows + (size_t)r] =
                element(dense_global_row(C, r), dense_global_column(C, c));
    for (size_t i = 0; i < sizeof n_occupied / sizeof n_occupied[0]; i++) {
        check_density(C, 5, 1, n_occupied[i]);
        check_density(C, 40, 2, n_occupied[i]);
    }
    dense_destroy(C);
    dense_grid_destroy(grid);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
