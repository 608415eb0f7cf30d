/* Correlation energies, on any number of processes and under each of five modes, agree with
 * those of NWChem 7.0.2 and, of MP2 and CCSD with all electrons, of Psi4 1.3.2, which agree
 * with each other to 4e-10 hartree; all without approximation of the integrals, in the same
 * basis sets and geometries. */
#include "support/sha256.h"
#include "tce/frozen_core.h"
#include "tests/correlation_case.h"

#include <string.h>

#define TOLERANCE 2e-8

#define WATER                                                                                      \
    "3\n\nO 0 0 0\nH 0.60006148 0.36055331 0.65280883\nH 0.28018495 0.39311176 -0.82655392\n"
#define AMMONIA                                                                                    \
    "4\n\nN 0 0 0\nH 0.01259359 0.76901794 -0.65833622\nH -0.97222717 -0.18057857 0.21707021\n"    \
    "H 0.34255792 -0.81303653 -0.49656765\n"
#define LITHIUM_HYDRIDE "2\n\nLi 0 0 0\nH 0 0 1.5957\n"

struct energy {
    const char *method;
    bool frozen_core;
    double total; /* hartree */
};

static const struct field_case {
    const char *molecule, *basis;
    struct energy energies[6]; /* up to the first without a method */
} cases[] = {
    {WATER, "cc-pvdz", {{"mp2", false, -76.2307586363}, {"mp2", true, -76.2284198438}}},
    {AMMONIA, "6-31g*", {{"mp2", false, -56.3573329069}}},
    {WATER,
     "6-31g",
     {{"ccsd", false, -76.1193197299},
      {"ccsd", true, -76.1184113796},
      {"ccd", false, -76.1186375919},
      {"ccd", true, -76.1177331334},
      {"mp2", true, -76.1117557660}}},
    {LITHIUM_HYDRIDE, "6-31g", {{"ccsd", false, -7.9982766195}, {"ccd", false, -7.9974263889}}},
};

static const char *const modes[] = {"static", "steal", "retentive", "dtree", "persist"};
enum { N_MODES = sizeof modes / sizeof modes[0] };

static int number_of_mode(const char *name)
{
    int mode = 0;
    while (strcmp(taskpool_mode_name(mode), name) != 0)
        mode++;
    return mode;
}

/* One digest of all amplitudes. */
static void find_digest(const struct correlation *correlation, char digest[SHA256_HEX_SIZE])
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct sha256 *all;
    int n = correlation_unknowns(correlation, x, f);
    check_ok(sha256_create(&all));
    for (int i = 0; i < n; i++) {
        char one[SHA256_HEX_SIZE];
        check_ok(tensor_sha256(x[i], MPI_COMM_WORLD, one));
        sha256_add(all, one, sizeof one);
    }
    sha256_finish(all, digest);
    sha256_destroy(all);
}

/* Under so many modes of the list, from one of them on, the same bits of the energy and of
 * the amplitudes. */
static void check_energy(const struct scf_setup *setup, const struct scf_result *field,
                         const struct energy *expected, size_t first_mode, size_t n_modes)
{
    struct correlation_case made;
    double first = 0;
    char first_digest[SHA256_HEX_SIZE], digest[SHA256_HEX_SIZE];
    int64_t n_core = expected->frozen_core ? frozen_core_count(&setup->molecule) : 0;
    correlation_case_init(&made, expected->method, setup, field, n_core);
    for (size_t i = 0; i < n_modes; i++) {
        const char *mode = modes[(first_mode + i) % N_MODES];
        double energy = correlation_case_solve(&made, number_of_mode(mode));
        find_digest(&made.correlation, i == 0 ? first_digest : digest);
        if (i == 0) {
            first = energy;
            check_close(field->energy + energy, expected->total, TOLERANCE);
            continue;
        }
        check_close(energy, first, 0);
        assert_string_equal(digest, first_digest);
    }
    correlation_case_fini(&made);
}

