/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_second_order.h"

#include "hf/fock/fock_build.h"
#include "hf/scf/scf_subspace.h"
#include "hf/tiles/screening.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* The subspace is large enough where further vectors would gain this fraction of the step's gain: in
 * the region, and on its boundary, where the model does not hold so well. */
#define LEFT_INSIDE      5e-3
#define LEFT_ON_BOUNDARY 0.2

/* The shift exceeds minus the lowest eigenvalue by at least this fraction of it. */
#define LEAST_SHIFT 1e-9
enum { SHIFT_BISECTIONS = 100 };

/* --- the subspace of a step --- */

/* A Newton step within a trust region, in a subspace of rotations that grows by products with the
 * Hessian. The change of the energy by a rotation, over the weight of scf_hessian.h,
 *
 *   m(kappa) = g . kappa + 1/2 kappa . H kappa,   kappa . M kappa <= radius^2
 *
 * with the differences M of orbital energies for a metric, is minimised within the subspace; its
 * eigenvalues there may be negative. Two vectors share each pass over the integrals: the
 * preconditioned residuals
 *
 *   of the step          g + (H + mu M) kappa,   mu >= 0 from the radius, and
 *   of the lowest mode   (H - e M) x,            e: lowest eigenvalue in the subspace.
 *
 * The second one finds the soft modes on which steps with the first alone spend most of their products.
 * No vector is noise, so that a step from symmetric orbitals leads to symmetric ones.
 * Source: More & Sorensen, SIAM J. Sci. Stat. Comput. 4, 553 (1983), for the radius; Davidson, J. Comput.
 * Phys. 17, 87 (1975). */

/* In all; in a pass. */
enum { NEWTON_VECTORS = 16, NEWTON_MAX_NEW = FOCK_MAX_COULOMB };

struct newton_space {
    struct scf_hessian *hessian;               /* borrowed */
    struct scf_preconditioner *preconditioner; /* borrowed; has the metric */
    int most_new;                              /* vectors of a pass, at most */
    struct scf_subspace subspace;
    double g[NEWTON_VECTORS];            /* x[i] . g */
    double coefficients[NEWTON_VECTORS]; /* of kappa */
    struct scf_rotation residual, next[NEWTON_MAX_NEW], scratch;
    double residual_z; /* of the step: residual . B^-1 residual */
    /* The step. */
    struct scf_rotation kappa;
    double slope;     /* g . kappa, < 0 unless g is zero */
    double curvature; /* kappa . H kappa */
    double length;    /* in the metric */
    double shift;     /* mu */
    bool on_boundary; /* of the trust region */
};

/* Those besides the subspace's. */
enum { N_SPACE_ROTATIONS = NEWTON_MAX_NEW + 3 };

/* hessian and preconditioner have begun a state. On failure newton_space_fini still has to be
 * called. */
static enum status newton_space_init(struct scf_hessian *hessian,
                                     struct scf_preconditioner *preconditioner, int most_new,
                                     struct newton_space *space)
{
    *space = (struct newton_space){
        .hessian = hessian, .preconditioner = preconditioner, .most_new = most_new};
    TRY(scf_subspace_init(hessian->basis, NEWTON_VECTORS, &preconditioner->gap, &space->subspace));
    TRY(scf_rotations_init(hessian->basis, NEWTON_MAX_NEW, space->next));
    TRY(scf_rotations_init(hessian->basis, 1, &space->residual));
    TRY(scf_rotations_init(hessian->basis, 1, &space->scratch));
    return scf_rotations_init(hessian->basis, 1, &space->kappa);
}

static void newton_space_fini(struct newton_space *space)
{
    scf_rotations_fini(NEWTON_MAX_NEW, space->next);
    scf_rotations_fini(1, &space->residual);
    scf_rotations_fini(1, &space->scratch);
    scf_rotations_fini(1, &space->kappa);
    scf_subspace_fini(&space->subspace);
}

