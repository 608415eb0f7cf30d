/* SPDX-License-Identifier: BSD-3-Clause */
/* The core Hamiltonian with core potentials has the same bits on any number of processes: those of one shell
 * pair after another. */
#include "basis/integrals/ecp.h"
#include "basis/integrals/one_electron.h"
#include "hf/tiles/one_electron_matrices.h"
#include "tests/cases/hf_system.h"

static const char potentials[] =
    "Rb 0\nSP 2 1\n1.1 0.4 0.7\n0.4 0.6 0.5\nD 1 1\n0.5 0.5\n****\n"
    "F 0\nS 2 1\n20 0.3\n0.9 0.8\nSP 1 1\n0.3 1 1\nD 1 1\n0.5 1\n****\n"
    "Rb 0\nRb-ECP 2 28\nd-ul\n2\n2 1.1 -3.2\n1 0.9 1.5\ns-ul\n1\n2 1.7 8.5\np-ul\n1\n2 1.3 "
    "6.1\n****\n";

/* Adds the block of two shells to the whole matrix. */
static void add_block(const struct shell *a, const struct shell *b, const double *block, int64_t n,
                      double *whole)
{
    for (int f = 0; f < a->n_functions; f++)
        for (int g = 0; g < b->n_functions; g++)
            whole[(a->first_function + f) * n + b->first_function + g] +=
                block[f * b->n_functions + g];
}

static double *compute_whole(const struct hf_system *system)
{
    const struct shells *shells = system->shells;
    int64_t n = shells->n_functions;
    double *whole = calloc((size_t)(n * n), sizeof *whole), block[36];
    struct one_electron *engine;
    struct ecp_integrals *ecp;
    check_ok(one_electron_create(shells, &engine));
    check_ok(ecp_integrals_create(&system->molecule, shells, &ecp));
    for (int64_t i = 0; i < shells->n_shells; i++)
        for (int64_t j = 0; j <= i; j++) {
            const struct shell *a = &shells->shells[i], *b = &shells->shells[j];
            one_electron_nuclear(engine, &system->molecule, a, b, block);
            add_block(a, b, block, n, whole);
            one_electron_kinetic(engine, a, b, block);
            add_block(a, b, block, n, whole);
            memset(block, 0, sizeof block);
            check_ok(ecp_integrals_add(ecp, i, j, block));
            add_block(a, b, block, n, whole);
        }
    ecp_integrals_destroy(ecp);
    one_electron_destroy(engine);
    return whole;
}

TEST(core_hamiltonian_has_the_bits_of_its_shell_pairs)
{
    struct hf_system system;
    struct darray *H;
    hf_system_init(&system, "4\n\nRb 0.1 -0.2 0.3\nF 0.7 3.4 -0.5\nRb -4 0.5 0.9\n@Rb 0 0 7\n",
                   potentials);
    int64_t n = system.shells->n_functions;
    double *expected = compute_whole(&system);
    for (int64_t tile = 5; tile <= 20; tile += 15) {
        hf_system_tile(&system, tile, 1e-10);
        check_ok(tile_matrix_create(system.tiling, "H", DARRAY_DOUBLE, &H));
        check_ok(core_hamiltonian_matrix(system.tiling, &system.molecule, H));
        double *found = tiles_whole(system.tiling, H);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                check_close(found[i * n + j], expected[i * n + j], 0);
        free(found);
        darray_destroy(H);
    }
    free(expected);
    hf_system_fini(&system);
}

static void start(void)
{
    check_ok(darray_start());
}

static void stop(void)
{
    darray_stop();
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
