/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_choice.h"

#include "support/base/log.h"

#include <float.h>
#include <math.h>

enum {
    PATIENCE = 8,         /* iterations that DIIS may go without progress, those in which the
                           * energy is above the lowest so far counted twice */
    DIIS_ITERATIONS = 60, /* after which it is given up in any case */
};

/* A gradient above this is not an effect of screening. */
#define NOISY_GRADIENT 1e-5

/* Where a shell is partly filled, turning it can leave the energy almost as it is. A gradient and
 * a predicted gain below these, which no step makes smaller, are such a rotation. */
#define FLAT_GRADIENT 1e-5
#define FLAT_ENERGY   1e-9

/* The energy is right where the changes to come are estimated at this fraction of its error, if
 * they shrink to at most so much in an iteration. */
#define CHANGES_LEFT    0.25
#define LEAST_SHRINKING 0.25

/* That fraction of the error where the gain of the next second-order step is estimated. */
#define GAIN_LEFT 0.1

/* DIIS makes progress when the gradient falls below this fraction of the least so far. */
#define PROGRESS 0.7

/* Rounding errors of a gradient, in those of F: 2 were seen of H2O, in cc-pvdz. */
#define ROUNDED 10

/* Smallest rise of the energy above the lowest so far that counts as one, hartree. */
#define ENERGY_RISE 1e-5

/* Quasi-Newton steps begin below this gradient, at orbitals that are near the final ones, and give
 * way to second-order steps after so many iterations without progress: DIIS would fill the lowest
 * orbitals anew, which need not be those of this minimum. */
#define QUASI_NEWTON_GRADIENT 0.03
enum { QUASI_NEWTON_PATIENCE = 4 };

/* How far the energy is above the stationary point, to second order: with the weight w of
 * scf_hessian.h, and c for the lowest curvature, w |g|^2 / (2 c) at most. */
static double estimate_energy_error(const struct scf_solver *solver)
{
    double norm = solver->state->norm;
    return solver->basis->occupation * norm * norm / solver->curvature;
}

/* Whether the changes of the energy to come are small by an estimate: they shrink like the square
 * of the gradient, to r in an iteration, and add up to c r / (1 - r) after a change of c. For steps
 * of DIIS, which shrink evenly, and closed shells: the test of stability of open ones needs a
 * smaller gradient. Where the build was not accurate, one more would follow, which another step is
 * worth. */
static bool are_changes_shrinking(const struct scf_solver *solver, double error)
{
    double change = fabs(solver->now.change), step = solver->state->norm / solver->last_norm;
    double r = step * step, left = CHANGES_LEFT * error;
    return solver->basis->n_spins == 1 && !solver->second_order && solver->state->accurate &&
           r < LEAST_SHRINKING && change * r < left * (1 - r) &&
           estimate_energy_error(solver) < left;
}

/* Whether the next second-order step would gain next to nothing: it knows the soft modes that steps
 * of DIIS do not. */
static bool is_little_left(const struct scf_solver *solver, double error)
{
    return solver->second_order && solver->left < GAIN_LEFT * error;
}

/* Where the gradient falls, an iteration gains less than the last one, whose change of the energy
 * bounds what is left. Where it does not, a soft mode is left, of which neither knows. */
static bool is_energy_right(const struct scf_solver *solver)
{
    double error = solver->settings->energy_error;
    return error > 0 && !solver->needs_gradient && solver->now.iteration > 1 &&
           (fabs(solver->now.change) < error || are_changes_shrinking(solver, error) ||
            is_little_left(solver, error)) &&
           estimate_energy_error(solver) < error &&
           solver->state->norm < PROGRESS * solver->last_norm;
}

bool scf_choice_is_stationary(const struct scf_solver *solver)
{
    return solver->state->idempotent &&
           (solver->is_flat || solver->state->gradient < solver->settings->converge ||
            is_energy_right(solver));
}

void scf_choice_take_curvature(struct scf_solver *solver, const struct scf_curvature *curvature)
{
    bool open = scf_curvature_verdict(curvature) == SCF_VERDICT_NOT_SETTLED;
    solver->is_tested = !open;
    if (open || curvature->eigenvalue <= 0)
        solver->needs_gradient = true;
    else
        solver->curvature = fmin(solver->curvature, curvature->eigenvalue);
}

