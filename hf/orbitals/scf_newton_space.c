/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_newton_space.h"

#include <math.h>
#include <string.h>

/* The subspace is large enough where further vectors would gain this fraction of the step's gain: in
 * the region, and on its boundary, where the model does not hold so well. */
#define LEFT_INSIDE      5e-3
#define LEFT_ON_BOUNDARY 0.2

/* The shift exceeds minus the lowest eigenvalue by at least this fraction of it. */
#define LEAST_SHIFT 1e-9
enum { SHIFT_BISECTIONS = 100 };

/* A step on the boundary that is shorter than this fraction of the radius is prolonged. */
#define ON_BOUNDARY 0.99

enum { N_SPACE_ROTATIONS = 2 * NEWTON_VECTORS + NEWTON_MAX_NEW + 3 };

static void list_space_rotations(struct newton_space *space,
                                 struct scf_rotation *all[N_SPACE_ROTATIONS])
{
    int n = 0;
    all[n++] = &space->residual;
    all[n++] = &space->scratch;
    all[n++] = &space->kappa;
    for (int i = 0; i < NEWTON_MAX_NEW; i++)
        all[n++] = &space->next[i];
    for (int i = 0; i < NEWTON_VECTORS; i++) {
        all[n++] = &space->x[i];
        all[n++] = &space->Hx[i];
    }
}

enum status newton_space_init(struct scf_hessian *hessian,
                              struct scf_preconditioner *preconditioner, int most_new,
                              struct newton_space *space)
{
    struct scf_rotation *all[N_SPACE_ROTATIONS];
    *space = (struct newton_space){
        .hessian = hessian, .preconditioner = preconditioner, .most_new = most_new};
    list_space_rotations(space, all);
    return scf_rotations_init(hessian->basis, N_SPACE_ROTATIONS, all);
}

void newton_space_fini(struct newton_space *space)
{
    struct scf_rotation *all[N_SPACE_ROTATIONS];
    list_space_rotations(space, all);
    for (int i = 0; i < N_SPACE_ROTATIONS; i++)
        scf_rotation_fini(all[i]);
}

int64_t newton_space_bytes(const struct scf_basis *plan)
{
    return N_SPACE_ROTATIONS * scf_rotation_bytes(plan);
}

/* --- vectors of a pass --- */

/* Makes vector number n orthonormal to those before, in the metric; false if nothing is left. */
static bool orthonormalise_vector(struct newton_space *space, int n)
{
    struct scf_rotation *x = space->x;
    double dots[NEWTON_VECTORS + 1], before = 0, left = 0;
    /* Twice: the first pass leaves rounding errors of what it removes. */
    for (int pass = 0; pass < 2; pass++) {
        scf_rotation_multiply(&space->preconditioner->gap, &x[n], &space->scratch);
        scf_rotation_dots(n + 1, x, &space->scratch, dots);
        before = pass == 0 ? dots[n] : before;
        left = dots[n];
        for (int i = 0; i < n; i++) {
            scf_rotation_add(-dots[i], &x[i], 1, &x[n]);
            left -= dots[i] * dots[i];
        }
    }
    if (!(left > 1e-16 * before))
        return false;
    scf_rotation_add(0, &x[n], 1 / sqrt(left), &x[n]);
    return true;
}

/* Adds a vector to the coming pass where there is room, and anything of it is new. */
static void add_vector(struct newton_space *space, const struct scf_rotation *vector)
{
    int place = space->n + space->n_new;
    if (place == NEWTON_VECTORS || space->n_new == space->most_new)
        return;
    scf_rotation_add(1, vector, 0, &space->x[place]);
    space->n_new += orthonormalise_vector(space, place);
}

