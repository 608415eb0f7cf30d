/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_solver.h"

#include "hf/scf/scf_report.h"
#include "hf/scf/scf_stability.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/mpi/wall_time.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Damping ends after so many iterations, or when the gradient is below this: it is for the way to the
 * region where DIIS converges by itself. */
enum { DAMPED_ITERATIONS = 10 };
#define DAMPED_GRADIENT 0.02

/* Rounding errors of a gradient in units of F's rounding error, with a margin. */
#define ROUNDED 10

static enum status create_diis(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    return diis_create(basis->problem->grid, basis->problem->n_densities, basis->n_orbitals,
                       scf_diis_size(solver->settings, basis->problem), &solver->diis);
}

/* U_best and, with damping, F_damped; their number. */
enum { MAX_SOLVER_MEMBERS = 2 };
static int list_solver_matrices(const struct scf_basis *basis, const struct scf_settings *settings,
                                int spin, struct scf_solver *solver,
                                struct dense_member members[MAX_SOLVER_MEMBERS])
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
    int n_matrices = scf_matrices_at_once(settings, problem);
    struct scf_solver solver;
    struct memory_need need = scf_fock_bytes(problem, n_matrices, n_processes);
    need.own_bytes += (double)scf_state_bytes(plan);
    if (settings->keep_occupation)
        need.own_bytes += (double)scf_occupation_bytes(plan);
    for (int s = 0; s < plan->problem->n_densities; s++) {
        struct dense_member members[MAX_SOLVER_MEMBERS];
        int n = list_solver_matrices(plan, settings, s, &solver, members);
        need.own_bytes +=
            (double)(dense_members_bytes(problem->grid, n, members) +
                     dense_bytes(problem->grid, plan->n_functions, plan->n_orbitals)); /* result */
        if (scf_is_rohf(problem) && !settings->energy_alone) /* semicanonical orbitals and F */
            need.own_bytes += (double)dense_bytes(problem->grid, plan->n_functions,
                                                  2 * (int64_t)plan->n_orbitals);
    }
    return need;
}

static struct scf_conditions conditions_of(const struct scf_basis *basis,
                                           const struct scf_settings *settings)
{
    bool has_rotations = scf_rotation_exists(basis);
    return (struct scf_conditions){
        .settings = settings,
        .criterion = scf_criterion(settings, fock_threshold(basis->problem->fock)),
        .is_closed_shell = basis->problem->n_densities == 1,
        .electrons_per_orbital = basis->problem->electrons_per_orbital,
        .has_rotations = has_rotations,
        .tests_stability = has_rotations && scf_tests_stability(settings, basis->problem),
    };
}

enum status scf_solver_init(struct scf_solver *solver, struct darray *const scratch[])
{
    const struct scf_basis *basis = solver->basis;
    solver->conditions = conditions_of(basis, solver->settings);
    scf_history_init(&solver->history);
    for (int s = 0; s < basis->problem->n_densities; s++) {
        struct dense_member members[MAX_SOLVER_MEMBERS];
        int n = list_solver_matrices(basis, solver->settings, s, solver, members);
        TRY(dense_create_members(basis->problem->grid, n, members));
    }
    TRY(scf_fock_create(basis->problem, scratch, &solver->fock));
    TRY(scf_state_create(basis, &solver->state));
    TRY(create_diis(solver));
    if (solver->settings->keep_occupation)
        TRY(scf_occupation_create(basis, &solver->occupation));
    return solver->settings->restart ? scf_restart_read(solver) : STATUS_OK;
}

void scf_solver_fini(struct scf_solver *solver)
{
    for (int s = 0; s < 2; s++) {
        dense_destroy(solver->U_best[s]);
        dense_destroy(solver->F_damped[s]);
    }
    scf_occupation_destroy(solver->occupation);
    scf_second_order_destroy(solver->second_order);
    diis_destroy(solver->diis);
    scf_state_destroy(solver->state);
    scf_fock_destroy(solver->fock);
}

enum status scf_solver_expand_orbitals(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        struct dense **C = &solver->result->orbitals[s];
        if (!*C)
            TRY(dense_create(basis->problem->grid, basis->n_functions, basis->n_orbitals, C));
        scf_basis_expand(basis, solver->state->U[s], *C);
        for (int k = 0; k < basis->n_orbitals; k++)
            solver->result->orbital_energies[s][k] =
                scf_state_orbital_energy(basis, solver->state, s, k);
    }
    return STATUS_OK;
}

