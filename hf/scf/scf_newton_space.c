/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_newton_space.h"

#include <math.h>
#include <string.h>

/* The subspace is large enough where further vectors would gain this fraction of the step's gain: in
 * the region, and on its boundary, where the model does not hold so well. */
#define LEFT_INSIDE      5e-3
#define LEFT_ON_BOUNDARY 0.2

/* The shift exceeds minus the lowest eigenvalue by at least this fraction of it. */
#define LEAST_SHIFT 1e-9
enum { SHIFT_BISECTIONS = 100 };

/* Those besides the subspace's. */
enum { N_SPACE_ROTATIONS = NEWTON_MAX_NEW + 3 };

enum status newton_space_init(struct scf_hessian *hessian,
                              struct scf_preconditioner *preconditioner, int most_new,
                              struct newton_space *space)
{
    *space = (struct newton_space){
        .hessian = hessian, .preconditioner = preconditioner, .most_new = most_new};
    TRY(scf_subspace_init(hessian->basis, NEWTON_VECTORS, &preconditioner->gap, NULL,
                          &space->subspace));
    TRY(scf_rotations_init(hessian->basis, NEWTON_MAX_NEW, space->next));
    TRY(scf_rotations_init(hessian->basis, 1, &space->residual));
    TRY(scf_rotations_init(hessian->basis, 1, &space->scratch));
    return scf_rotations_init(hessian->basis, 1, &space->kappa);
}

void newton_space_fini(struct newton_space *space)
{
    scf_rotations_fini(NEWTON_MAX_NEW, space->next);
    scf_rotations_fini(1, &space->residual);
    scf_rotations_fini(1, &space->scratch);
    scf_rotations_fini(1, &space->kappa);
    scf_subspace_fini(&space->subspace);
}

int64_t newton_space_bytes(const struct scf_basis *plan)
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
    scf_rotation_scale(gap, SCF_TIMES_GAP, &space->kappa, &space->scratch);
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
    scf_rotation_scale(&space->preconditioner->gap, SCF_TIMES_GAP, mode, mode);
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

void newton_space_step(struct newton_space *space, double radius)
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

enum status newton_space_minimise(struct newton_space *space, double radius)
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

void newton_space_keep(struct newton_space *space)
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
