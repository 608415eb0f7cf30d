/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_solver.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_restart.h"
#include "hf/scf/scf_stability.h"
#include "support/base/clock.h"
#include "support/base/log.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    DAMPED_ITERATIONS = 10,
    PATIENCE = 8,         /* iterations that DIIS may go without progress, those in which the
                           * energy is above the lowest so far counted twice */
    DIIS_ITERATIONS = 60, /* after which it is given up in any case */
};

/* Damping ends when the gradient is below this. */
#define DAMPED_GRADIENT 0.02

/* A gradient above this is not an effect of screening. */
#define NOISY_GRADIENT 1e-5

/* Where a shell is partly filled, turning it can leave the energy almost as it is. A gradient and
 * a predicted gain below these, which no step makes smaller, are such a rotation. */
#define FLAT_GRADIENT 1e-5
#define FLAT_ENERGY   1e-9

/* Rounding errors of a gradient, in those of F: 2 were seen of H2O, in cc-pvdz. */
#define ROUNDED 10

/* Smallest rise of the energy above the lowest so far that counts as one, hartree. */
#define ENERGY_RISE 1e-5

/* Quasi-Newton steps begin below this gradient, at orbitals that are near the final ones, and give
 * way to second-order steps after so many iterations without progress: DIIS would fill the lowest
 * orbitals anew, which need not be those of this minimum. */
#define QUASI_NEWTON_GRADIENT 0.03
enum { QUASI_NEWTON_PATIENCE = 4 };

/* DIIS makes progress when the gradient falls below this fraction of the least so far. */
#define PROGRESS 0.7

static enum status create_diis(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    return diis_create(basis->problem->grid, basis->n_spins, basis->n_orbitals,
                       solver->settings->diis_size, &solver->diis);
}

/* U_best and, with damping, F_damped; their number. */
enum { MAX_MEMBERS = 2 };
static int list_solver_matrices(const struct scf_basis *basis, const struct scf_settings *settings,
                                int spin, struct scf_solver *solver,
                                struct dense_member members[MAX_MEMBERS])
{
    int64_t m = basis->n_orbitals;
    members[0] = (struct dense_member){&solver->U_best[spin], m, basis->n_occupied[spin]};
    members[1] = (struct dense_member){&solver->F_damped[spin], m, m};
    return settings->damping > 0 ? 2 : 1;
}

struct memory_need scf_solver_bytes(const struct scf_basis *plan,
                                    const struct scf_settings *settings, int n_processes)
{
    const struct scf_problem *problem = plan->problem;
    bool of_spins = scf_tests_stability(settings, plan->n_spins, plan->n_functions);
    struct scf_solver solver;
    struct memory_need need = scf_fock_bytes(problem, of_spins, n_processes);
    need.own_bytes += (double)scf_state_bytes(plan);
    for (int s = 0; s < plan->n_spins; s++) {
        struct dense_member members[MAX_MEMBERS];
        int n = list_solver_matrices(plan, settings, s, &solver, members);
        need.own_bytes +=
            (double)(dense_members_bytes(problem->grid, n, members) +
                     dense_bytes(problem->grid, plan->n_functions, plan->n_orbitals)); /* result */
    }
    return need;
}

enum status scf_solver_init(struct scf_solver *solver, struct darray *const scratch[])
{
    const struct scf_basis *basis = solver->basis;
    solver->best_energy = INFINITY;
    solver->least_gradient = INFINITY;
    for (int s = 0; s < basis->n_spins; s++) {
        struct dense_member members[MAX_MEMBERS];
        int n = list_solver_matrices(basis, solver->settings, s, solver, members);
        TRY(dense_create_members(basis->problem->grid, n, members));
    }
    TRY(scf_fock_create(basis->problem, scratch, &solver->fock));
    TRY(scf_state_create(basis, &solver->state));
    TRY(create_diis(solver));
    return solver->settings->restart ? scf_restart_read(solver) : STATUS_OK;
}

