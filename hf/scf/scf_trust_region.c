#include "hf/scf/scf_trust_region.h"

#include <math.h>

enum { MAX_PRODUCTS = 30 };

/* Differences of orbital energies below this do not tell the curvature, hartree. */
#define MIN_GAP 0.1

/* The vectors of the method and their scalar products in the metric M of the
 * preconditioner, which follow by recurrence from residual . z. */
struct conjugate_gradients {
    struct scf_hessian *hessian;
    struct scf_energy_gap gap;
    struct scf_rotation residual;  /* g + H x */
    struct scf_rotation z;         /* M^-1 residual */
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
                                            struct conjugate_gradients *cg)
{
    *cg = (struct conjugate_gradients){
        .hessian = hessian,
        .gap = {.orbital_energies = {hessian->orbital_energies[0], hessian->orbital_energies[1]},
                .floor = MIN_GAP},
    };
    TRY(scf_rotation_init(hessian->frame, &cg->residual));
    TRY(scf_rotation_init(hessian->frame, &cg->z));
    TRY(scf_rotation_init(hessian->frame, &cg->direction));
    TRY(scf_rotation_init(hessian->frame, &cg->product));
    scf_rotation_add(1, &hessian->gradient, 0, &cg->residual);
    scf_rotation_divide(&cg->gap, &cg->residual, &cg->z);
    scf_rotation_add(-1, &cg->z, 0, &cg->direction);
    cg->residual_z = scf_rotation_dot(&cg->residual, &cg->z);
    cg->p_M_p = cg->residual_z;
    return STATUS_OK;
}

/* x += a p and what follows from it. */
static void advance(struct conjugate_gradients *cg, double a, struct scf_rotation *x)
{
    scf_rotation_add(a, &cg->direction, 1, x);
    scf_rotation_add(a, &cg->product, 1, &cg->residual);
    cg->x_M_x += 2 * a * cg->x_M_p + a * a * cg->p_M_p;
    cg->x_M_p += a * cg->p_M_p;
}

/* The next conjugate direction. */
static void turn_direction(struct conjugate_gradients *cg)
{
    scf_rotation_divide(&cg->gap, &cg->residual, &cg->z);
    double residual_z = scf_rotation_dot(&cg->residual, &cg->z);
    double b = residual_z / cg->residual_z;
    scf_rotation_add(-1, &cg->z, b, &cg->direction);
    cg->residual_z = residual_z;
    cg->x_M_p *= b;
    cg->p_M_p = residual_z + b * b * cg->p_M_p;
}

/* Largest a with |x + a p| <= radius. */
static double distance_to_boundary(const struct conjugate_gradients *cg, double radius)
{
    double room = radius * radius - cg->x_M_x;
    return (sqrt(cg->x_M_p * cg->x_M_p + cg->p_M_p * room) - cg->x_M_p) / cg->p_M_p;
}

static enum status minimise(struct conjugate_gradients *cg, double radius,
                            struct scf_trust_step *step)
{
    /* Loose while far away, tighter as the gradient falls: converges superlinearly. */
    double first = sqrt(cg->residual_z);
    double wanted = first * fmin(0.1, sqrt(first));
    while (step->n_products < MAX_PRODUCTS && sqrt(cg->residual_z) > wanted) {
        TRY(scf_hessian_multiply(cg->hessian, &cg->direction, &cg->product));
        step->n_products++;
        double curvature = scf_rotation_dot(&cg->direction, &cg->product);
        double a = curvature > 0 ? cg->residual_z / curvature : INFINITY;
        double limit = distance_to_boundary(cg, radius);
        step->on_boundary = a >= limit;
        advance(cg, step->on_boundary ? limit : a, &step->kappa);
        if (step->on_boundary)
            break;
        turn_direction(cg);
    }
    return STATUS_OK;
}

enum status scf_trust_step_init(struct scf_hessian *hessian, double radius,
                                struct scf_trust_step *step)
{
    struct conjugate_gradients cg;
    *step = (struct scf_trust_step){0};
    TRY(scf_rotation_init(hessian->frame, &step->kappa));
    enum status status = conjugate_gradients_init(hessian, &cg);
    if (status == STATUS_OK && cg.residual_z > 0)
        status = minimise(&cg, radius, step);
    if (status == STATUS_OK) {
        step->slope = scf_rotation_dot(&hessian->gradient, &step->kappa);
        step->curvature = scf_rotation_dot(&cg.residual, &step->kappa) - step->slope;
        step->length = sqrt(cg.x_M_x);
    }
    conjugate_gradients_fini(&cg);
    if (status != STATUS_OK)
        scf_trust_step_fini(step);
    return status;
}

void scf_trust_step_fini(struct scf_trust_step *step)
{
    scf_rotation_fini(&step->kappa);
}
