#include "hf/scf/scf_second_order.h"

#include "hf/scf/scf_trust_region.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>

#define FIRST_RADIUS 0.5
#define MAX_RADIUS   2.0
#define MIN_RADIUS   1e-5

/* Energies differ by rounding within this share of the energy, and by screening within
 * this, hartree. */
#define ROUNDING  1e-13
#define SCREENING 1e-11

enum { MAX_SHORTENED = 8 };

enum status scf_second_order_create(const struct scf_frame *frame, struct scf_fock *fock,
                                    struct scf_second_order **solver)
{
    struct scf_second_order *new = calloc(1, sizeof *new);
    *solver = NULL;
    enum status status =
        new ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the second-order method");
    TRY(status_agree(frame->problem->comm, status));
    *new = (struct scf_second_order){.frame = frame, .fock = fock, .radius = FIRST_RADIUS};
    status = scf_point_create(frame, &new->trial);
    if (status != STATUS_OK) {
        scf_second_order_destroy(new);
        return status;
    }
    *solver = new;
    return STATUS_OK;
}

void scf_second_order_destroy(struct scf_second_order *solver)
{
    if (!solver)
        return;
    scf_point_destroy(solver->trial);
    free(solver);
}

/* Turns point by kappa into trial, with F, canonical orbitals and gradient. */
static enum status try_rotation(struct scf_second_order *solver, const struct scf_point *point,
                                const struct scf_rotation *kappa)
{
    TRY(scf_rotate(solver->frame, point, kappa, solver->trial));
    TRY(scf_point_build(solver->frame, solver->fock, false, solver->trial));
    TRY(scf_point_canonicalise(solver->frame, solver->trial));
    scf_point_gradient(solver->frame, solver->trial);
    return STATUS_OK;
}

static void swap_points(struct scf_second_order *solver, struct scf_point **point)
{
    struct scf_point *accepted = solver->trial;
    solver->trial = *point;
    *point = accepted;
}

/* Whether a change of the energy of this size can be told from noise. */
static bool is_visible(double change, const struct scf_point *point)
{
    return fabs(change) > 10 * (ROUNDING * fabs(point->energy) + SCREENING);
}

/* Whether the trial is better than point, of which the step foretold a change of
 * the energy. Near the minimum the energy says nothing any more, but the gradient does. */
static bool is_better(const struct scf_second_order *solver, const struct scf_point *point,
                      double foretold)
{
    double change = solver->trial->energy - point->energy;
    if (is_visible(foretold, point))
        return change < 0.01 * foretold;
    return !is_visible(fmax(change, 0), point) && solver->trial->gradient < point->gradient;
}

/* Widens the trust region where the model held up to its boundary, shrinks it to a
 * part of the step tried where it failed. */
static void adjust_radius(struct scf_second_order *solver, const struct scf_trust_step *trust,
                          double length, double ratio)
{
    if (ratio > 0.75 && trust->on_boundary && length == 1)
        solver->radius = fmin(2 * solver->radius, MAX_RADIUS);
    else if (ratio < 0.25)
        solver->radius = fmax(0.25 * length * trust->length, MIN_RADIUS);
}

/* Tries the step, and ever shorter ones along it. */
static enum status search_along(struct scf_second_order *solver, const struct scf_hessian *hessian,
                                struct scf_trust_step *trust, struct scf_point **point, bool *moved)
{
    double length = 1; /* of what is tried, in units of the step found */
    *moved = false;
    for (int shortened = 0; shortened <= MAX_SHORTENED && !*moved; shortened++) {
        double foretold =
            hessian->weight * (length * trust->slope + length * length / 2 * trust->curvature);
        TRY(try_rotation(solver, *point, &trust->kappa));
        *moved = is_better(solver, *point, foretold);
        if (is_visible(foretold, *point))
            adjust_radius(solver, trust, length,
                          (solver->trial->energy - (*point)->energy) / foretold);
        if (!*moved) {
            scf_rotation_add(0, &trust->kappa, 0.25, &trust->kappa);
            length *= 0.25;
        }
    }
    if (*moved)
        swap_points(solver, point);
    return STATUS_OK;
}

enum status scf_second_order_step(struct scf_second_order *solver, struct scf_point **point,
                                  struct scf_step *step)
{
    struct scf_hessian hessian;
    struct scf_trust_step trust;
    *step = (struct scf_step){0};
    TRY(scf_hessian_init(solver->frame, solver->fock, *point, &hessian));
    enum status status = scf_trust_step_init(&hessian, solver->radius, &trust);
    if (status == STATUS_OK) {
        step->n_products = trust.n_products;
        step->foretold = hessian.weight * (trust.slope + trust.curvature / 2);
        if (trust.slope < 0)
            status = search_along(solver, &hessian, &trust, point, &step->moved);
        scf_trust_step_fini(&trust);
    }
    scf_hessian_fini(&hessian);
    return status;
}

/* Tries both ways along direction, which differ unless a symmetry says otherwise; leaves
 * the lower one in trial if it is lower than point. */
static enum status try_both_ways(struct scf_second_order *solver,
                                 const struct scf_rotation *direction, double length,
                                 const struct scf_point *point, struct scf_rotation *kappa,
                                 bool *lower)
{
    scf_rotation_add(-length, direction, 0, kappa);
    TRY(try_rotation(solver, point, kappa));
    double backward = solver->trial->energy;
    scf_rotation_add(length, direction, 0, kappa);
    TRY(try_rotation(solver, point, kappa));
    if (backward < solver->trial->energy) {
        scf_rotation_add(-length, direction, 0, kappa);
        TRY(try_rotation(solver, point, kappa));
    }
    *lower = solver->trial->energy < point->energy;
    return STATUS_OK;
}

enum status scf_second_order_descend(struct scf_second_order *solver,
                                     const struct scf_rotation *direction, struct scf_point **point,
                                     bool *moved)
{
    static const double lengths[] = {0.5, 0.2, 0.05};
    struct scf_rotation kappa;
    *moved = false;
    TRY(scf_rotation_init(solver->frame, &kappa));
    enum status status = STATUS_OK;
    for (int i = 0; i < 3 && !*moved && status == STATUS_OK; i++)
        status = try_both_ways(solver, direction, lengths[i], *point, &kappa, moved);
    scf_rotation_fini(&kappa);
    if (*moved)
        swap_points(solver, point);
    solver->radius = FIRST_RADIUS;
    return status;
}