void scf_solver_fini(struct scf_solver *solver)
{
    for (int s = 0; s < 2; s++) {
        dense_destroy(solver->U_best[s]);
        dense_destroy(solver->F_damped[s]);
    }
    scf_quasi_newton_destroy(solver->quasi_newton);
    scf_second_order_destroy(solver->second_order);
    diis_destroy(solver->diis);
    scf_state_destroy(solver->state);
    scf_fock_destroy(solver->fock);
}

static bool is_stationary(const struct scf_solver *solver)
{
    return solver->state->idempotent &&
           (solver->is_flat || solver->state->gradient < solver->settings->converge);
}

enum status scf_solver_expand_orbitals(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    for (int s = 0; s < basis->n_spins; s++) {
        struct dense **C = &solver->result->orbitals[s];
        if (!*C)
            TRY(dense_create(basis->problem->grid, basis->n_functions, basis->n_orbitals, C));
        if (solver->quasi_newton)
            TRY(scf_quasi_newton_orbitals(solver->quasi_newton, s, *C));
        else
            scf_basis_expand(basis, solver->state->U[s], *C);
    }
    return STATUS_OK;
}

enum status scf_solver_write_checkpoint(struct scf_solver *solver)
{
    /* A guess density has no orbitals yet. */
    if (!solver->settings->checkpoint || !solver->state->idempotent)
        return STATUS_OK;
    TRY(scf_solver_expand_orbitals(solver));
    struct checkpoint_orbitals orbitals = {
        .n_orbitals = solver->basis->n_orbitals,
        .orbitals = {solver->result->orbitals[0], solver->result->orbitals[1]},
        .orbital_energies = {solver->state->orbital_energies[0],
                             solver->state->orbital_energies[1]},
        .energy = solver->state->energy,
        .solver = "SCF",
        .iteration = solver->result->iterations,
        .add = scf_restart_add,
        .add_context = solver,
        .add_bytes = scf_restart_bytes(solver->basis, diis_n_steps(solver->diis), 0),
    };
    solver->is_written = true;
    checkpoint_write_or_warn(solver->settings->checkpoint, solver->basis->problem, &orbitals);
    return STATUS_OK;
}

/* Counts the resumed run's iterations; its last one is re-evaluated. */
static int64_t count_all_iterations(const struct scf_solver *solver)
{
    return solver->n_before + solver->now.iteration;
}

/* Ends an iteration: a line, the observer, the checkpoint. */
static enum status record_iteration(struct scf_solver *solver)
{
    struct scf_iteration *now = &solver->now;
    double elapsed_s = clock_now_s() - solver->started_s;
    now->change = now->iteration == 1 ? 0 : solver->state->energy - now->energy;
    now->energy = solver->state->energy;
    now->gradient = solver->state->gradient;
    now->n_builds = solver->fock->n_builds - now->n_builds;
    now->fock_seconds = solver->fock->seconds - now->fock_seconds;
    now->algebra_seconds = elapsed_s - now->fock_seconds;
    scf_report_iteration(now);
    if (solver->settings->observe)
        solver->settings->observe(now, solver->settings->observe_context);
    solver->result->iterations = now->iteration;
    solver->is_written = false;
    return count_all_iterations(solver) % solver->settings->checkpoint_every == 0
               ? scf_solver_write_checkpoint(solver)
               : STATUS_OK;
}

static void start_iteration(struct scf_solver *solver, const char *method)
{
    solver->now.iteration++;
    solver->now.method = method;
    solver->now.n_builds = solver->fock->n_builds;
    solver->now.fock_seconds = solver->fock->seconds;
    solver->started_s = clock_now_s();
}

/* The guess density; if it is one of orbitals already, as after a restart, they are
 * found, so that a converged one is seen to be. */