static int64_t newton_space_bytes(const struct scf_basis *plan)
{
    return N_SPACE_ROTATIONS * scf_rotation_bytes(plan) + scf_subspace_bytes(plan, NEWTON_VECTORS);
}

/* --- vectors of a pass --- */

/* next[0] = the preconditioned residual of the step, kappa of it set. */
static void correct_step(struct newton_space *space)
{
    const struct scf_energy_gap *gap = &space->preconditioner->gap;
    scf_rotation_add(1, &space->hessian->gradient, 0, &space->residual);
    scf_subspace_combine(&space->subspace, space->coefficients, &space->kappa, &space->residual);
    scf_rotation_scale(gap, SCF_TIMES_GAP, &space->kappa, 0, &space->scratch);
    scf_rotation_add(space->shift, &space->scratch, 1, &space->residual);
    scf_preconditioner_apply(space->preconditioner, &space->residual, &space->next[0]);
    space->residual_z = scf_rotation_dot(&space->residual, &space->next[0]);
}

/* next[1] = the preconditioned residual of the lowest mode. */
static void correct_lowest_mode(struct newton_space *space)
{
    struct scf_rotation *mode = &space->scratch, *residual = &space->residual;
    scf_rotation_add(0, residual, 0, residual);
    scf_subspace_combine(&space->subspace, space->subspace.combinations, mode, residual);
    scf_rotation_scale(&space->preconditioner->gap, SCF_TIMES_GAP, mode, 0, mode);
    scf_rotation_add(-space->subspace.eigenvalues[0], mode, 1, residual);
    scf_preconditioner_apply(space->preconditioner, residual, &space->next[1]);
}

/* The vectors of the coming pass: none if the subspace is full, or complete. */
static void choose_pass(struct newton_space *space)
{
    struct scf_subspace *subspace = &space->subspace;
    scf_subspace_add(subspace, &space->next[0]);
    if (subspace->n_new == space->most_new)
        return;
    if (subspace->n > 0) {
        correct_lowest_mode(space);
        scf_subspace_add(subspace, &space->next[1]);
    } else if (space->preconditioner->n > 0) {
        scf_subspace_add(subspace, &space->preconditioner->x[0]); /* the softest, as a rule */
    }
}

/* --- the model --- */

/* The new vectors' products; screening is absolute, so the build sees vectors of norm 1. */
static enum status multiply_pass(struct newton_space *space)
{
    const struct scf_rotation *vectors[NEWTON_MAX_NEW];
    int n = space->subspace.n_new;
    struct scf_rotation *x = scf_subspace_vectors(&space->subspace), *products[NEWTON_MAX_NEW];
    double norms[NEWTON_MAX_NEW];
    for (int i = 0; i < n; i++) {
        norms[i] = sqrt(scf_rotation_dot(&x[i], &x[i]));
        scf_rotation_add(0, &x[i], 1 / norms[i], &x[i]);
        vectors[i] = &x[i];
        products[i] = &scf_subspace_products(&space->subspace)[i];
    }
    TRY(scf_hessian_multiply_several(space->hessian, n, n, vectors, products));
    for (int i = 0; i < n; i++) {
        scf_rotation_add(0, &x[i], norms[i], &x[i]);
        scf_rotation_add(0, products[i], norms[i], products[i]);
    }
    return STATUS_OK;
}

/* Takes the new vectors and their products into the subspace. */
static enum status extend_model(struct newton_space *space)
{
    struct scf_subspace *subspace = &space->subspace;
    scf_rotation_dot_products(subspace->n_new, scf_subspace_vectors(subspace), 1,
                              &space->hessian->gradient, &space->g[subspace->n]);
    return scf_subspace_extend(subspace);
}

/* along[k]: the gradient along eigenvector k. */
static void project_gradient(const struct newton_space *space, double along[NEWTON_VECTORS])
{
    int n = space->subspace.n;
    for (int k = 0; k < n; k++) {
        along[k] = 0;
        for (int i = 0; i < n; i++)
            along[k] += space->subspace.combinations[k * n + i] * space->g[i];
    }
}

