/* SPDX-License-Identifier: BSD-3-Clause */
/* The next step of an SCF, from tables of histories. A row changes some numbers of a run of DIIS that
 * makes progress, far from convergence. */
#include "hf/scf/scf_decide.h"
#include "tests/check.h"

#include <math.h>

static struct scf_settings settings;
static struct scf_conditions conditions;
static struct scf_history history;

static void begin(void)
{
    settings = scf_settings_default();
    conditions = (struct scf_conditions){.settings = &settings,
                                         .criterion = scf_criterion(&settings, 1e-10),
                                         .is_closed_shell = true,
                                         .electrons_per_orbital = 2,
                                         .has_rotations = true,
                                         .tests_stability = true};
    scf_history_init(&history);
    history.has_orbitals = history.is_accurate = true;
    history.energy = history.best_energy = -76;
    history.gradient = history.norm = 1e-2;
    history.last_norm = history.least_gradient = 2e-2;
    history.change = -1e-2;
    history.iteration = history.n_iterations = 7;
}

/* The energy is right to 1e-9, by a change of it, where that is asked for; the gradient is not small. */
static void begin_right_energy(double change)
{
    begin();
    conditions.criterion.energy_error = 1e-9;
    history.is_canonical = true;
    history.gradient = history.norm = 1e-6;
    history.last_norm = 1e-5;
    history.change = change;
}

#define DECIDES(action) assert_int_equal(scf_decide(&history, &conditions), action)

/* With a gradient below the bound: an accurate F, canonical orbitals, the test of stability, in this order. */
TEST(a_small_gradient_is_confirmed)
{
    begin();
    history.gradient = 1e-9;
    history.is_accurate = false;
    DECIDES(SCF_REBUILD);
    history.is_accurate = true;
    DECIDES(SCF_REBUILD);
    history.is_canonical = true;
    DECIDES(SCF_TEST);
    conditions.tests_stability = false;
    DECIDES(SCF_DONE);
}

/* A density without orbitals has no gradient that could end the run. */
TEST(a_density_without_orbitals_is_no_result)
{
    begin();
    history.has_orbitals = false;
    history.gradient = 0;
    settings.second_order = SCF_ALWAYS;
    DECIDES(SCF_STEP_DIIS);
}

TEST(a_stable_state_is_tested_once)
{
    begin();
    const struct scf_curvature stable = {0.3, 1e-6, 0.01, 5}, open = {0.01, 1e-6, 0.1, 60},
                               saddle = {-0.2, 1e-6, 0.01, 5};
    history.gradient = 1e-9;
    history.is_canonical = true;
    scf_history_take_test(&history, &stable);
    DECIDES(SCF_DONE);
    scf_history_advance(&history);
    DECIDES(SCF_DONE); /* near a state that was tested */
    scf_history_take_test(&history, &open);
    DECIDES(SCF_DONE);
    scf_history_advance(&history);
    DECIDES(SCF_TEST); /* an open question, asked again elsewhere */
    scf_history_take_test(&history, &saddle);
    DECIDES(SCF_DONE); /* kept */
    scf_history_forget_test(&history);
    scf_history_advance(&history);
    DECIDES(SCF_TEST); /* left */
}

/* The energy ends the run alone where its error is asked for: not in the first iteration, and only if the
 * gradient falls. */
TEST(a_right_energy_ends_the_run)
{
    begin_right_energy(-1e-10);
    DECIDES(SCF_TEST);
    conditions.criterion.energy_error = 0;
    DECIDES(SCF_STEP_DIIS);
    conditions.criterion.energy_error = 1e-9;
    history.last_norm = 0;
    DECIDES(SCF_STEP_DIIS);
    history.last_norm = 1e-6;
    DECIDES(SCF_STEP_DIIS);
}

/* Not where a curvature is so low that the gradient leaves more, or the test is open or found a saddle point. */
TEST(a_test_can_ask_for_the_gradient)
{
    const struct scf_curvature curvatures[] = {
        {1e-4, 1e-8, 1e-5, 5}, {0.01, 1e-6, 0.1, 60}, {-0.2, 1e-6, 0.01, 5}};
    for (int i = 0; i < 3; i++) {
        begin_right_energy(-1e-10);
        DECIDES(SCF_TEST);
        scf_history_take_test(&history, &curvatures[i]);
        DECIDES(SCF_STEP_DIIS);
        history.gradient = 1e-9;
        DECIDES(SCF_DONE);
    }
}

/* Closed shells under DIIS: changes that shrink to little in all. */
TEST(changes_that_shrink_end_closed_shells)
{
    begin_right_energy(-5e-9);
    DECIDES(SCF_TEST);
    history.is_accurate = false;
    DECIDES(SCF_STEP_DIIS);
    history.is_accurate = true;
    conditions.is_closed_shell = false;
    DECIDES(SCF_STEP_DIIS);
}

TEST(a_stall_changes_the_method)
{
    begin();
    for (int i = 0; i < 7; i++)
        scf_history_advance(&history);
    DECIDES(SCF_STEP_DIIS); /* the first of them made progress */
    for (int i = 0; i < 2; i++)
        scf_history_advance(&history);
    DECIDES(SCF_STEP_NEWTON);
    settings.second_order = SCF_NEVER;
    DECIDES(SCF_STEP_DIIS);
    settings.second_order = SCF_AUTO;
    settings.keep_occupation = true;
    DECIDES(SCF_STEP_DIIS);
    settings.keep_occupation = false;
    conditions.has_rotations = false;
    DECIDES(SCF_STEP_DIIS);
}

TEST(many_iterations_of_diis_are_enough)
{
    begin();
    history.iteration = 61;
    DECIDES(SCF_STEP_NEWTON);
    history.n_iterations = settings.max_iterations;
    DECIDES(SCF_ENDS);
}

/* Also where DIIS would not change to them, as after a descent. */
TEST(newton_steps_stay_in_charge)
{
    begin_right_energy(-1e-3);
    history.method = SCF_BY_NEWTON;
    settings.second_order = SCF_NEVER;
    DECIDES(SCF_STEP_NEWTON);
    history.change = -5e-9;
    DECIDES(SCF_STEP_NEWTON);
    history.change = -1e-10;
    DECIDES(SCF_TEST);
}

/* Stuck: first an accurate build; then a flat surface is as good as converged. */
TEST(a_stuck_newton_step)
{
    begin();
    history.method = SCF_BY_NEWTON;
    history.is_canonical = history.is_stuck = true;
    history.is_accurate = false;
    history.rounding = 1e-13;
    history.gain_missed = -1e-12;
    DECIDES(SCF_REBUILD);
    history.is_accurate = true;
    DECIDES(SCF_ENDS_STUCK);
    history.gradient = 1e-6;
    DECIDES(SCF_TEST);
    history.gain_missed = -1e-8;
    DECIDES(SCF_ENDS_STUCK);
    history.rounding = 1e-5;
    DECIDES(SCF_ENDS_ROUNDED);
}