/* Whether the gradient, U^T F U_o with orthonormal U, is rounding errors of its sums. */
static bool is_gradient_rounded(const struct scf_solver *solver)
{
    double square = 0;
    for (int s = 0; s < solver->basis->n_spins; s++)
        square += dense_dot(solver->state->F[s], solver->state->F[s]);
    return solver->state->gradient < ROUNDED * DBL_EPSILON * sqrt(square);
}

enum status scf_choice_judge_flatness(struct scf_solver *solver, const struct scf_step *step)
{
    double gradient = solver->state->gradient;
    if (is_gradient_rounded(solver))
        return FAIL(STATUS_NOT_CONVERGED,
                    "the orbital gradient is %.1e, no more than rounding errors: --converge %g is "
                    "out of reach, take %.0e",
                    gradient, solver->settings->converge, 10 * gradient);
    if (gradient >= FLAT_GRADIENT || fabs(step->predicted) >= FLAT_ENERGY)
        return FAIL(STATUS_NOT_CONVERGED,
                    "no step lowers the energy, but the orbital gradient is still %.1e: try a "
                    "smaller --screen",
                    gradient);
    log_print("      the remaining gradient lies along a free rotation, which would change the "
              "energy by %.0e hartree\n",
              step->predicted);
    solver->is_flat = true;
    return STATUS_OK;
}

static void count_progress(struct scf_solver *solver)
{
    const struct scf_state *state = solver->state;
    if (!state->idempotent)
        return;
    bool rose = state->energy > solver->best_energy + ENERGY_RISE;
    if (state->energy < solver->best_energy && !solver->quasi_newton) {
        solver->best_energy = state->energy;
        for (int s = 0; s < solver->basis->n_spins; s++)
            dense_copy(state->U_o[s], solver->U_best[s]);
    }
    if (state->gradient < PROGRESS * solver->least_gradient) {
        solver->least_gradient = state->gradient;
        solver->n_without_progress = 0;
    } else {
        solver->n_without_progress += rose ? 2 : 1;
    }
}

/* A stall close to convergence is first taken as noise of incremental builds. */
static void suspect_noise(struct scf_solver *solver)
{
    if (solver->n_without_progress < PATIENCE || solver->fock->always_full ||
        solver->least_gradient > NOISY_GRADIENT)
        return;
    solver->fock->always_full = true;
    solver->n_without_progress = 0;
}

void scf_choice_watch(struct scf_solver *solver)
{
    count_progress(solver);
    suspect_noise(solver);
}

bool scf_choice_second_order(const struct scf_solver *solver)
{
    if (solver->second_order)
        return true;
    if (solver->occupation) /* their steps down would lead away from the kept state */
        return false;
    if (!solver->state->idempotent || !scf_rotation_exists(solver->basis) ||
        solver->settings->second_order == SCF_NEVER)
        return false;
    return solver->settings->second_order == SCF_ALWAYS || solver->quasi_newton_failed ||
           solver->n_without_progress >= PATIENCE ||
           scf_solver_n_iterations(solver) > DIIS_ITERATIONS;
}

bool scf_choice_quasi_newton(const struct scf_solver *solver)
{
    const struct scf_settings *settings = solver->settings;
    if (solver->quasi_newton)
        return true;
    return !solver->quasi_newton_failed && !solver->occupation &&
           solver->basis->n_functions >= settings->quasi_newton_from && settings->damping == 0 &&
           settings->level_shift == 0 && solver->state->idempotent &&
           solver->state->gradient < QUASI_NEWTON_GRADIENT &&
           scf_quasi_newton_applies(solver->basis);
}

bool scf_choice_leaves_quasi_newton(const struct scf_solver *solver)
{
    return solver->quasi_newton && solver->n_without_progress >= QUASI_NEWTON_PATIENCE;
}

bool scf_choice_tests_minimum(const struct scf_solver *solver)
{
    return scf_rotation_exists(solver->basis) && !solver->is_tested &&
           scf_tests_stability(solver->settings, solver->basis->n_spins,
                               solver->basis->n_functions);
}
