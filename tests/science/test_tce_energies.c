/* SPDX-License-Identifier: BSD-3-Clause */
/* Correlation energies, on any number of processes and under each of five modes, agree with NWChem
 * 7.0.2 and, for MP2, CCSD and CCSD(T) of closed shells with all electrons, with Psi4 1.3.2. Both programs
 * agree to 4e-10 hartree. All use exact integrals in the same basis sets and geometries. NWChem's input for
 * spin orbitals is
 *     geometry units bohr noautosym nocenter noautoz; ...; end
 *     basis spherical; * library 6-31g; end
 *     set int:cando_txs .false.; set int:acc_std 1d-20
 *     scf; uhf; doublet; thresh 1e-9; tol2e 1e-14; end
 *     tce; scf; ccsd; thresh 1e-9; end; task tce energy
 * with mbpt2, ccd, ccsd(t) or ccsdt for ccsd, rohf for uhf, and with freeze atomic for a frozen core. CCSDT of three
 * electrons is exact: the lowest eigenvalue of the Hamiltonian, from --write-fcidump, over all 90
 * determinants. */
#include "support/base/sha256.h"
#include "tce/integrals/frozen_core.h"
#include "tce/integrals/orbital_space.h"
#include "tce/methods/diagnostics.h"
#include "tests/cases/correlation_case.h"

#include <string.h>

#define WATER                                                                                      \
    "3\n\nO 0 0 0\nH 0.60006148 0.36055331 0.65280883\nH 0.28018495 0.39311176 -0.82655392\n"
#define AMMONIA                                                                                    \
    "4\n\nN 0 0 0\nH 0.01259359 0.76901794 -0.65833622\nH -0.97222717 -0.18057857 0.21707021\n"    \
    "H 0.34255792 -0.81303653 -0.49656765\n"
#define AMIDOGEN        "3\n\nN 0 0 0\nH 0 0.8 0.64\nH 0 -0.8 0.64\n"
#define LITHIUM_HYDRIDE "2\n\nLi 0 0 0\nH 0 0 1.5957\n"
#define HYDROXYL        "2\nunits=bohr\nO 0 0 0\nH 0 0 1.83\n"
#define AMIDOGEN_BOHR   "3\nunits=bohr\nN 0 0 0\nH 0 1.5 1.2\nH 0 -1.5 1.2\n"
#define WATER_CATION    "3\nunits=bohr\nO 0 0 0\nH 0 1.5 1.2\nH 0 -1.5 1.2\n"
#define OXYGEN          "2\nunits=bohr\nO 0 0 0\nO 0 0 2.3\n"
#define HYDROGENS       "3\nunits=bohr\nH 0 0 0\nH 0 0 2.2\nH 0 0 4.6\n"
#define LITHIUM         "1\n\nLi 0 0 0\n"

#define TOLERANCE 2e-8

enum { MAX_CORE = 18 };

struct energy {
    const char *method;
    bool frozen_core;
    double total; /* hartree */
};

struct energy_case {
    struct scf_case field;
    struct energy energies[8]; /* up to the first without a method */
};