/* Length of the step with a shift. */
static double shifted_length(const struct newton_space *space, const double along[], double shift)
{
    double square = 0;
    for (int k = 0; k < space->subspace.n; k++) {
        double step = along[k] / (space->subspace.eigenvalues[k] + shift);
        square += step * step;
    }
    return sqrt(square);
}

/* Sets shift and on_boundary: the length falls with the shift. */
static void find_shift(struct newton_space *space, const double along[], double radius)
{
    double lowest = space->subspace.eigenvalues[0], square = 0;
    space->on_boundary = !(lowest > 0 && shifted_length(space, along, 0) <= radius);
    space->shift = 0;
    if (!space->on_boundary)
        return;
    for (int k = 0; k < space->subspace.n; k++)
        square += along[k] * along[k];
    double low = fmax(0, -lowest) + LEAST_SHIFT * fmax(1, fabs(lowest));
    double high = low + sqrt(square) / radius;
    for (int i = 0; i < SHIFT_BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (shifted_length(space, along, middle) > radius)
            low = middle;
        else
            high = middle;
    }
    space->shift = high;
}

/* Sets the step within a radius, without further products. */
static void newton_space_step(struct newton_space *space, double radius)
{
    int n = space->subspace.n;
    double along[NEWTON_VECTORS];
    project_gradient(space, along);
    find_shift(space, along, radius);
    memset(space->coefficients, 0, sizeof space->coefficients);
    space->slope = space->curvature = 0;
    for (int k = 0; k < n; k++) {
        double eigenvalue = space->subspace.eigenvalues[k];
        double step = -along[k] / (eigenvalue + space->shift);
        space->slope += along[k] * step;
        space->curvature += eigenvalue * step * step;
        for (int i = 0; i < n; i++)
            space->coefficients[i] += space->subspace.combinations[k * n + i] * step;
    }
    space->length = shifted_length(space, along, space->shift);
    correct_step(space);
}

/* Whether what the residual of the step promises is little. */
static bool is_step_found(const struct newton_space *space)
{
    double gain = -(space->slope + space->curvature / 2), left = space->residual_z / 2;
    return left <= (space->on_boundary ? LEFT_ON_BOUNDARY : LEFT_INSIDE) * gain;
}

/* Grows the subspace until further vectors would add little to what the step gains, and sets the step. */
static enum status newton_space_minimise(struct newton_space *space, double radius)
{
    correct_step(space);
    for (;;) {
        choose_pass(space);
        if (space->subspace.n_new == 0)
            return STATUS_OK;
        TRY(multiply_pass(space));
        TRY(extend_model(space));
        newton_space_step(space, radius);
        if (is_step_found(space))
            return STATUS_OK;
    }
}

/* Gives the preconditioner the eigenvectors of lowest positive eigenvalue, for the next step; only
 * newton_space_fini may follow. */
static void newton_space_keep(struct newton_space *space)
{
    struct scf_subspace *subspace = &space->subspace;
    int n_negative = 0;
    while (n_negative < subspace->n && !(subspace->eigenvalues[n_negative] > 0))
        n_negative++;
    int n_kept = subspace->n - n_negative;
    n_kept = n_kept < SCF_KEPT_DIRECTIONS ? n_kept : SCF_KEPT_DIRECTIONS;
    scf_subspace_collapse(subspace, n_negative, n_kept);
    scf_preconditioner_keep(space->preconditioner, n_kept, subspace->x, subspace->Hx);
}

/* --- steps --- */

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

const struct scf_rotation *scf_second_order_soft_mode(struct scf_second_order *solver,
                                                      const struct scf_state *state)
{
    scf_preconditioner_begin(&solver->preconditioner, state, MIN_GAP);
    return solver->preconditioner.n > 0 ? &solver->preconditioner.x[0] : NULL;
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
