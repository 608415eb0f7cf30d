/* SPDX-License-Identifier: BSD-3-Clause */
/* The correlated orbitals of a converged SCF are canonical and those that give its
 * second-order energy, with and without the core. */
#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "tce/integrals/orbital_space.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/mo_case.h"
#include "tests/cases/scf_case.h"

/* Source: NWChem and Psi4, which agree to 2e-10. */
static const struct scf_case water = {
    .molecule = "3\n\nO 0 0 0\nH 0.60006148 0.36055331 0.65280883\n"
                "H 0.28018495 0.39311176 -0.82655392\n",
    .multiplicity = 1,
    .basis = "cc-pvdz",
    .n_densities = 1,
    .energy = -76.2307586363, /* second order, all electrons */
};

static struct scf_setup setup;
static struct scf_result result;

static void start(void)
{
    scf_start();
    struct scf_settings settings = scf_settings_default();
    scf_setup_init(&setup, &water);
    check_ok(scf_setup_run(&setup, &settings, &result));
}

static void stop(void)
{
    scf_result_fini(&result);
    scf_setup_fini(&setup);
    scf_stop();
}

static struct orbital_spaces *make_spaces(struct frozen_orbitals frozen)
{
    struct orbital_spaces *spaces;
    check_ok(orbital_spaces_create(&result, 1, setup.problem.n_occupied, frozen, MPI_COMM_WORLD,
                                   &spaces));
    return spaces;
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
    struct orbital_spaces *spaces = make_spaces((struct frozen_orbitals){0, 0});
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
    orbital_spaces_destroy(spaces);
}

TEST(signs_follow_a_rule)
{
    struct orbital_spaces *spaces = make_spaces((struct frozen_orbitals){0, 0});
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
    orbital_spaces_destroy(spaces);
}

/* sum (ia|jb) (2 (ia|jb) - (ib|ja)) / (e_i + e_j - e_a - e_b) over the occupied orbitals
 * from the first one on, and the virtual ones without the n_left highest. */
static double second_order(const struct orbital_space *space, const double *ovov, int64_t first,
                           int64_t n_left)
{
    const double *e = space->energies;
    int64_t o = space->n_occupied, v = space->n_virtual;
    double sum = 0;
    for (int64_t i = first; i < o; i++)
        for (int64_t j = first; j < o; j++)
            for (int64_t a = 0; a < v - n_left; a++)
                for (int64_t b = 0; b < v - n_left; b++) {
                    double iajb = ovov[((i * v + a) * o + j) * v + b];
                    double ibja = ovov[((i * v + b) * o + j) * v + a];
                    sum += iajb * (2 * iajb - ibja) / (e[i] + e[j] - e[o + a] - e[o + b]);
                }
    return sum;
}

/* The MP2 energy of the occupied orbitals from `first` on and of all virtual ones but the last n_left. */
static double energy_of(struct frozen_orbitals frozen, int64_t first, int64_t n_left)
{
    struct mo_case mo;
    struct orbital_spaces *spaces = make_spaces(frozen);
    mo_case_init(&mo, setup.screening, spaces, 7, "ovov");
    mo_case_run(&mo, "--sched=steal");
    double *ovov = mo_case_whole(mo.targets[0].tensor);
    double energy = second_order(&spaces->spin[0], ovov, first, n_left);
    free(ovov);
    mo_case_fini(&mo);
    orbital_spaces_destroy(spaces);
    return energy;
}

TEST(second_order_energy_of_water)
{
    check_close(result.energy + energy_of((struct frozen_orbitals){0, 0}, 0, 0), water.energy,
                1e-7);
}

TEST(frozen_orbitals_are_the_outer_ones)
{
    int64_t n_core = frozen_core_count(&setup.molecule);
    assert_int_equal(n_core, 1);
    for (int64_t n = 0; n <= 2; n++)
        check_close(energy_of((struct frozen_orbitals){n_core, n}, 0, 0),
                    energy_of((struct frozen_orbitals){0, 0}, n_core, n), 1e-12);
}

TEST(a_space_without_electrons_is_refused)
{
    struct orbital_spaces *spaces;
    const int64_t five = 5;
    check_status(STATUS_INPUT,
                 orbital_spaces_create(&result, 1, &five, (struct frozen_orbitals){5, 0},
                                       MPI_COMM_WORLD, &spaces));
    assert_null(spaces);
    check_status(STATUS_INPUT,
                 orbital_spaces_create(&result, 1, &result.n_orbitals,
                                       (struct frozen_orbitals){0, 0}, MPI_COMM_WORLD, &spaces));
    assert_null(spaces);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