static const struct energy_case cases[] = {
    {{WATER, 0, 1, "cc-pvdz", 1, 0},
     {{"mp2", false, -76.2307586363}, {"mp2", true, -76.2284198438}}},
    {{AMMONIA, 0, 1, "6-31g*", 1, 0}, {{"mp2", false, -56.3573329069}}},
    {{WATER, 0, 1, "6-31g", 1, 0},
     {{"ccsd", false, -76.1193197299},
      {"ccsd_t", false, -76.1203136961},
      {"ccsdt", false, -76.1203960493},
      {"ccsd", true, -76.1184113796},
      {"ccd", false, -76.1186375919},
      {"ccd", true, -76.1177331334},
      {"mp2", true, -76.1117557660}}},
    {{LITHIUM_HYDRIDE, 0, 1, "6-31g", 1, 0},
     {{"ccsdt", false, -7.9982880067},
      {"ccsd_t", false, -7.9982864988},
      {"ccsd", false, -7.9982766195},
      {"ccd", false, -7.9974263889}}},
    /* Spin orbitals; a closed shell has the same energies as without. */
    {{LITHIUM, 0, 2, "6-31g", 2, 0},
     {{"ccsd", false, -7.4315538708}, {"mp2", false, -7.4315201203}}},
    {{HYDROGENS, 0, 2, "6-31g", 2, 0}, {{"ccsdt", false, -1.6032406767}}},
    {{LITHIUM_HYDRIDE, 0, 1, "6-31g", 2, 0},
     {{"ccsd", false, -7.9982766195},
      {"ccd", false, -7.9974263889},
      {"ccsd_t", false, -7.9982864988},
      {"ccsdt", false, -7.9982880067}}},
    {{AMIDOGEN_BOHR, 0, 2, "6-31g", 2, 0},
     {{"mp2", false, -55.6189252641},
      {"ccsd", true, -55.6322141084},
      {"ccd", false, -55.6326487554},
      {"mp2", true, -55.6178700267}}},
    {{HYDROXYL, 0, 2, "6-31g", 2, 0},
     {{"ccsd", false, -75.4619221186}, {"ccsdt", false, -75.4625703805}}},
    {{"2\n\nO 0 0 0\nH 0 0 0.9697\n", 0, 2, "cc-pvdz", 2, 0}, {{"ccsd_t", false, -75.5611110252}}},
    {{HYDROXYL, 0, 2, "6-31g", 3, 0},
     {{"ccsd", false, -75.4619206788},
      {"ccd", false, -75.4605040889},
      {"ccsdt", false, -75.4625701279}}},
    {{OXYGEN, 0, 3, "6-31g", 2, 0}, {{"mp2", false, -149.7872665943}}},
    {{WATER_CATION, 1, 2, "cc-pvdz", 2, 0}, {{"mp2", false, -75.7884513351}}},
    /* One spin has no correlated electrons, and the other permits no double excitation. */
    {{"1\n\nH 0 0 0\n", 0, 2, "sto-3g", 2, 0}, {{"ccsd", false, -0.4665818496}}},
    {{"1\n\nH 0 0 0\n", 0, 2, "6-31g", 2, 0},
     {{"mp2", false, -0.4982329107}, {"ccsd", false, -0.4982329107}}},
    {{LITHIUM, 0, 2, "6-31g", 2, 0}, {{"ccsd", true, -7.4312358111}}},
#ifdef BERYL_LIBECPINT
    /* NWChem's module ccsd. */
    {{"2\nunits=bohr\nAg 0 0 0\nH 0 0 3.0575768696\n", 0, 1, "def2-svp", 1, 0},
     {{"ccsd_t", false, -146.9798675815}}},
#endif
    /* Cores whose energies interleave with valence shells: F 2s lies below K 3p, and of KO core and
     * valence mix. Source: Psi4 1.3.2, its canonical orbitals put into an order in which the core is first. */
    {{"2\n\nK 0 0 0\nF 0 0 2.1715\n", 0, 1, "def2-svp", 1, 0},
     {{"mp2", true, -698.6617709142}, {"ccsd", true, -698.6627424076}}},
    {{"2\n\nCa 0 0 0\nO 0 0 1.822\n", 0, 1, "def2-svp", 1, 0},
     {{"mp2", true, -751.6271345223}, {"ccsd", true, -751.6119594354}}},
    {{"2\n\nNa 0 0 0\nCl 0 0 2.3609\n", 0, 1, "def2-svp", 1, 0},
     {{"mp2", true, -621.3600575933}, {"ccsd", true, -621.3721128756}}},
    {{"2\n\nMg 0 0 0\nO 0 0 1.749\n", 0, 1, "def2-svp", 1, 0},
     {{"mp2", true, -274.4733337639}, {"ccsd", true, -274.4580974270}}},
    {{"2\n\nH 0 0 0\nBr 0 0 1.4144\n", 0, 1, "def2-svp", 1, 0},
     {{"mp2", true, -2572.9261974954}, {"ccsd", true, -2572.9332426350}}},
    {{"2\n\nK 0 0 0\nO 0 0 2.168\n", 0, 2, "def2-svp", 2, 0},
     {{"mp2", true, -673.9569500838}, {"ccsd", true, -673.9657714409}}},
};

