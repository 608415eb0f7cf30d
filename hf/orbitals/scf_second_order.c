/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_second_order.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_RADIUS 0.5
#define MAX_RADIUS   2.0
#define MIN_RADIUS   1e-5

/* Energies differ by rounding within this fraction of the energy, and by screening within
 * this, hartree. */
#define ROUNDING  1e-13
#define SCREENING 1e-11

/* Conjugate gradients end at this fraction of the first residual. The next step goes on with their
 * directions, so that tighter ones would only cost more products. */
#define RESIDUAL_FRACTION 0.03

enum { MAX_PRODUCTS = 30, MAX_SHORTENED = 8, MAX_LENGTHS = 4 };

/* Lengths of a step away from a saddle point: the first one, and the next as fractions of the
 * last. */
#define FIRST_LENGTH     0.5
#define MOST_SHORTENING  0.4
#define LEAST_SHORTENING 0.01

/* Least difference of orbital energies in the preconditioner, hartree: smaller ones
 * are no measure of the curvature. */
#define MIN_GAP 0.1

/* The step of a trust-region Newton method by preconditioned conjugate gradients. */
struct trust_step {
    struct scf_rotation kappa;
    double slope;     /* g . kappa, < 0 unless g is zero */
    double curvature; /* kappa . H kappa */
    double length;    /* in the metric of the preconditioner */
    bool on_boundary; /* of the trust region */
    int n_products;
};

/* The CG_VECTORS vectors of the method, and scalar products in the metric M of the differences of
 * orbital energies. */
enum { CG_VECTORS = 4 };
struct conjugate_gradients {
    struct scf_hessian *hessian;
    struct scf_preconditioner *preconditioner;
    struct scf_rotation residual;  /* g + H x */
    struct scf_rotation z;         /* B^-1 residual */
    struct scf_rotation direction; /* p */
    struct scf_rotation product;   /* H p */
    double residual_z;
    double x_M_x, x_M_p, p_M_p;
};

static void conjugate_gradients_fini(struct conjugate_gradients *cg)
{
    scf_rotation_fini(&cg->residual);
    scf_rotation_fini(&cg->z);
    scf_rotation_fini(&cg->direction);
    scf_rotation_fini(&cg->product);
}

/* Errors: on failure conjugate_gradients_fini still has to be called. */
static enum status conjugate_gradients_init(struct scf_hessian *hessian,
                                            struct scf_preconditioner *preconditioner,
                                            struct conjugate_gradients *cg)
{
    *cg = (struct conjugate_gradients){.hessian = hessian, .preconditioner = preconditioner};
    struct scf_rotation *const all[CG_VECTORS] = {&cg->residual, &cg->z, &cg->direction,
                                                  &cg->product};
    TRY(scf_rotations_init(hessian->basis, CG_VECTORS, all));
    scf_rotation_add(1, &hessian->gradient, 0, &cg->residual);
    scf_preconditioner_apply(preconditioner, &cg->residual, &cg->z);
    scf_rotation_add(-1, &cg->z, 0, &cg->direction);
    cg->residual_z = scf_rotation_dot(&cg->residual, &cg->z);
    return STATUS_OK;
}

/* x += a p, with the residual. */
static void advance_along_direction(struct conjugate_gradients *cg, double a,
                                    struct scf_rotation *x)
{
    scf_rotation_add(a, &cg->direction, 1, x);
    scf_rotation_add(a, &cg->product, 1, &cg->residual);
    cg->x_M_x += 2 * a * cg->x_M_p + a * a * cg->p_M_p;
}

/* The next conjugate direction. */
static void turn_direction(struct conjugate_gradients *cg)
{
    scf_preconditioner_apply(cg->preconditioner, &cg->residual, &cg->z);
    double residual_z = scf_rotation_dot(&cg->residual, &cg->z);
    scf_rotation_add(-1, &cg->z, residual_z / cg->residual_z, &cg->direction);
    cg->residual_z = residual_z;
}

