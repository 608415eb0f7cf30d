/* SPDX-License-Identifier: BSD-3-Clause */
/* Where DIIS fails, the second-order method converges, to a minimum. */
#include "tests/cases/scf_case.h"

/* DIIS never converges for this radical: near-degenerate orbitals swap. */
static const struct scf_case cyano = {"2\n\nC 0 0 0\nN 0.3 0.2 1.12\n", 0, 2, "sto-3g", 2, 0};

/* A pair of hydrogen atoms, so far apart that their energies add up. */
static const struct scf_case far_hydrogens = {"2\n\nH 0 0 0\nH 0 3 4\n", 0, 1, "cc-pvdz", 2, 0};
static const struct scf_case hydrogen_atom = {"1\n\nH 0 0 0\n", 0, 2, "cc-pvdz", 2, 0};

/* Stretched: the restricted solution that symmetric orbitals lead to is a saddle. */
static const struct scf_case far_nitrogens = {
    "2\n\nN 0 0 0\nN 0.3 0.4 2.1\n", 0, 1, "cc-pvdz", 1, 0};

static enum status run_case(const struct scf_case *scf_case, const struct scf_settings *settings,
                            struct scf_result *result)
{
    struct scf_setup setup;
    scf_setup_init(&setup, scf_case);
    enum status status = scf_setup_run(&setup, settings, result);
    scf_case_forget_orbitals(result);
    scf_setup_fini(&setup);
    return status;
}

TEST(second_order_converges_where_diis_does_not)
{
    struct scf_settings settings = scf_settings_default();
    struct scf_result result;
    settings.second_order = SCF_NEVER;
    settings.stability = SCF_NEVER;
    settings.max_iterations = 60;
    check_status(STATUS_NOT_CONVERGED, run_case(&cyano, &settings, &result));
    assert_false(result.converged);
    double unconverged = result.energy;
    scf_result_fini(&result);

    settings.second_order = SCF_AUTO;
    settings.max_iterations = 100;
    check_ok(run_case(&cyano, &settings, &result));
    assert_true(result.converged);
    assert_true(result.gradient < SCF_DEFAULT_CONVERGE);
    assert_true(result.energy < unconverged + 1e-9);
    /* NWChem 7.0.2, from the same superposed atoms by its own second-order method. */
    check_close(result.energy, -91.022160539, 2e-9);
    scf_result_fini(&result);
}

/* Second order alone; damping and a shift of levels; plain iterations. */
TEST(other_ways_lead_to_the_energy_of_diis)
{
    static const struct scf_case cases[] = {
        {"3\n\nO 0 0 0\nH 0 0.76 0.59\nH 0 -0.76 0.59\n", 0, 1, "6-31g", 1, 0},
        {"2\n\nO 0 0 0\nH 0.2 0.1 0.95\n", 0, 2, "6-31g", 2, 0},
        {"2\n\nN 0 0 0\nO 0.2 0.1 1.15\n", 0, 2, "6-31g", 3, 0},
    };
    for (int i = 0; i < 9; i++) {
        struct scf_result by_diis, found;
        struct scf_settings settings = scf_settings_default();
        check_ok(run_case(&cases[i % 3], &settings, &by_diis));
        if (i < 3) {
            settings.second_order = SCF_ALWAYS;
        } else if (i < 6) {
            settings.damping = 0.3;
            settings.level_shift = 0.2;
        } else {
            settings.diis_size = 1;
        }
        check_ok(run_case(&cases[i % 3], &settings, &found));
        check_close(found.energy, by_diis.energy, 1e-9);
        /* The shift is no part of the orbital energies. */
        for (int64_t k = 0; k < found.n_orbitals; k++)
            check_close(found.orbital_energies[0][k], by_diis.orbital_energies[0][k], 1e-6);
        scf_result_fini(&by_diis);
        scf_result_fini(&found);
    }
}

TEST(saddle_points_are_left_downhill)
{
    struct scf_settings settings = scf_settings_default();
    struct scf_result saddle, minimum, atom;
    settings.stability = SCF_NEVER;
    check_ok(run_case(&far_hydrogens, &settings, &saddle));
    assert_int_equal(saddle.curvature[SCF_REAL_UHF].n_products, 0);
    assert_int_equal(saddle.n_saddles, 0);
    settings.stability = SCF_AUTO;
    check_ok(run_case(&far_hydrogens, &settings, &minimum));
    check_ok(run_case(&hydrogen_atom, &settings, &atom));
    assert_int_equal(scf_curvature_verdict(&minimum.curvature[SCF_REAL_UHF]), SCF_VERDICT_STABLE);
    assert_true(minimum.curvature[SCF_REAL_UHF].eigenvalue > 0);
    assert_int_equal(minimum.n_saddles, 1);
    check_close(minimum.saddles[0].energy, saddle.energy, 1e-8);
    assert_true(minimum.saddles[0].curvature < 0);
    assert_true(minimum.energy < saddle.energy - 0.1);
    check_close(minimum.energy, 2 * atom.energy, 1e-5);
    scf_result_fini(&saddle);
    scf_result_fini(&minimum);
    scf_result_fini(&atom);

    settings.stability = SCF_NEVER;
    check_ok(run_case(&far_nitrogens, &settings, &saddle));
    settings.stability = SCF_ALWAYS;
    check_ok(run_case(&far_nitrogens, &settings, &minimum));
    assert_int_equal(scf_curvature_verdict(&minimum.curvature[SCF_REAL_RHF]), SCF_VERDICT_STABLE);
    assert_true(minimum.n_saddles > 0);
    assert_true(minimum.energy < saddle.energy - 0.1);
    scf_result_fini(&saddle);
    scf_result_fini(&minimum);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
