/* SPDX-License-Identifier: BSD-3-Clause */
/* The correlated orbitals of a converged SCF are canonical, and their signs follow a rule. */
#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "tce/integrals/orbital_space.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/scf_case.h"

static const struct scf_case water = {
    .molecule = "3\n\nO 0 0 0\nH 0.60006148 0.36055331 0.65280883\n"
                "H 0.28018495 0.39311176 -0.82655392\n",
    .multiplicity = 1,
    .basis = "cc-pvdz",
    .method = 1,
};

static struct scf_setup setup;
static struct scf_result result;
static struct orbital_spaces *spaces;

static void start(void)
{
    scf_start();
    struct scf_settings settings = scf_settings_default();
    scf_setup_init(&setup, &water);
    check_ok(scf_setup_run(&setup, &settings, &result));
    check_ok(orbital_spaces_create(&result, 1, setup.problem.n_occupied,
                                   (struct frozen_orbitals){0, 0}, NULL, MPI_COMM_WORLD, &spaces));
}

static void stop(void)
{
    orbital_spaces_destroy(spaces);
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    scf_stop();
}

/* C_p^T A C_q, A whole. */
static double element(const struct orbital_space *space, const double *A, int64_t p, int64_t q)
{
    double sum = 0;
    int64_t n = space->n_functions, m = space->n_orbitals;
    for (int64_t mu = 0; mu < n; mu++)
        for (int64_t nu = 0; nu < n; nu++)
            sum += space->C[mu * m + p] * A[mu * n + nu] * space->C[nu * m + q];
    return sum;
}

/* Whole matrices: the overlap, and the Fock matrix of the final density. */
static void find_matrices(double *S, double *F)
{
    int64_t n = setup.shells->n_functions;
    double *G = malloc((size_t)(n * n) * sizeof *G);
    struct darray *tiles;
    check_ok(tile_matrix_create(setup.tiling, "matrix", DARRAY_DOUBLE, &tiles));
    check_ok(overlap_matrix(setup.tiling, tiles));
    whole_matrix_get(setup.tiling, tiles, S);
    check_ok(core_hamiltonian_matrix(setup.tiling, &setup.molecule, tiles));
    whole_matrix_get(setup.tiling, tiles, F);
    check_ok(fock_build(setup.fock, 1, (const struct darray *const *)setup.D, &tiles));
    whole_matrix_get(setup.tiling, tiles, G);
    for (int64_t i = 0; i < n * n; i++)
        F[i] += G[i];
    darray_destroy(tiles);
    free(G);
}

TEST(orbitals_are_canonical)
{
    const struct orbital_space *space = &spaces->spin[0];
    int64_t n = space->n_functions, m = space->n_orbitals;
    double *S = malloc((size_t)(n * n) * sizeof *S), *F = malloc((size_t)(n * n) * sizeof *F);
    find_matrices(S, F);
    for (int64_t p = 0; p < m; p++)
        for (int64_t q = 0; q < m; q++) {
            check_close(element(space, S, p, q), p == q, 1e-10);
            check_close(element(space, F, p, q), p == q ? space->energies[p] : 0, 1e-7);
        }
    free(S);
    free(F);
}

TEST(signs_follow_a_rule)
{
    const struct orbital_space *space = &spaces->spin[0];
    int64_t m = space->n_orbitals;
    for (int64_t p = 0; p < m; p++) {
        double largest = 0, first = 0;
        for (int64_t mu = 0; mu < space->n_functions; mu++)
            largest = fmax(largest, fabs(space->C[mu * m + p]));
        for (int64_t mu = 0; mu < space->n_functions && first == 0; mu++)
            if (fabs(space->C[mu * m + p]) > (1 - 1e-6) * largest)
                first = space->C[mu * m + p];
        assert_true(first > 0);
    }
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