static enum status evaluate_guess(struct scf_solver *solver, struct darray *const D[])
{
    start_iteration(solver, "guess");
    TRY(scf_state_from_tiles(solver->basis, D, solver->fock, solver->state));
    TRY(scf_state_build_density(solver->basis, solver->fock, true, solver->state));
    if (solver->state->idempotent)
        TRY(scf_state_canonicalise(solver->basis, solver->state));
    scf_state_gradient(solver->basis, solver->state);
    return STATUS_OK;
}

/* Turns the state's F into the matrix to diagonalise: the extrapolation by DIIS, damped while far
 * away, its virtual space (the complement of P) raised by the level shift. The state's U, which the
 * diagonalisation sets, is scratch. */
static enum status prepare_diis(struct scf_solver *solver)
{
    const struct scf_settings *settings = solver->settings;
    const struct scf_state *state = solver->state;
    int n_spins = solver->basis->n_spins;
    for (int s = 0; s < n_spins && state->idempotent; s++)
        scf_state_commutator(solver->basis, state, s, state->U[s]);
    if (state->idempotent)
        diis_push(solver->diis, state->F, state->U);
    if (diis_n_steps(solver->diis) > 1)
        TRY(diis_extrapolate(solver->diis, solver->basis->work_mm[0], state->F));
    bool damp = settings->damping > 0 && count_all_iterations(solver) <= DAMPED_ITERATIONS &&
                state->gradient > DAMPED_GRADIENT;
    for (int s = 0; s < n_spins; s++) {
        if (damp && solver->has_damped)
            dense_add(settings->damping, solver->F_damped[s], 1 - settings->damping, state->F[s]);
        if (settings->damping > 0)
            dense_copy(state->F[s], solver->F_damped[s]);
        if (settings->level_shift > 0 && state->idempotent)
            dense_multiply('N', 'T', -settings->level_shift, state->U_o[s], state->U_o[s], 1,
                           state->F[s]);
    }
    solver->has_damped = settings->damping > 0;
    return STATUS_OK;
}

static enum status diis_step(struct scf_solver *solver)
{
    start_iteration(solver, "DIIS");
    if (!solver->diis)
        TRY(create_diis(solver));
    TRY(prepare_diis(solver));
    TRY(scf_state_diagonalise(solver->basis, solver->state->F, solver->state));
    TRY(scf_state_build(solver->basis, solver->fock, false, solver->state));
    scf_state_gradient(solver->basis, solver->state);
    return STATUS_OK;
}

/* Leaves the quasi-Newton steps; the orbitals are to be made canonical. */
static enum status finish_quasi_newton(struct scf_solver *solver)
{
    if (!solver->quasi_newton)
        return STATUS_OK;
    enum status status = scf_quasi_newton_finish(solver->quasi_newton);
    scf_quasi_newton_destroy(solver->quasi_newton);
    solver->quasi_newton = NULL;
    return status;
}

/* Leaves them for another method. */
static enum status leave_quasi_newton(struct scf_solver *solver)
{
    if (!solver->quasi_newton)
        return STATUS_OK;
    TRY(finish_quasi_newton(solver));
    TRY(scf_state_canonicalise(solver->basis, solver->state));
    scf_state_gradient(solver->basis, solver->state);
    return STATUS_OK;
}

/* The vectors of DIIS over Fock matrices make room. */
static enum status quasi_newton_step(struct scf_solver *solver)
{
    start_iteration(solver, "quasi-Newton");
    diis_destroy(solver->diis);
    solver->diis = NULL;
    if (!solver->quasi_newton)
        TRY(scf_quasi_newton_create(solver->basis, solver->fock, solver->state,
                                    solver->settings->diis_size, &solver->quasi_newton));
    return scf_quasi_newton_step(solver->quasi_newton);
}

/* Builds F anew from the full density and finds canonical orbitals. */
static enum status build_from_full_density(struct scf_solver *solver)
{
    bool was_full = solver->state->full;
    if (!was_full)
        TRY(scf_state_build(solver->basis, solver->fock, true, solver->state));
    TRY(scf_state_canonicalise(solver->basis, solver->state));
    scf_state_gradient(solver->basis, solver->state);
    if (!was_full)
        log_print("      full build: energy %.10f, gradient %.2e\n", solver->state->energy,
                  solver->state->gradient);
    return STATUS_OK;
}

