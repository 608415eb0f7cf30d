/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_decide.h"

#include <math.h>

/* Lowest curvature of molecules that are stable, hartree, until one is measured. */
#define LIKELY_CURVATURE 0.45

/* DIIS often recovers within so many iterations without progress. An SCF of so many iterations is one that
 * Newton steps end sooner. */
enum { PATIENCE = 8, DIIS_ITERATIONS = 60 };

/* Where a shell is partly filled, turning it can leave the energy almost as it is. A gradient and
 * a predicted gain below these, which no step makes smaller, are such a rotation. */
#define FLAT_GRADIENT 1e-5
#define FLAT_ENERGY   1e-9

/* The changes to come may be this fraction of the energy's error, and */
#define CHANGES_LEFT 0.25
/* are estimated where they shrink to at most this fraction in an iteration. */
#define LEAST_SHRINKING 0.25

/* DIIS makes progress when the gradient falls below this fraction of the least so far. */
#define PROGRESS 0.7

void scf_history_init(struct scf_history *history)
{
    *history = (struct scf_history){
        .best_energy = INFINITY, .least_gradient = INFINITY, .curvature = LIKELY_CURVATURE};
}

/* --- what an iteration or a test adds --- */

void scf_history_advance(struct scf_history *history)
{
    history->is_tested = history->is_stuck = false;
    if (!history->has_orbitals)
        return;
    history->best_energy = fmin(history->best_energy, history->energy);
    if (history->gradient < PROGRESS * history->least_gradient) {
        history->least_gradient = history->gradient;
        history->n_without_progress = 0;
    } else {
        history->n_without_progress++;
    }
}

void scf_history_resume(struct scf_history *history)
{
    history->is_tested = history->is_stuck = false;
    history->best_energy = fmin(history->best_energy, history->energy);
}

void scf_history_take_test(struct scf_history *history, const struct scf_curvature *curvature)
{
    history->is_tested = true;
    if (scf_curvature_verdict(curvature) == SCF_VERDICT_NOT_SETTLED)
        history->test = SCF_TEST_OPEN;
    else if (curvature->eigenvalue <= 0)
        history->test = SCF_TEST_SADDLE;
    else
        history->test = SCF_TEST_MINIMUM;
    if (history->test == SCF_TEST_MINIMUM)
        history->curvature = fmin(history->curvature, curvature->eigenvalue);
}

void scf_history_forget_test(struct scf_history *history)
{
    history->test = SCF_UNTESTED;
    history->curvature = LIKELY_CURVATURE;
}

/* --- whether the state is good enough --- */

/* How far the energy is above the stationary point, about, to second order: with the weight w of
 * scf_hessian.h, twice the electrons of an orbital, and the lowest curvature c: w |g|^2 / (2 c). */
static double estimate_energy_error(const struct scf_history *history,
                                    const struct scf_conditions *conditions)
{
    return conditions->electrons_per_orbital * history->norm * history->norm / history->curvature;
}

/* Whether the changes of the energy to come are small by an estimate: they shrink like the square
 * of the gradient, to r in an iteration, and add up to c r / (1 - r) after a change of c. For steps
 * of DIIS, which shrink evenly, and closed shells: the test of stability of open ones needs a
 * smaller gradient. Where the build was not accurate, one more would follow, which another step is
 * worth. */
static bool are_changes_shrinking(const struct scf_history *history,
                                  const struct scf_conditions *conditions)
{
    double step = history->norm / history->last_norm, r = step * step;
    double change = fabs(history->change), left = CHANGES_LEFT * conditions->criterion.energy_error;
    return conditions->is_closed_shell && history->method != SCF_BY_NEWTON &&
           history->is_accurate && r < LEAST_SHRINKING && change * r < left * (1 - r) &&
           estimate_energy_error(history, conditions) < left;
}

/* Where the gradient falls, an iteration gains less than the last one, whose change of the energy
 * bounds what is left. Where it does not, a soft mode is left that neither estimate sees. A test of
 * stability that leaves the energy's error open asks for the gradient of the settings. */
static bool is_energy_right(const struct scf_history *history,
                            const struct scf_conditions *conditions)
{
    double error = conditions->criterion.energy_error;
    bool needs_gradient = history->test == SCF_TEST_OPEN || history->test == SCF_TEST_SADDLE;
    return error > 0 && !needs_gradient &&
           (fabs(history->change) < error || are_changes_shrinking(history, conditions)) &&
           estimate_energy_error(history, conditions) < error &&
           history->norm < PROGRESS * history->last_norm;
}

bool scf_history_is_flat(const struct scf_history *history)
{
    return history->is_stuck && history->is_accurate && history->gradient >= history->rounding &&
           history->gradient < FLAT_GRADIENT && fabs(history->gain_missed) < FLAT_ENERGY;
}

static bool is_stationary(const struct scf_history *history,
                          const struct scf_conditions *conditions)
{
    return history->has_orbitals &&
           (history->gradient < conditions->criterion.gradient || scf_history_is_flat(history) ||
            is_energy_right(history, conditions));
}

/* Confirms a stationary state by an accurate build and a test of stability, where that is due. */
static enum scf_action confirm(const struct scf_history *history,
                               const struct scf_conditions *conditions)
{
    bool is_known = history->test == SCF_TEST_MINIMUM || history->test == SCF_TEST_SADDLE;
    if (!history->is_accurate || !history->is_canonical)
        return SCF_REBUILD;
    return conditions->tests_stability && !is_known && !history->is_tested ? SCF_TEST : SCF_DONE;
}

/* --- the next step --- */

/* A kept occupation is left by the descent from a saddle point only, if that is followed. */
static bool is_newton_due(const struct scf_history *history,
                          const struct scf_conditions *conditions)
{
    const struct scf_settings *settings = conditions->settings;
    if (history->method == SCF_BY_NEWTON)
        return true;
    if (settings->keep_occupation || !history->has_orbitals || !conditions->has_rotations ||
        settings->second_order == SCF_NEVER)
        return false;
    return settings->second_order == SCF_ALWAYS || history->n_without_progress >= PATIENCE ||
           history->iteration > DIIS_ITERATIONS;
}

enum scf_action scf_decide(const struct scf_history *history,
                           const struct scf_conditions *conditions)
{
    if (is_stationary(history, conditions))
        return confirm(history, conditions);
    if (history->is_stuck && !history->is_accurate)
        return SCF_REBUILD;
    if (history->is_stuck)
        return history->gradient < history->rounding ? SCF_ENDS_ROUNDED : SCF_ENDS_STUCK;
    if (history->n_iterations >= conditions->settings->max_iterations)
        return SCF_ENDS;
    return is_newton_due(history, conditions) ? SCF_STEP_NEWTON : SCF_STEP_DIIS;
}