/* The numbers of the state that decisions need. */
static void note_state(struct scf_solver *solver)
{
    const struct scf_state *state = solver->state;
    struct scf_history *history = &solver->history;
    history->has_orbitals = state->idempotent;
    history->is_accurate = state->accurate;
    history->energy = state->energy;
    history->gradient = state->gradient;
    history->norm = state->norm;
}

/* Remembers the orbitals of the lowest energy. */
static void keep_best(struct scf_solver *solver)
{
    const struct scf_history *history = &solver->history;
    if (!history->has_orbitals || !(history->energy < history->best_energy))
        return;
    for (int s = 0; s < solver->basis->problem->n_densities; s++)
        dense_copy(solver->state->U_o[s], solver->U_best[s]);
}

/* Ends an iteration: the history, a line, the observer, the checkpoint. */
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
    note_state(solver);
    keep_best(solver);
    if (solver->is_resumed && now->iteration == 1) {
        scf_history_resume(&solver->history);
    } else {
        solver->history.change = now->change;
        scf_history_advance(&solver->history);
    }
    scf_report_iteration(now);
    if (solver->settings->observe)
        solver->settings->observe(now, solver->settings->observe_context);
    solver->result->iterations = now->iteration;
    return solver->history.iteration % solver->settings->checkpoint_every == 0
               ? scf_restart_write(solver)
               : STATUS_OK;
}

static void start_iteration(struct scf_solver *solver, const char *method)
{
    struct scf_history *history = &solver->history;
    history->iteration++;
    history->n_iterations = ++solver->now.iteration;
    if (history->n_iterations > 1) /* the first one has no step, or the file has its norm */
        history->last_norm = solver->state->norm;
    solver->now.method = method;
    solver->now.n_builds = solver->fock->n_builds;
    solver->now.fock_seconds = solver->fock->seconds;
    solver->started_s = clock_now_s();
}

/* --- the first state --- */

/* The Fock matrix of the guess density; if it is one of orbitals already, as after a restart, they
 * are found, so that a converged one is seen to be. */
static enum status build_guess(struct scf_solver *solver, struct darray *const D[])
{
    TRY(scf_state_from_tiles(solver->basis, D, solver->fock, solver->state));
    if (solver->occupation && !solver->state->idempotent) {
        TRY(scf_state_take_natural(solver->basis, solver->state));
        TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    } else {
        TRY(scf_state_build_density(solver->basis, solver->fock, solver->state));
    }
    return solver->state->idempotent ? scf_state_canonicalise(solver->basis, solver->state)
                                     : STATUS_OK;
}

/* Breaks the symmetry between the spins: the highest occupied and the lowest virtual orbital are turned
 * into each other by 45 degrees, of alpha and beta in opposite senses, where a spin has both. */
static enum status mix_orbitals(struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        int o = basis->n_occupied[s];
        if (o > 0 && o < basis->n_orbitals)
            TRY(scf_state_turn(basis, solver->state, s, o - 1, o, sqrt(0.5),
                               s == 0 ? sqrt(0.5) : -sqrt(0.5)));
    }
    return STATUS_OK;
}

/* Exchanges an occupied and a virtual orbital. */
static enum status swap_orbitals(struct scf_solver *solver)
{
    const struct scf_swap *swap = &solver->settings->swap;
    const struct scf_basis *basis = solver->basis;
    bool of_open = swap->spin == 1 && scf_is_rohf(basis->problem); /* alpha stays as it is */
    int n_occupied = basis->n_occupied[swap->spin];
    int n = of_open ? basis->n_occupied[0] : basis->n_orbitals;
    if (swap->occupied > n_occupied || swap->virtual <= n_occupied || swap->virtual > n)
        return FAIL(
            STATUS_INPUT,
            "--guess-swap %lld:%lld names an occupied orbital, of 1 to %d here, and a virtual "
            "one, of %d to %d",
            (long long)swap->occupied, (long long)swap->virtual, n_occupied, n_occupied + 1, n);
    return scf_state_turn(basis, solver->state, swap->spin, (int)swap->occupied - 1,
                          (int)swap->virtual - 1, 0, 1);
}