/* In place of DIIS, whose vectors make room. */
static enum status need_second_order(struct scf_solver *solver)
{
    if (solver->second_order)
        return STATUS_OK;
    diis_destroy(solver->diis);
    solver->diis = NULL;
    return scf_second_order_create(solver->basis, solver->fock, &solver->second_order);
}

/* Puts the second-order method in charge, at the best state so far. */
static enum status begin_second_order(struct scf_solver *solver)
{
    if (solver->state->energy > solver->best_energy) {
        for (int s = 0; s < solver->basis->n_spins; s++)
            dense_copy(solver->U_best[s], solver->state->U_o[s]);
        solver->state->full = false;
    }
    TRY(build_from_full_density(solver));
    return need_second_order(solver);
}

/* Whether the gradient, U^T F U_o with orthonormal U, is rounding errors of its sums. */
static bool is_gradient_rounded(const struct scf_solver *solver)
{
    double square = 0;
    for (int s = 0; s < solver->basis->n_spins; s++)
        square += dense_dot(solver->state->F[s], solver->state->F[s]);
    return solver->state->gradient < ROUNDED * DBL_EPSILON * sqrt(square);
}

/* Where no step leads lower from a state that was built in full: *is_flat, the state is as good as
 * converged. */
static enum status judge_flatness(const struct scf_solver *solver, const struct scf_step *step,
                                  bool *is_flat)
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
    *is_flat = true;
    return STATUS_OK;
}

static enum status second_order_step(struct scf_solver *solver)
{
    struct scf_step step;
    start_iteration(solver, "second order");
    if (!solver->second_order)
        TRY(begin_second_order(solver));
    TRY(scf_second_order_step(solver->second_order, &solver->state, &step));
    if (step.moved || is_stationary(solver))
        return STATUS_OK;
    if (solver->state->full)
        return judge_flatness(solver, &step, &solver->is_flat);
    return build_from_full_density(solver);
}

/* Remembers the best state and watches DIIS. */
static void watch_progress(struct scf_solver *solver)
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

static bool wants_second_order(const struct scf_solver *solver)
{
    if (solver->second_order)
        return true;
    if (!solver->state->idempotent || !scf_rotation_exists(solver->basis) ||
        solver->settings->second_order == SCF_NEVER)
        return false;
    return solver->settings->second_order == SCF_ALWAYS || solver->quasi_newton_failed ||
           solver->n_without_progress >= PATIENCE || count_all_iterations(solver) > DIIS_ITERATIONS;
}

static bool wants_quasi_newton(const struct scf_solver *solver)
{
    const struct scf_settings *settings = solver->settings;
    if (solver->quasi_newton)
        return true;
    return !solver->quasi_newton_failed &&
           solver->basis->n_functions >= settings->quasi_newton_from && settings->damping == 0 &&
           settings->level_shift == 0 && solver->state->idempotent &&
           solver->state->gradient < QUASI_NEWTON_GRADIENT &&
           scf_quasi_newton_applies(solver->basis);
}

/* Another step by the method that is due. */
static enum status take_step(struct scf_solver *solver)
{
    if (solver->quasi_newton && solver->n_without_progress >= QUASI_NEWTON_PATIENCE) {
        solver->quasi_newton_failed = true;
        TRY(leave_quasi_newton(solver));
    }
    if (wants_second_order(solver)) {
        TRY(leave_quasi_newton(solver));
        return second_order_step(solver);
    }
    return wants_quasi_newton(solver) ? quasi_newton_step(solver) : diis_step(solver);
}

static bool wants_stability(const struct scf_solver *solver)
{
    return scf_rotation_exists(solver->basis) &&
           scf_tests_stability(solver->settings, solver->basis->n_spins,
                               solver->basis->n_functions);
}