static const char *const modes[] = {"static", "steal", "retentive", "dtree", "persist"};
enum { N_THOROUGH = 5, N_MODES = sizeof modes / sizeof modes[0] };

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
    struct frozen_orbitals frozen = NO_FROZEN;
    int64_t core[2][MAX_CORE];
    if (expected->frozen_core)
        frozen.n_core = frozen_core_count(&setup->molecule);
    assert_true(frozen.n_core <= MAX_CORE);
    for (int s = 0; s < setup->problem.n_orbital_sets && frozen.n_core > 0; s++)
        check_ok(frozen_core_find(&setup->problem, field->orbitals[s], field->orbital_energies[s],
                                  setup->problem.n_occupied[s], "", frozen.n_core, core[s]));
    correlation_case_init_core(&made, expected->method, setup, field, frozen,
                               (int64_t *[]){core[0], core[1]});
    for (size_t i = 0; i < n_modes; i++) {
        const char *mode = modes[(first_mode + i) % N_MODES];
        double energy = correlation_case_solve(&made, mode);
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

/* Under all modes the first energy of each of the first SCFs, under one the others. */
TEST(energies_agree_with_other_programs)
{
    struct scf_settings settings = scf_settings_default();
    size_t n_energies = 0;
    settings.converge = 1e-9;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scf_setup setup;
        struct scf_result field;
        scf_setup_init(&setup, &cases[i].field);
        check_ok(scf_setup_run(&setup, &settings, &field));
        for (const struct energy *energy = cases[i].energies; energy->method; energy++)
            check_energy(&setup, &field, energy, n_energies++,
                         energy == cases[i].energies && i < N_THOROUGH ? N_MODES : 1);
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

/* Source: Psi4 1.3.2 with num_frozen_docc and num_frozen_uocc. T1 and D1 have six digits there; D1 is
 * of closed shells alone. Treated by UHF, these have the same D1, and T1 is a sum over both spins. */
static const struct frozen_case {
    struct scf_case field;
    struct frozen_orbitals frozen;
    double mp2, ccsd;                    /* total energies, hartree */
    double T1, D1;                       /* D1 0: unknown */
    struct large_amplitude single, pair; /* the largest ones, magnitudes: signs are the orbitals' */
} frozen_cases[] = {
    {{WATER, 0, 1, "cc-pvdz", 1, 0},
     {1, 3},
     -76.1986164835,
     -76.2075862729,
     0.007304,
     0.014752,
     {0.0114379459, {4, 6}, {false}},
     {0.0516966850, {5, 5, 11, 11}, {false}}},
    {{WATER, 0, 1, "cc-pvdz", 2, 0},
     {1, 3},
     -76.1986164835,
     -76.2075862729,
     0.007304 * 1.4142136,
     0.014752,
     {0.0114379459, {4, 6}, {false}},
     {0.0516966850, {5, 5, 11, 11}, {false, true, false, true}}},
    {{AMIDOGEN, 0, 2, "6-31g", 2, 0},
     {1, 2},
     -55.5820755292,
     -55.5928868168,
     0.010528,
     0,
     {0.0202287396, {3, 7}, {false}},
     {0.0520572843, {5, 4, 10, 9}, {false, true, false, true}}},
};

static void check_largest(const struct largest_amplitudes *found,
                          const struct large_amplitude *expected)
{
    assert_int_equal(found->n, LARGEST_AMPLITUDES);
    check_close(fabs(found->list[0].value), expected->value, 1e-7);
    for (int d = 0; d < found->rank; d++) {
        assert_int_equal(found->list[0].orbital[d], expected->orbital[d]);
        assert_int_equal(found->list[0].is_beta[d], expected->is_beta[d]);
    }
    for (int k = 1; k < found->n; k++)
        assert_true(fabs(found->list[k].value) < fabs(found->list[k - 1].value) + 2e-7);
}

static void check_diagnostics(const struct correlation *correlation,
                              const struct frozen_case *expected)
{
    struct diagnostics found;
    check_ok(diagnostics_find(correlation, &found));
    assert_true(found.has_singles);
    check_close(found.T1, expected->T1, 1e-6);
    if (expected->D1 > 0)
        check_close(found.D1, expected->D1, 1e-6);
    check_largest(&found.singles, &expected->single);
    check_largest(&found.doubles, &expected->pair);
}

static void check_frozen(const struct scf_setup *setup, const struct scf_result *field,
                         const struct frozen_case *expected)
{
    struct correlation_case made;
    struct diagnostics none;
    correlation_case_init(&made, "mp2", setup, field, expected->frozen);
    check_close(field->energy + correlation_case_solve(&made, "steal"), expected->mp2, TOLERANCE);
    check_ok(diagnostics_find(&made.correlation, &none));
    assert_true(!none.has_singles && none.singles.n == 0 && none.doubles.n == 0);
    correlation_case_fini(&made);
    correlation_case_init(&made, "ccsd", setup, field, expected->frozen);
    check_close(field->energy + correlation_case_solve(&made, "steal"), expected->ccsd, TOLERANCE);
    check_close(field->energy + made.correlation.second_order_energy, expected->mp2, TOLERANCE);
    check_diagnostics(&made.correlation, expected);
    correlation_case_fini(&made);
}

TEST(frozen_orbitals_and_diagnostics_agree_with_another_program)
{
    struct scf_settings settings = scf_settings_default();
    settings.converge = 1e-9;
    for (size_t i = 0; i < sizeof frozen_cases / sizeof frozen_cases[0]; i++) {
        struct scf_setup setup;
        struct scf_result field;
        scf_setup_init(&setup, &frozen_cases[i].field);
        check_ok(scf_setup_run(&setup, &settings, &field));
        check_frozen(&setup, &field, &frozen_cases[i]);
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

/* No orbital is left, or none is empty. */
TEST(what_cannot_be_correlated_is_refused)
{
    static const struct scf_case helium = {"1\n\nHe 0 0 0\n", 0, 1, "sto-3g", 1, 0};
    static const struct scf_case beryllium = {"1\n\nBe 0 0 0\n", 0, 1, "6-31g", 1, 0};
    const struct scf_settings settings = scf_settings_default();
    static const struct {
        const struct scf_case *field;
        struct frozen_orbitals frozen;
        const char *words;
    } refused[] = {{&helium, {0, 0}, "take a larger one"},
                   {&beryllium, {2, 0}, "freeze at most 1"},
                   {&beryllium, {0, 7}, "freeze at most 6"}};
    for (int i = 0; i < 3; i++) {
        struct scf_setup setup;
        struct scf_result field;
        struct orbital_spaces *orbitals;
        scf_setup_init(&setup, refused[i].field);
        check_ok(scf_setup_run(&setup, &settings, &field));
        int64_t n_occupied = setup.problem.n_occupied[0];
        check_status(STATUS_INPUT, orbital_spaces_create(&field, 1, &n_occupied, refused[i].frozen,
                                                         NULL, MPI_COMM_WORLD, &orbitals));
        assert_null(orbitals);
        assert_non_null(strstr(status_text(), refused[i].words));
        scf_result_fini(&field);
        scf_setup_fini(&setup);
    }
}

/* Whether iteration i changed amplitudes and energy by no more than the thresholds. */
static bool is_end(const struct correlation *correlation, int64_t i, double converge)
{
    const struct correlation_iteration *iteration = &correlation->iterations[i];
    return iteration->change < converge &&
           fabs(iteration->energy - iteration[-1].energy) < 0.1 * converge;
}

/* Iterations that are too few, and plain ones, which are more than those with DIIS. */
TEST(iterations_end_as_they_are_told)
{
    static const struct scf_case water = {WATER, 0, 1, "sto-3g", 1, 0};
    const struct scf_settings scf_settings = scf_settings_default();
    const struct taskpool_settings pool = correlation_case_pool("static");
    struct scf_setup setup;
    struct scf_result field;
    struct correlation_case made;
    scf_setup_init(&setup, &water);
    check_ok(scf_setup_run(&setup, &scf_settings, &field));
    correlation_case_init(&made, "ccsd", &setup, &field, NO_FROZEN);
    struct correlation *correlation = &made.correlation;
    check_ok(correlation_solve(correlation, &pool, NULL));
    int64_t with_diis = correlation->n_iterations;
    double energy = correlation_energy(correlation);
    assert_true(is_end(correlation, with_diis - 1, made.settings.converge));
    assert_false(is_end(correlation, with_diis - 2, made.settings.converge));
    made.settings.diis_size = 1;
    check_ok(correlation_solve(correlation, &pool, NULL));
    assert_true(correlation->n_iterations > with_diis);
    check_close(correlation_energy(correlation), energy, 1e-7);
    made.settings.max_iterations = 3;
    check_status(STATUS_NOT_CONVERGED, correlation_solve(correlation, &pool, NULL));
    assert_int_equal(correlation->n_iterations, 3);
    check_close(correlation->energy_before, correlation->second_order_energy, 0);
    correlation_case_fini(&made);
    scf_result_fini(&field);
    scf_setup_fini(&setup);
}

/* Occupied and virtual orbitals of one energy make denominators of zero. */
TEST(energies_that_are_not_finite_are_refused)
{
    static const struct scf_case water = {WATER, 0, 1, "sto-3g", 1, 0};
    static const struct {
        const char *method, *words;
    } refused[] = {{"mp2", "have the same energy"}, {"ccsd", "have the same energy"}};
    const struct scf_settings scf_settings = scf_settings_default();
    const struct taskpool_settings pool = correlation_case_pool("static");
    struct scf_setup setup;
    struct scf_result field;
    scf_setup_init(&setup, &water);
    check_ok(scf_setup_run(&setup, &scf_settings, &field));
    for (int64_t k = 0; k < field.n_orbitals; k++)
        field.orbital_energies[0][k] = 0;
    for (int i = 0; i < 2; i++) {
        struct correlation_case made;
        correlation_case_init(&made, refused[i].method, &setup, &field, NO_FROZEN);
        check_status(STATUS_NUMERIC, correlation_solve(&made.correlation, &pool, NULL));
        assert_non_null(strstr(status_text(), refused[i].words));
        correlation_case_fini(&made);
    }
    scf_result_fini(&field);
    scf_setup_fini(&setup);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