/* Takes the orbitals of the guess or of its Fock matrix, mixed or with two exchanged. */
static enum status change_guess(struct scf_solver *solver)
{
    if (!solver->state->idempotent)
        TRY(scf_state_diagonalise(solver->basis, solver->state));
    TRY(solver->settings->mix ? mix_orbitals(solver) : swap_orbitals(solver));
    TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    return scf_state_canonicalise(solver->basis, solver->state);
}

static const char *first_state_name(const struct scf_settings *settings)
{
    if (settings->mix)
        return "mixed guess";
    return settings->swap.occupied > 0 ? "swapped guess" : "guess";
}

/* The state of the guess density D, its orbitals mixed or swapped as the settings say; and the
 * reference of a kept occupation, unless that is from a restart. */
static enum status evaluate_guess(struct scf_solver *solver, struct darray *const D[])
{
    start_iteration(solver, first_state_name(solver->settings));
    TRY(build_guess(solver, D));
    if (solver->settings->mix || solver->settings->swap.occupied > 0)
        TRY(change_guess(solver));
    if (solver->occupation && !solver->occupation->is_set)
        scf_occupation_set(solver->occupation, solver->state);
    scf_state_gradient(solver->basis, solver->state);
    solver->history.is_canonical = solver->state->idempotent;
    return record_iteration(solver);
}

/* Turns the state's F into the matrix to diagonalise: the extrapolation by DIIS, damped while far
 * away, its virtual space (the complement of P) raised by the level shift. The state's U, which the
 * diagonalisation sets, is scratch. */