/* Goes downhill from the saddle point at the state, if a lower energy is found; the curvatures no
 * longer are the result's then. */
static enum status leave_saddle(struct scf_solver *solver, const struct scf_stability *stability,
                                bool *moved)
{
    struct scf_result *result = solver->result;
    struct scf_saddle saddle = {solver->state->energy,
                                stability->curvature[solver->basis->n_spins - 1].eigenvalue};
    start_iteration(solver, "descent");
    TRY(need_second_order(solver));
    TRY(scf_second_order_descend(solver->second_order, &stability->direction, saddle.curvature,
                                 &solver->state, moved));
    TRY(record_iteration(solver));
    if (!*moved) {
        log_print("      no lower energy was found along its direction: the SCF ends here\n");
        return STATUS_OK;
    }
    solver->is_flat = false;
    memset(result->curvature, 0, sizeof result->curvature);
    result->saddles[result->n_saddles++] = saddle;
    return STATUS_OK;
}

/* The lowest curvatures at the state; if it is a saddle, descends from it where that is possible.
 * *moved: the iterations must continue. */
static enum status check_minimum(struct scf_solver *solver, bool *moved)
{
    struct scf_hessian hessian;
    struct scf_stability stability;
    int n_spins = solver->basis->n_spins;
    *moved = false;
    TRY(scf_hessian_init(solver->basis, solver->fock, solver->state, &hessian));
    enum status status = scf_stability_init(&hessian, &stability);
    scf_hessian_fini(&hessian);
    TRY(status);
    memcpy(solver->result->curvature, stability.curvature, sizeof stability.curvature);
    scf_report_stability(n_spins, stability.curvature, stability.n_builds);
    bool is_saddle =
        scf_curvature_verdict(&stability.curvature[n_spins - 1]) == SCF_VERDICT_UNSTABLE;
    if (is_saddle && solver->result->n_saddles < SCF_MAX_SADDLES)
        status = leave_saddle(solver, &stability, moved);
    else if (is_saddle)
        log_print("      %d saddle points were left already: the SCF ends here\n", SCF_MAX_SADDLES);
    scf_stability_fini(&stability);
    return status;
}

/* Called where the gradient is small enough: confirms it with a full build, and leaves a saddle
 * point. *done is false if the iterations must continue. */
static enum status confirm_minimum(struct scf_solver *solver, bool *done)
{
    *done = false;
    TRY(finish_quasi_newton(solver));
    TRY(build_from_full_density(solver));
    if (!is_stationary(solver))
        return STATUS_OK;
    bool moved = false;
    if (wants_stability(solver))
        TRY(check_minimum(solver, &moved));
    *done = !moved;
    return STATUS_OK;
}

static enum status iterate_orbitals(struct scf_solver *solver, struct darray *const D[])
{
    TRY(evaluate_guess(solver, D));
    TRY(record_iteration(solver));
    for (;;) {
        watch_progress(solver);
        suspect_noise(solver);
        while (is_stationary(solver)) {
            TRY(confirm_minimum(solver, &solver->result->converged));
            if (solver->result->converged)
                return scf_solver_write_checkpoint(solver); /* the orbitals are canonical now */
        }
        if (solver->now.iteration >= solver->settings->max_iterations)
            return FAIL(STATUS_NOT_CONVERGED,
                        "not converged after %lld iteration%s: the orbital gradient is %.1e",
                        (long long)solver->now.iteration, log_plural(solver->now.iteration),
                        solver->state->gradient);
        TRY(take_step(solver));
        TRY(record_iteration(solver));
    }
}

enum status scf_solver_iterate(struct scf_solver *solver, struct darray *const D[])
{
    enum status status = iterate_orbitals(solver, D);
    if (status != STATUS_NOT_CONVERGED)
        return status;
    struct status_kept failure = status_keep();
    TRY(leave_quasi_newton(solver));
    if (!solver->is_written)
        TRY(scf_solver_write_checkpoint(solver));
    status_restore(&failure);
    return status;
}
