/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_second_order.h"

#include "hf/fock/fock_build.h"
#include "hf/tiles/screening.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_RADIUS 0.5
#define MAX_RADIUS   2.0
#define MIN_RADIUS   1e-5

/* Energies differ by rounding within this fraction of the energy. */
#define ROUNDING 1e-13

enum { MAX_SHORTENED = 8, MAX_LENGTHS = 5 };

/* A step that fails is followed by one of at most this fraction of its length. */
#define SHORTENING 0.25

/* First length of a step away from a saddle point. */
#define FIRST_LENGTH 0.5

/* Least difference of orbital energies in the preconditioner, hartree: smaller ones
 * are no measure of the curvature. */
#define MIN_GAP 0.1

/* Products of a pass over the integrals of this number of matrices. */
static int count_products(const struct scf_basis *basis, int n_matrices)
{
    int n = n_matrices / basis->problem->n_densities;
    return n < NEWTON_MAX_NEW ? n : NEWTON_MAX_NEW;
}

enum status scf_second_order_create(const struct scf_basis *basis, struct scf_fock *fock,
                                    int n_matrices, struct scf_second_order **solver)
{
    *solver = agree_calloc(basis->problem->comm, sizeof **solver, "the second-order method");
    if (!*solver)
        return STATUS_NO_MEMORY;
    **solver = (struct scf_second_order){.basis = basis,
                                         .fock = fock,
                                         .n_products = count_products(basis, n_matrices),
                                         .radius = FIRST_RADIUS};
    TRY(scf_preconditioner_init(basis, &(*solver)->preconditioner));
    return scf_state_create(basis, &(*solver)->trial);
}

void scf_second_order_destroy(struct scf_second_order *solver)
{
    if (!solver)
        return;
    scf_state_destroy(solver->trial);
    scf_preconditioner_fini(&solver->preconditioner);
    free(solver);
}

int64_t scf_second_order_bytes(const struct scf_basis *plan, int n_matrices)
{
    return (int64_t)sizeof(struct scf_second_order) + scf_state_bytes(plan) +
           scf_preconditioner_bytes(plan) + newton_space_bytes(plan) +
           scf_hessian_bytes(plan, count_products(plan, n_matrices)) + scf_rotate_bytes(plan);
}

/* The trial: state turned by kappa, and built. */
static enum status try_rotation(struct scf_second_order *solver, const struct scf_state *state,
                                const struct scf_rotation *kappa)
{
    return scf_rotate_and_build(solver->basis, solver->fock, state, kappa, solver->trial);
}

static void swap_states(struct scf_second_order *solver, struct scf_state **state)
{
    struct scf_state *accepted = solver->trial;
    solver->trial = *state;
    *state = accepted;
}

static double estimate_energy_noise(const struct scf_second_order *solver,
                                    const struct scf_state *state)
{
    return ROUNDING * fabs(state->energy) +
           SCREENING_NOISE * fock_threshold(solver->basis->problem->fock);
}

/* Whether a change of the energy of this size exceeds the noise. */
static bool is_visible(const struct scf_second_order *solver, double change,
                       const struct scf_state *state)
{
    return fabs(change) > 10 * estimate_energy_noise(solver, state);
}

/* Whether the trial is better than state; predicted is the change of the energy by the
 * model. Near the minimum the energies differ by noise only, and the gradients decide. */
static bool is_better(const struct scf_second_order *solver, const struct scf_state *state,
                      double predicted)
{
    double change = solver->trial->energy - state->energy;
    if (is_visible(solver, predicted, state))
        return change < 0.01 * predicted;
    return !is_visible(solver, fmax(change, 0), state) && solver->trial->gradient < state->gradient;
}

/* Widens the trust region where the model held up to its boundary, shrinks it to a
 * fraction of the step tried where it failed. ratio: of the change of the energy to the predicted one. */
static void adjust_radius(struct scf_second_order *solver, const struct newton_space *space,
                          double ratio)
{
    if (ratio > 0.75 && space->on_boundary)
        solver->radius = fmin(2 * solver->radius, MAX_RADIUS);
    else if (ratio < 0.25)
        solver->radius = fmax(SHORTENING * space->length, MIN_RADIUS);
}

static double predict_change(const struct newton_space *space)
{
    return space->hessian->weight * (space->slope + space->curvature / 2);
}