/* The product with the direction, and the scalar products of the direction; *curvature: p . H p. */
static enum status measure_direction(struct conjugate_gradients *cg, const struct scf_rotation *x,
                                     double *curvature)
{
    const struct scf_energy_gap *gap = &cg->preconditioner->gap;
    TRY(scf_hessian_multiply(cg->hessian, &cg->direction, &cg->product));
    *curvature = scf_rotation_dot(&cg->direction, &cg->product);
    cg->x_M_p = scf_rotation_gap_dot(gap, x, &cg->direction);
    cg->p_M_p = scf_rotation_gap_dot(gap, &cg->direction, &cg->direction);
    scf_preconditioner_keep(cg->preconditioner, &cg->direction, &cg->product, *curvature,
                            cg->p_M_p);
    return STATUS_OK;
}

/* Largest a with |x + a p| <= radius. */
static double distance_to_boundary(const struct conjugate_gradients *cg, double radius)
{
    double room = radius * radius - cg->x_M_x;
    return (sqrt(cg->x_M_p * cg->x_M_p + cg->p_M_p * room) - cg->x_M_p) / cg->p_M_p;
}

static enum status minimise_model(struct conjugate_gradients *cg, double radius,
                                  struct trust_step *step)
{
    double wanted = RESIDUAL_FRACTION * sqrt(cg->residual_z);
    while (step->n_products < MAX_PRODUCTS && sqrt(cg->residual_z) > wanted) {
        double curvature;
        TRY(measure_direction(cg, &step->kappa, &curvature));
        step->n_products++;
        double a = curvature > 0 ? cg->residual_z / curvature : INFINITY;
        double limit = distance_to_boundary(cg, radius);
        step->on_boundary = a >= limit;
        advance_along_direction(cg, step->on_boundary ? limit : a, &step->kappa);
        if (step->on_boundary)
            break;
        turn_direction(cg);
    }
    return STATUS_OK;
}

static void trust_step_fini(struct trust_step *step)
{
    scf_rotation_fini(&step->kappa);
}

/* The step from zero. Errors: on failure conjugate_gradients_fini still has to be called. */
static enum status find_trust_step(struct scf_second_order *solver, struct scf_hessian *hessian,
                                   struct conjugate_gradients *cg, struct trust_step *step)
{
    TRY(conjugate_gradients_init(hessian, &solver->preconditioner, cg));
    if (cg->residual_z > 0)
        TRY(minimise_model(cg, solver->radius, step));
    step->slope = scf_rotation_dot(&hessian->gradient, &step->kappa);
    step->curvature = scf_rotation_dot(&cg->residual, &step->kappa) - step->slope;
    step->length = sqrt(cg->x_M_x);
    return STATUS_OK;
}

/* Minimises g . kappa + 1/2 kappa . H kappa over |kappa| <= radius approximately: stops on the
 * boundary, at the first direction of negative curvature (followed to the
 * boundary), or when the residual is small against the gradient.
 * Errors: those of scf_hessian_multiply, STATUS_NO_MEMORY; trust_step_fini still has to be called
 * then. */
static enum status trust_step_init(struct scf_second_order *solver, struct scf_hessian *hessian,
                                   struct trust_step *step)
{
    struct conjugate_gradients cg;
    *step = (struct trust_step){0};
    TRY(scf_rotation_init(hessian->basis, &step->kappa));
    enum status status = find_trust_step(solver, hessian, &cg, step);
    conjugate_gradients_fini(&cg);
    return status;
}

