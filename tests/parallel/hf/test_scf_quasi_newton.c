/* SPDX-License-Identifier: BSD-3-Clause */
/* Quasi-Newton steps lead where diagonalisations lead, in about as many iterations; orbitals stay
 * orthonormal on the way, and a run resumes from a checkpoint written there. */
#include "hf/orbitals/scf_quasi_newton.h"
#include "tests/cases/scf_case.h"
#include "tests/cases/scf_resume.h"

#include <stdlib.h>
#include <unistd.h>

static const struct scf_case water = {
    "3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "cc-pvdz", 1, 0};
static const struct scf_case oxygen = {"2\n\nO 0 0 0\nO 0 0.4 1.1\n", 0, 3, "6-31g", 2, 0};
static const struct scf_case hydrogen_atom = {"1\n\nH 0 0 0\n", 0, 2, "cc-pvdz", 2, 0};

static void count_quasi_newton(const struct scf_iteration *iteration, void *context)
{
    int *n = context;
    *n += strcmp(iteration->method, "quasi-Newton") == 0;
}

/* Runs a case with quasi-Newton steps from so many functions on. *n: how many there were. */
static enum status run_case(const struct scf_case *scf_case, struct scf_settings *settings,
                            int64_t from, int *n, struct scf_result *result)
{
    struct scf_setup setup;
    *n = 0;
    settings->quasi_newton_from = from;
    settings->observe = count_quasi_newton;
    settings->observe_context = n;
    scf_setup_init(&setup, scf_case);
    enum status status = scf_setup_run(&setup, settings, result);
    scf_setup_fini(&setup);
    return status;
}

static void test_the_energy_is_that_of_diagonalisations(void **state)
{
    (void)state;
    static const struct scf_case *const cases[] = {&water, &oxygen};
    for (int i = 0; i < 2; i++) {
        struct scf_settings settings = scf_settings_default();
        struct scf_result plain, quick;
        int n;
        check_ok(run_case(cases[i], &settings, SCF_DEFAULT_QUASI_NEWTON, &n, &plain));
        assert_int_equal(n, 0);
        check_ok(run_case(cases[i], &settings, 0, &n, &quick));
        assert_true(n > 3);
        check_close(quick.energy, plain.energy, 1e-9);
        assert_true(quick.iterations <= plain.iterations + 2);
        for (int64_t k = 0; k < plain.n_orbitals; k++)
            check_close(quick.orbital_energies[0][k], plain.orbital_energies[0][k], 1e-6);
        scf_result_fini(&plain);
        scf_result_fini(&quick);
    }
}

static void test_a_spin_without_electrons_is_diagonalised(void **state)
{
    (void)state;
    struct scf_settings settings = scf_settings_default();
    struct scf_result result;
    int n;
    check_ok(run_case(&hydrogen_atom, &settings, 0, &n, &result));
    assert_int_equal(n, 0);
    scf_result_fini(&result);
}

/* max |C^T S C - 1|. */
static double orthonormality(const struct scf_basis *basis, const struct dense *C)
{
    struct dense *SC = basis->work_nm, *product = basis->work_mm[0];
    check_ok(scf_basis_load(basis, basis->S));
    dense_multiply('N', 'N', 1, basis->work_nn, C, 0, SC);
    dense_set_identity(product);
    dense_multiply('T', 'N', 1, C, SC, -1, product);
    return dense_max_abs(product);
}

static void test_orbitals_are_orthonormal_on_the_way(void **state)
{
    (void)state;
    struct scf_setup setup;
    struct scf_basis *basis;
    struct scf_fock *fock;
    struct scf_state *orbitals;
    struct scf_quasi_newton *solver;
    struct dense *C;
    scf_setup_init(&setup, &oxygen);
    check_ok(guess_sad(&setup.problem, setup.D));
    check_ok(scf_basis_create(&setup.problem, SCF_DEFAULT_DEPENDENCE, &basis));
    check_ok(scf_fock_create(&setup.problem, setup.D, &fock));
    check_ok(scf_state_create(basis, &orbitals));
    check_ok(scf_state_from_tiles(basis, setup.D, fock, orbitals));
    check_ok(scf_state_build_density(basis, fock, orbitals));
    check_ok(scf_state_diagonalise(basis, orbitals));
    check_ok(scf_state_build(basis, fock, orbitals));
    check_ok(scf_quasi_newton_create(basis, fock, orbitals, 2, &solver));
    for (int step = 0; step < 4; step++)
        check_ok(scf_quasi_newton_step(solver));
    check_ok(dense_create(setup.grid, basis->n_functions, basis->n_orbitals, &C));
    for (int s = 0; s < 2; s++) {
        check_ok(scf_quasi_newton_orbitals(solver, s, C));
        assert_true(orthonormality(basis, C) < 1e-11);
    }
    double energy = orbitals->energy;
    check_ok(scf_quasi_newton_finish(solver));
    check_ok(scf_state_build(basis, fock, orbitals));
    check_close(orbitals->energy, energy, 1e-8);
    scf_quasi_newton_destroy(solver);
    dense_destroy(C);
    scf_state_destroy(orbitals);
    scf_fock_destroy(fock);
    scf_basis_destroy(basis);
    scf_setup_fini(&setup);
}

/* Resumes from the file; its iterations. */
static int64_t resume(const char *path, double *energy)
{
    struct scf_settings settings = scf_settings_default();
    settings.quasi_newton_from = 0;
    return scf_resume(&water, path, settings, energy);
}

static void test_a_run_resumes_from_the_middle(void **state)
{
    (void)state;
    struct scf_settings settings = scf_settings_default();
    struct scf_result whole, part;
    char path[64];
    int n, pid = (int)getpid(), rank;
    double energy;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "test_scf_quasi_newton.%d.h5", pid);
    check_ok(run_case(&water, &settings, 0, &n, &whole));
    settings.checkpoint = path;
    settings.max_iterations = 7;
    assert_int_equal(run_case(&water, &settings, 0, &n, &part), STATUS_NOT_CONVERGED);
    assert_true(n > 1);
    assert_true(resume(path, &energy) <= whole.iterations - 7 + 3);
    check_close(energy, whole.energy, 1e-9);
    scf_result_fini(&whole);
    scf_result_fini(&part);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_the_energy_is_that_of_diagonalisations, scf_start),
        cmocka_unit_test(test_a_spin_without_electrons_is_diagonalised),
        cmocka_unit_test(test_orbitals_are_orthonormal_on_the_way),
        cmocka_unit_test_teardown(test_a_run_resumes_from_the_middle, scf_stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