static void test_energies_agree_with_other_programs(void **state)
{
    (void)state;
    struct scf_settings settings = scf_default_settings();
    size_t n_energies = 0;
    settings.converge = 1e-9;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct scf_case scf_case = {.molecule = cases[i].molecule,
                                          .multiplicity = 1,
                                          .basis = cases[i].basis,
                                          .n_spins = 1};
        struct scf_setup setup;
        struct scf_result field;
        scf_setup_init(&setup, &scf_case);
        check_ok(scf_setup_run(&setup, &settings, &field));
        /* All modes for the first energy of a molecule, one for the others. */
        for (const struct energy *energy = cases[i].energies; energy->method; energy++)
            check_energy(&setup, &field, energy, n_energies++,
                         energy == cases[i].energies ? N_MODES : 1);
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

/* No orbital is left, or none is empty. */
static void test_what_cannot_be_correlated_is_refused(void **state)
{
    (void)state;
    static const struct scf_case helium = {"1\n\nHe 0 0 0\n", 0, 1, "sto-3g", 1, 0};
    static const struct scf_case beryllium = {"1\n\nBe 0 0 0\n", 0, 1, "6-31g", 1, 0};
    const struct scf_settings settings = scf_default_settings();
    const struct scf_case *const refused[] = {&helium, &beryllium};
    for (int i = 0; i < 2; i++) {
        struct scf_setup setup;
        struct scf_result field;
        struct orbital_space *orbitals;
        scf_setup_init(&setup, refused[i]);
        check_ok(scf_setup_run(&setup, &settings, &field));
        int64_t n_occupied = setup.problem.n_occupied[0];
        check_status(STATUS_INPUT, orbital_space_create(&field, n_occupied, i == 0 ? 0 : n_occupied,
                                                        MPI_COMM_WORLD, &orbitals));
        assert_null(orbitals);
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

/* Whether iteration i changed amplitudes and energy as little as is asked for. */
static bool is_end(const struct correlation *correlation, int64_t i, double converge)
{
    const struct correlation_iteration *iteration = &correlation->iterations[i];
    return iteration->change < converge &&
           fabs(iteration->energy - iteration[-1].energy) < 0.1 * converge;
}

/* Iterations that are too few, and plain ones, which are more than those with DIIS. */
static void test_iterations_end_as_they_are_told(void **state)
{
    (void)state;
    static const struct scf_case water = {WATER, 0, 1, "sto-3g", 1, 0};
    const struct scf_settings scf_settings = scf_default_settings();
    const struct taskpool_settings pool = correlation_case_pool(0);
    struct correlation_settings settings = {
        .converge = 1e-8, .max_iterations = 100, .diis_size = 8};
    struct scf_setup setup;
    struct scf_result field;
    struct correlation_case made;
    scf_setup_init(&setup, &water);
    check_ok(scf_setup_run(&setup, &scf_settings, &field));
    correlation_case_init(&made, "ccsd", &setup, &field, 0);
    struct correlation *correlation = &made.correlation;
    check_ok(correlation_solve(correlation, &pool, &settings));
    int64_t with_diis = correlation->n_iterations;
    double energy = correlation_energy(correlation);
    assert_true(is_end(correlation, with_diis - 1, settings.converge));
    assert_false(is_end(correlation, with_diis - 2, settings.converge));
    settings.diis_size = 1;
    check_ok(correlation_solve(correlation, &pool, &settings));
    assert_true(correlation->n_iterations > with_diis);
    check_close(correlation_energy(correlation), energy, 1e-7);
    settings.max_iterations = 3;
    check_status(STATUS_NOT_CONVERGED, correlation_solve(correlation, &pool, &settings));
    assert_int_equal(correlation->n_iterations, 3);
    /* The first evaluation, of amplitudes of zero, has the energy zero; the second is of those
     * of second order. */
    check_close(correlation->iterations[0].energy, 0, 0);
    correlation_case_fini(&made);
    scf_result_fini(&field);
    scf_setup_fini(&setup);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_energies_agree_with_other_programs, scf_start),
        cmocka_unit_test(test_what_cannot_be_correlated_is_refused),
        cmocka_unit_test_teardown(test_iterations_end_as_they_are_told, scf_stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