/* sum_i C[i] x[i] and, in addition to what is in there, the same sum of H x. */
static void combine_vectors(const struct newton_space *space, const double *C,
                            struct scf_rotation *x, struct scf_rotation *Hx)
{
    for (int i = 0; i < space->n; i++) {
        scf_rotation_add(C[i], &space->x[i], i > 0, x);
        scf_rotation_add(C[i], &space->Hx[i], 1, Hx);
    }
}

/* next[0] = the preconditioned residual of the step, kappa of it set. */
static void correct_step(struct newton_space *space)
{
    const struct scf_energy_gap *gap = &space->preconditioner->gap;
    scf_rotation_add(1, &space->hessian->gradient, 0, &space->residual);
    combine_vectors(space, space->coefficients, &space->kappa, &space->residual);
    scf_rotation_multiply(gap, &space->kappa, &space->scratch);
    scf_rotation_add(space->shift, &space->scratch, 1, &space->residual);
    scf_preconditioner_apply(space->preconditioner, &space->residual, &space->next[0]);
    space->residual_z = scf_rotation_dot(&space->residual, &space->next[0]);
}

/* next[1] = the preconditioned residual of the lowest mode. */
static void correct_lowest_mode(struct newton_space *space)
{
    struct scf_rotation *mode = &space->scratch, *residual = &space->residual;
    scf_rotation_add(0, residual, 0, residual);
    combine_vectors(space, space->combinations, mode, residual);
    scf_rotation_multiply(&space->preconditioner->gap, mode, mode);
    scf_rotation_add(-space->eigenvalues[0], mode, 1, residual);
    scf_preconditioner_apply(space->preconditioner, residual, &space->next[1]);
}

/* The softest of the preconditioner's directions; NULL: it has none. */
static const struct scf_rotation *find_softest(const struct scf_preconditioner *preconditioner)
{
    int softest = 0;
    for (int i = 1; i < preconditioner->n; i++)
        if (preconditioner->curvature[i] < preconditioner->curvature[softest])
            softest = i;
    return preconditioner->n > 0 ? &preconditioner->x[softest] : NULL;
}

/* The vectors of the coming pass: none if the subspace is full, or complete. */
static void choose_pass(struct newton_space *space)
{
    const struct scf_rotation *softest = find_softest(space->preconditioner);
    space->n_new = 0;
    add_vector(space, &space->next[0]);
    if (space->n_new == space->most_new)
        return;
    if (space->n > 0) {
        correct_lowest_mode(space);
        add_vector(space, &space->next[1]);
    } else if (softest) {
        add_vector(space, softest);
    }
}

/* --- the model --- */

/* The new vectors' products; screening is absolute, so the build sees vectors of norm 1. */
static enum status multiply_pass(struct newton_space *space)
{
    const struct scf_rotation *vectors[NEWTON_MAX_NEW];
    struct scf_rotation *x = &space->x[space->n], *products[NEWTON_MAX_NEW];
    double norms[NEWTON_MAX_NEW];
    for (int i = 0; i < space->n_new; i++) {
        norms[i] = sqrt(scf_rotation_dot(&x[i], &x[i]));
        scf_rotation_add(0, &x[i], 1 / norms[i], &x[i]);
        vectors[i] = &x[i];
        products[i] = &space->Hx[space->n + i];
    }
    TRY(scf_hessian_multiply_several(space->hessian, space->n_new, space->n_new, vectors,
                                     products));
    for (int i = 0; i < space->n_new; i++) {
        scf_rotation_add(0, &x[i], norms[i], &x[i]);
        scf_rotation_add(0, products[i], norms[i], products[i]);
    }
    return STATUS_OK;
}

/* Takes the new vectors and their products into the subspace. */
static void extend_model(struct newton_space *space)
{
    int first = space->n, n_new = space->n_new, n = first + n_new;
    scf_rotations_extend_matrix(first, n, space->x, space->Hx, NEWTON_VECTORS, space->matrix);
    scf_rotation_dot_products(n_new, &space->x[first], 1, &space->hessian->gradient,
                              &space->g[first]);
    space->n = n;
    space->n_new = 0;
}