static enum status prepare_diis(struct scf_solver *solver)
{
    const struct scf_settings *settings = solver->settings;
    const struct scf_state *state = solver->state;
    int n_densities = solver->basis->problem->n_densities;
    if (state->idempotent)
        scf_state_constrain(solver->basis, solver->state);
    for (int s = 0; s < n_densities && state->idempotent; s++)
        scf_state_commutator(solver->basis, state, s, state->U[s]);
    if (state->idempotent)
        diis_push(solver->diis, state->F, state->U);
    if (diis_n_steps(solver->diis) > 1)
        TRY(diis_extrapolate(solver->diis, solver->basis->work_mm[0], state->F));
    bool damp = settings->damping > 0 && solver->history.iteration <= DAMPED_ITERATIONS &&
                state->gradient > DAMPED_GRADIENT;
    for (int s = 0; s < n_densities; s++) {
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

/* The cutoff of a build (fock_set_cutoff) after a gradient: errors of F are then a thousandth of it or
 * less, also where many neglected quartets add up. */
#define CUTOFF_OF_GRADIENT 1e-7
#define LARGEST_CUTOFF     1e-8

/* Below this gradient builds have the least cutoff: changes of the density are small there, so that
 * builds from them take little more time with it, and none from the full density has to follow as the
 * gradient falls. So, too, where the next step is likely to be the last one, because it makes the gradient
 * this much smaller. */
#define FINE_GRADIENT 1e-3
#define LAST_GRADIENT 10

static double choose_cutoff(const struct scf_solver *solver)
{
    double gradient = solver->state->gradient;
    double fine = fmax(FINE_GRADIENT, LAST_GRADIENT * solver->conditions.criterion.gradient);
    return gradient < fine ? 0 : fmin(LARGEST_CUTOFF, CUTOFF_OF_GRADIENT * gradient);
}

static enum status diis_step(struct scf_solver *solver)
{
    solver->fock->cutoff = choose_cutoff(solver);
    start_iteration(solver, "DIIS");
    if (!solver->diis)
        TRY(create_diis(solver));
    TRY(prepare_diis(solver));
    TRY(scf_state_diagonalise(solver->basis, solver->state));
    if (solver->occupation)
        TRY(scf_occupation_keep(solver->occupation, solver->state));
    TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    solver->fock->cutoff = 0;
    scf_state_gradient(solver->basis, solver->state);
    solver->history.is_canonical = false;
    return record_iteration(solver);
}

/* An accurate F, and canonical orbitals. */
static enum status rebuild(struct scf_solver *solver)
{
    bool was_accurate = solver->state->accurate;
    if (!was_accurate)
        TRY(scf_state_build(solver->basis, solver->fock, solver->state));
    TRY(scf_state_canonicalise(solver->basis, solver->state));
    scf_state_gradient(solver->basis, solver->state);
    note_state(solver);
    solver->history.is_canonical = true;
    solver->history.is_stuck = false;
    if (!was_accurate)
        log_print("      accurate build: energy %.10f, gradient %.2e\n", solver->state->energy,
                  solver->state->gradient);
    return STATUS_OK;
}

enum status scf_solver_need_second_order(struct scf_solver *solver)
{
    if (solver->second_order)
        return STATUS_OK;
    const struct scf_basis *basis = solver->basis;
    int n_matrices = scf_matrices_at_once(solver->settings, basis->problem);
    diis_destroy(solver->diis);
    solver->diis = NULL;
    return scf_second_order_create(basis, solver->fock, n_matrices, &solver->second_order);
}

/* Puts the second-order method in charge, at the best state so far. */
static enum status begin_second_order(struct scf_solver *solver)
{
    struct scf_history *history = &solver->history;
    if (solver->state->energy > history->best_energy) {
        for (int s = 0; s < solver->basis->problem->n_densities; s++)
            dense_copy(solver->U_best[s], solver->state->U_o[s]);
        solver->state->accurate = false;
    }
    TRY(rebuild(solver));
    history->method = SCF_BY_NEWTON;
    return scf_solver_need_second_order(solver);
}

/* Errors of the gradient, U^T F U_o with orthonormal U, by rounding in its sums. */
static double rounding_of_gradient(const struct scf_solver *solver)
{
    double square = 0;
    for (int s = 0; s < solver->basis->problem->n_densities; s++)
        square += dense_dot(solver->state->F[s], solver->state->F[s]);
    return ROUNDED * DBL_EPSILON * sqrt(square);
}

/* No step from the state leads lower. */
static void note_stuck(struct scf_solver *solver, const struct scf_step *step)
{
    struct scf_history *history = &solver->history;
    history->is_stuck = true;
    history->gain_missed = step->predicted;
    history->rounding = rounding_of_gradient(solver);
    if (scf_history_is_flat(history))
        log_print("      the remaining gradient lies along a free rotation, which would change the "
                  "energy by %.0e hartree\n",
                  step->predicted);
}

static enum status newton_step(struct scf_solver *solver)
{
    struct scf_step step;
    start_iteration(solver, "second order");
    if (solver->history.method != SCF_BY_NEWTON)
        TRY(begin_second_order(solver));
    TRY(scf_second_order_step(solver->second_order, &solver->state, &step));
    solver->history.is_canonical = true;
    TRY(record_iteration(solver));
    if (!step.moved)
        note_stuck(solver, &step);
    return STATUS_OK;
}

/* The state is no longer near one that was tested. */
static void forget_stability(struct scf_solver *solver)
{
    scf_history_forget_test(&solver->history);
    memset(solver->result->curvature, 0, sizeof solver->result->curvature);
}

/* Goes downhill from the saddle point at the state, if a lower energy is found; the curvatures no
 * longer are the result's then. */
static enum status leave_saddle(struct scf_solver *solver, const struct scf_stability *stability)
{
    struct scf_result *result = solver->result;
    struct scf_saddle saddle = {solver->state->energy,
                                stability->curvature[result->space].eigenvalue};
    bool moved;
    start_iteration(solver, "descent");
    TRY(scf_solver_need_second_order(solver));
    TRY(scf_second_order_descend(solver->second_order, &stability->direction, &solver->state,
                                 &moved));
    solver->history.method = SCF_BY_NEWTON;
    TRY(record_iteration(solver));
    if (!moved) {
        log_print(
            "      no lower energy was found along its direction: the saddle point is kept\n");
        return STATUS_OK;
    }
    forget_stability(solver);
    result->saddles[result->n_saddles++] = saddle;
    return STATUS_OK;
}

/* Finds a lower energy beside a saddle point that is kept. */
static enum status measure_lowering(struct scf_solver *solver,
                                    const struct scf_stability *stability)
{
    const struct scf_basis *basis = solver->basis;
    struct scf_second_order *search;
    struct scf_state *lower = solver->state;
    bool found = false;
    enum status status =
        scf_second_order_create(basis, solver->fock, basis->problem->n_densities, &search);
    if (status == STATUS_OK)
        status = scf_second_order_descend(search, &stability->direction, &lower, &found);
    if (found) {
        solver->result->lowering = solver->state->energy - lower->energy;
        search->trial = lower;
    }
    scf_second_order_destroy(search);
    if (found)
        log_print(
            "      the saddle point is kept (--follow none): along its direction the energy is "
            "%.6f hartree lower\n",
            solver->result->lowering);
    else
        log_print("      the saddle point is kept (--follow none)\n");
    return status;
}

/* The lowest curvatures at the state; if it is a saddle, descends from it where that is possible. */
static enum status test_stability(struct scf_solver *solver)
{
    struct scf_hessian hessian;
    struct scf_stability stability;
    const struct scf_rotation *soft = NULL;
    enum scf_space own = solver->result->space;
    TRY(scf_hessian_init(solver->basis, solver->fock, solver->state, &hessian));
    enum wall_use use = wall_time_begin(WALL_STABILITY);
    if (solver->second_order)
        soft = scf_second_order_soft_mode(solver->second_order, solver->state);
    enum status status = scf_stability_init(&hessian, soft, &stability);
    wall_time_end(use);
    scf_hessian_fini(&hessian);
    TRY(status);
    memcpy(solver->result->curvature, stability.curvature, sizeof stability.curvature);
    scf_history_take_test(&solver->history, &stability.curvature[own]);
    scf_report_stability(own, stability.curvature, stability.n_builds);
    bool is_saddle = scf_curvature_verdict(&stability.curvature[own]) == SCF_VERDICT_UNSTABLE;
    if (is_saddle && solver->settings->follow == SCF_FOLLOW_NONE)
        status = measure_lowering(solver, &stability);
    else if (is_saddle && solver->result->n_saddles < SCF_MAX_SADDLES)
        status = leave_saddle(solver, &stability);
    else if (is_saddle)
        log_print("      %d saddle points were left already: this one is kept\n", SCF_MAX_SADDLES);
    scf_stability_fini(&stability);
    return status;
}

static enum status fail_to_converge(struct scf_solver *solver, enum scf_action why)
{
    double gradient = solver->state->gradient;
    TRY(scf_restart_write(solver));
    if (why == SCF_ENDS_ROUNDED)
        return FAIL(STATUS_NOT_CONVERGED,
                    "the orbital gradient is %.1e, no more than rounding errors: --converge %g is "
                    "out of reach, take %.0e",
                    gradient, solver->conditions.criterion.gradient, 10 * gradient);
    if (why == SCF_ENDS_STUCK)
        return FAIL(STATUS_NOT_CONVERGED,
                    "no step lowers the energy, but the orbital gradient is still %.1e: try a "
                    "smaller --screen",
                    gradient);
    return FAIL(STATUS_NOT_CONVERGED,
                "not converged after %lld iteration%s: the orbital gradient is %.1e; allow more "
                "with --max-iter",
                (long long)solver->now.iteration, log_plural(solver->now.iteration), gradient);
}

enum status scf_solver_iterate(struct scf_solver *solver, struct darray *const D[])
{
    TRY(evaluate_guess(solver, D));
    for (bool first = true;; first = false) {
        enum scf_action action = scf_decide(&solver->history, &solver->conditions);
        /* A resumed run that goes on leaves the point that was tested. */
        if (first && action != SCF_DONE && action != SCF_REBUILD && action != SCF_TEST)
            forget_stability(solver);
        switch (action) {
        case SCF_STEP_DIIS:
            TRY(diis_step(solver));
            break;
        case SCF_STEP_NEWTON:
            TRY(newton_step(solver));
            break;
        case SCF_REBUILD:
            TRY(rebuild(solver));
            break;
        case SCF_TEST:
            TRY(test_stability(solver));
            break;
        case SCF_DONE:
            solver->result->converged = true;
            return scf_restart_write(solver);
        case SCF_ENDS:
        case SCF_ENDS_ROUNDED:
        case SCF_ENDS_STUCK:
            return fail_to_converge(solver, action);
        }
    }
}