enum status scf_second_order_create(const struct scf_basis *basis, struct scf_fock *fock,
                                    struct scf_second_order **solver)
{
    *solver = agree_calloc(basis->problem->comm, sizeof **solver, "the second-order method");
    if (!*solver)
        return STATUS_NO_MEMORY;
    **solver = (struct scf_second_order){.basis = basis, .fock = fock, .radius = FIRST_RADIUS};
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

/* Vectors of conjugate gradients make room before their step is tried. */
int64_t scf_second_order_bytes(const struct scf_basis *plan)
{
    int64_t rotation = scf_rotation_bytes(plan), turn = scf_rotate_bytes(plan);
    int64_t vectors = CG_VECTORS * rotation;
    return (int64_t)sizeof(struct scf_second_order) + scf_state_bytes(plan) +
           scf_preconditioner_bytes(plan) + scf_hessian_bytes(plan, 1) + rotation +
           (vectors > turn ? vectors : turn);
}

/* The trial: state turned by kappa, and built. */
static enum status try_rotation(struct scf_second_order *solver, const struct scf_state *state,
                                const struct scf_rotation *kappa, bool full)
{
    return scf_rotate_and_build(solver->basis, solver->fock, state, kappa, full, solver->trial);
}

static void swap_states(struct scf_second_order *solver, struct scf_state **state)
{
    struct scf_state *accepted = solver->trial;
    solver->trial = *state;
    *state = accepted;
}

/* Whether a change of the energy of this size exceeds the noise. */
static bool is_visible(double change, const struct scf_state *state)
{
    return fabs(change) > 10 * (ROUNDING * fabs(state->energy) + SCREENING);
}

/* Whether the trial is better than state; predicted is the change of the energy by the
 * model. Near the minimum the energies differ by noise only, and the gradients decide. */
static bool is_better(const struct scf_second_order *solver, const struct scf_state *state,
                      double predicted)
{
    double change = solver->trial->energy - state->energy;
    if (is_visible(predicted, state))
        return change < 0.01 * predicted;
    return !is_visible(fmax(change, 0), state) && solver->trial->gradient < state->gradient;
}

/* Widens the trust region where the model held up to its boundary, shrinks it to a
 * fraction of the step tried where it failed. */
static void adjust_radius(struct scf_second_order *solver, const struct trust_step *trust,
                          double length, double ratio)
{
    if (ratio > 0.75 && trust->on_boundary && length == 1)
        solver->radius = fmin(2 * solver->radius, MAX_RADIUS);
    else if (ratio < 0.25)
        solver->radius = fmax(0.25 * length * trust->length, MIN_RADIUS);
}

/* Tries the step, and ever shorter ones along it. */
static enum status search_along(struct scf_second_order *solver, const struct scf_hessian *hessian,
                                struct trust_step *trust, struct scf_state **state, bool *moved)
{
    double length = 1; /* of the trial step, in units of the model's */
    *moved = false;
    for (int shortened = 0; shortened <= MAX_SHORTENED && !*moved; shortened++) {
        double predicted =
            hessian->weight * (length * trust->slope + length * length / 2 * trust->curvature);
        TRY(try_rotation(solver, *state, &trust->kappa, false));
        *moved = is_better(solver, *state, predicted);
        if (is_visible(predicted, *state))
            adjust_radius(solver, trust, length,
                          (solver->trial->energy - (*state)->energy) / predicted);
        if (!*moved) {
            scf_rotation_add(0, &trust->kappa, 0.25, &trust->kappa);
            length *= 0.25;
        }
    }
    if (*moved)
        swap_states(solver, state);
    return STATUS_OK;
}

/* Finds the step of the trust region and takes it where it leads down. */
static enum status take_trust_step(struct scf_second_order *solver, struct scf_hessian *hessian,
                                   struct trust_step *trust, struct scf_state **state,
                                   struct scf_step *step)
{
    TRY(trust_step_init(solver, hessian, trust));
    step->n_products = trust->n_products;
    step->predicted = hessian->weight * (trust->slope + trust->curvature / 2);
    return trust->slope < 0 ? search_along(solver, hessian, trust, state, &step->moved) : STATUS_OK;
}

enum status scf_second_order_step(struct scf_second_order *solver, struct scf_state **state,
                                  struct scf_step *step)
{
    struct scf_hessian hessian;
    struct trust_step trust;
    *step = (struct scf_step){0};
    TRY(scf_hessian_init(solver->basis, solver->fock, *state, &hessian));
    scf_preconditioner_begin(&solver->preconditioner, *state, MIN_GAP);
    enum status status = take_trust_step(solver, &hessian, &trust, state, step);
    trust_step_fini(&trust);
    scf_hessian_fini(&hessian);
    return status;
}

/* The energy along a direction of negative curvature, from the point where the gradient is zero:
 *   E(t) = E(0) + w [ 1/2 c t^2 + 1/6 p t^3 + 1/24 q t^4 ],
 * p zero where a symmetry says that both ways are alike. */
struct valley {
    const struct scf_rotation *direction; /* of norm 1; borrowed */
    struct scf_rotation kappa;            /* scratch */
    double weight, c;                     /* w and c */
    double length;                        /* t of the last energies */
    double change[2];                     /* E(length) - E(0) and E(-length) - E(0) */
};

/* Sets the trial to the state turned by t, in full; *change: of the energy. */
static enum status try_length(struct scf_second_order *solver, const struct scf_state *state,
                              struct valley *valley, double t, double *change)
{
    scf_rotation_add(t, valley->direction, 0, &valley->kappa);
    TRY(try_rotation(solver, state, &valley->kappa, true));
    *change = solver->trial->energy - state->energy;
    return STATUS_OK;
}

static bool is_lower(double change, const struct scf_state *state)
{
    return change < -(ROUNDING * fabs(state->energy) + SCREENING);
}

/* Tries both ways; leaves the lower one in the trial if it is lower than state. */
static enum status try_both_ways(struct scf_second_order *solver, const struct scf_state *state,
                                 struct valley *valley, bool *lower)
{
    double t = valley->length, *change = valley->change, again;
    TRY(try_length(solver, state, valley, -t, &change[1]));
    TRY(try_length(solver, state, valley, t, &change[0]));
    *lower = is_lower(fmin(change[0], change[1]), state);
    return *lower && change[1] < change[0] ? try_length(solver, state, valley, -t, &again)
                                           : STATUS_OK;
}

/* The t of the lowest E(t), p and q being those of the last energies: where
 * c + 1/2 p t + 1/6 q t^2 = 0. */
static double find_lowest_length(const struct valley *valley)
{
    double s = valley->length, c = valley->c;
    double even = (valley->change[0] + valley->change[1]) / (2 * valley->weight);
    double odd = (valley->change[0] - valley->change[1]) / (2 * valley->weight);
    double p = 6 * odd / (s * s * s), q = 24 * (even - c * s * s / 2) / (s * s * s * s);
    /* The way on which p leads down is the longer one. */
    double t = (fabs(p) / 2 + sqrt(p * p / 4 - 2 * q * c / 3)) * 3 / q;
    return fmin(fmax(t, LEAST_SHORTENING * s), MOST_SHORTENING * s);
}

/* Tries lengths until one leads down. */
static enum status search_valley(struct scf_second_order *solver, const struct scf_state *state,
                                 struct valley *valley, bool *moved)
{
    for (int i = 0; i < MAX_LENGTHS && !*moved; i++) {
        if (i > 0)
            valley->length = find_lowest_length(valley);
        TRY(try_both_ways(solver, state, valley, moved));
    }
    return STATUS_OK;
}

enum status scf_second_order_descend(struct scf_second_order *solver,
                                     const struct scf_rotation *direction, double curvature,
                                     struct scf_state **state, bool *moved)
{
    struct valley valley = {.direction = direction,
                            .weight = 2 * solver->basis->occupation,
                            .c = curvature,
                            .length = FIRST_LENGTH};
    *moved = false;
    TRY(scf_rotation_init(solver->basis, &valley.kappa));
    enum status status = search_valley(solver, *state, &valley, moved);
    scf_rotation_fini(&valley.kappa);
    if (*moved)
        swap_states(solver, state);
    solver->radius = FIRST_RADIUS;
    return status;
}