/* Sets eigenvalues and combinations; along[k]: the gradient along eigenvector k. */
static enum status diagonalise_model(struct newton_space *space, double along[NEWTON_VECTORS])
{
    int n = space->n;
    double *C = space->combinations;
    for (int i = 0; i < n; i++)
        memcpy(C + (int64_t)i * n, space->matrix + (int64_t)i * NEWTON_VECTORS,
               (size_t)n * sizeof *C);
    TRY(symmetric_eigen_in(n, C, space->eigenvalues, space->work));
    for (int k = 0; k < n; k++) {
        along[k] = 0;
        for (int i = 0; i < n; i++)
            along[k] += C[k * n + i] * space->g[i];
    }
    return STATUS_OK;
}

/* Length of the step with a shift. */
static double shifted_length(const struct newton_space *space, const double along[], double shift)
{
    double square = 0;
    for (int k = 0; k < space->n; k++) {
        double step = along[k] / (space->eigenvalues[k] + shift);
        square += step * step;
    }
    return sqrt(square);
}

/* Sets shift and on_boundary: the length falls with the shift. */
static void find_shift(struct newton_space *space, const double along[], double radius)
{
    double lowest = space->eigenvalues[0], square = 0;
    space->on_boundary = !(lowest > 0 && shifted_length(space, along, 0) <= radius);
    space->shift = 0;
    if (!space->on_boundary)
        return;
    for (int k = 0; k < space->n; k++)
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

/* The coefficients of eigenvectors in the step, and its length. Where the gradient has next to nothing
 * of a lowest mode downhill, no shift makes the step reach the boundary, and that mode does. */
static void find_mode_steps(struct newton_space *space, const double along[], double radius,
                            double step[])
{
    double square = 0;
    for (int k = 0; k < space->n; k++) {
        step[k] = -along[k] / (space->eigenvalues[k] + space->shift);
        square += step[k] * step[k];
    }
    if (space->on_boundary && sqrt(square) < ON_BOUNDARY * radius) {
        double missing = sqrt(radius * radius - square + step[0] * step[0]);
        step[0] = along[0] > 0 ? -missing : missing;
        square = radius * radius;
    }
    space->length = sqrt(square);
}

enum status newton_space_step(struct newton_space *space, double radius)
{
    int n = space->n;
    double along[NEWTON_VECTORS], step[NEWTON_VECTORS];
    TRY(diagonalise_model(space, along));
    find_shift(space, along, radius);
    find_mode_steps(space, along, radius, step);
    memset(space->coefficients, 0, sizeof space->coefficients);
    space->slope = space->curvature = 0;
    for (int k = 0; k < n; k++) {
        space->slope += along[k] * step[k];
        space->curvature += space->eigenvalues[k] * step[k] * step[k];
        for (int i = 0; i < n; i++)
            space->coefficients[i] += space->combinations[k * n + i] * step[k];
    }
    correct_step(space);
    return STATUS_OK;
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
        if (space->n_new == 0)
            return STATUS_OK;
        TRY(multiply_pass(space));
        extend_model(space);
        TRY(newton_space_step(space, radius));
        if (is_step_found(space))
            return STATUS_OK;
    }
}

void newton_space_keep(struct newton_space *space)
{
    int n = space->n, n_negative = 0;
    while (n_negative < n && !(space->eigenvalues[n_negative] > 0))
        n_negative++;
    int n_kept = n - n_negative;
    n_kept = n_kept < SCF_KEPT_DIRECTIONS ? n_kept : SCF_KEPT_DIRECTIONS;
    const double *C = space->combinations + (int64_t)n_negative * n;
    scf_rotations_combine(n, n_kept, C, space->x);
    scf_rotations_combine(n, n_kept, C, space->Hx);
    scf_preconditioner_keep(space->preconditioner, n_kept, space->x, space->Hx);
}