/* Tries the step, and ever shorter ones within the subspace. */
static enum status try_steps(struct scf_second_order *solver, struct newton_space *space,
                             const struct scf_state *state, bool *moved)
{
    for (int shortened = 0; shortened <= MAX_SHORTENED && !*moved; shortened++) {
        if (shortened > 0)
            newton_space_step(space, fmin(solver->radius, SHORTENING * space->length));
        double predicted = predict_change(space);
        TRY(try_rotation(solver, state, &space->kappa));
        *moved = is_better(solver, state, predicted);
        if (is_visible(solver, predicted, state))
            adjust_radius(solver, space, (solver->trial->energy - state->energy) / predicted);
    }
    return STATUS_OK;
}

/* Finds the step of the trust region and takes it where it leads down. */
static enum status take_trust_step(struct scf_second_order *solver, struct newton_space *space,
                                   struct scf_state **state, struct scf_step *step)
{
    TRY(newton_space_minimise(space, solver->radius));
    step->predicted = predict_change(space);
    if (step->predicted < 0)
        TRY(try_steps(solver, space, *state, &step->moved));
    newton_space_keep(space);
    if (step->moved)
        swap_states(solver, state);
    return STATUS_OK;
}

static enum status step_from(struct scf_second_order *solver, struct scf_hessian *hessian,
                             struct scf_state **state, struct scf_step *step)
{
    struct newton_space space;
    scf_preconditioner_begin(&solver->preconditioner, *state, MIN_GAP);
    enum status status =
        newton_space_init(hessian, &solver->preconditioner, solver->n_products, &space);
    if (status == STATUS_OK)
        status = take_trust_step(solver, &space, state, step);
    newton_space_fini(&space);
    return status;
}

enum status scf_second_order_step(struct scf_second_order *solver, struct scf_state **state,
                                  struct scf_step *step)
{
    struct scf_hessian hessian;
    *step = (struct scf_step){0};
    TRY(scf_hessian_init(solver->basis, solver->fock, *state, &hessian));
    enum status status = step_from(solver, &hessian, state, step);
    scf_hessian_fini(&hessian);
    return status;
}

struct scf_directions scf_second_order_soft_modes(struct scf_second_order *solver,
                                                  const struct scf_state *state)
{
    struct scf_preconditioner *preconditioner = &solver->preconditioner;
    scf_preconditioner_begin(preconditioner, state, MIN_GAP);
    return (struct scf_directions){preconditioner->n, preconditioner->x};
}

/* Steps along a direction of negative curvature, from the point where the gradient is zero. */
struct valley {
    const struct scf_rotation *direction; /* of norm 1; borrowed */
    struct scf_rotation kappa;            /* scratch */
};

/* Sets the trial to the state turned by t; *change: of the energy. */
static enum status try_length(struct scf_second_order *solver, const struct scf_state *state,
                              struct valley *valley, double t, double *change)
{
    scf_rotation_add(t, valley->direction, 0, &valley->kappa);
    TRY(try_rotation(solver, state, &valley->kappa));
    *change = solver->trial->energy - state->energy;
    return STATUS_OK;
}

/* Tries both ways; leaves the lower one in the trial if it is lower than state. Where a symmetry makes
 * both alike, that is the one that was built last. */
static enum status try_both_ways(struct scf_second_order *solver, const struct scf_state *state,
                                 struct valley *valley, double t, bool *lower)
{
    double forth, back, again;
    TRY(try_length(solver, state, valley, -t, &back));
    TRY(try_length(solver, state, valley, t, &forth));
    *lower = fmin(forth, back) < -estimate_energy_noise(solver, state);
    bool second = *lower && back < forth && is_visible(solver, forth - back, state);
    return second ? try_length(solver, state, valley, -t, &again) : STATUS_OK;
}

enum status scf_second_order_descend(struct scf_second_order *solver,
                                     const struct scf_rotation *direction, struct scf_state **state,
                                     bool *moved)
{
    struct valley valley = {.direction = direction};
    enum status status = scf_rotations_init(solver->basis, 1, &valley.kappa);
    double t = FIRST_LENGTH;
    *moved = false;
    for (int i = 0; i < MAX_LENGTHS && !*moved && status == STATUS_OK; i++, t *= SHORTENING)
        status = try_both_ways(solver, *state, &valley, t, moved);
    scf_rotations_fini(1, &valley.kappa);
    if (*moved)
        swap_states(solver, state);
    solver->radius = FIRST_RADIUS;
    return status;
}
