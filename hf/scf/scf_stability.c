#include "hf/scf/scf_stability.h"

#include "support/arrays/symmetric_eigen.h"
#include "support/base/agree.h"

#include <math.h>
#include <string.h>

enum { MAX_VECTORS = 12, MAX_PRODUCTS = 40, MIN_PRODUCTS = 5 };

/* A residual below this settles the eigenvalue to well within SCF_UNSTABLE. */
#define SMALL_RESIDUAL 3e-4

struct davidson {
    struct scf_hessian *hessian;
    int n_vectors;
    struct scf_rotation vectors[MAX_VECTORS];  /* orthonormal */
    struct scf_rotation products[MAX_VECTORS]; /* H times each */
    double matrix[MAX_VECTORS * MAX_VECTORS];  /* of H between them */
    double combination[MAX_VECTORS];           /* the lowest eigenvector in it */
    struct scf_rotation residual;              /* H x - eigenvalue x, then the next vector */
    struct scf_rotation x, Hx;
    double eigenvalue, residual_norm;
};

static void davidson_fini(struct davidson *davidson)
{
    for (int i = 0; i < MAX_VECTORS; i++) {
        scf_rotation_fini(&davidson->vectors[i]);
        scf_rotation_fini(&davidson->products[i]);
    }
    scf_rotation_fini(&davidson->residual);
    scf_rotation_fini(&davidson->x);
    scf_rotation_fini(&davidson->Hx);
}

/* The gap that an eigenvalue has to reach for a vector to matter; keeps the
 * preconditioner positive. */
static void precondition(struct davidson *davidson, const struct scf_rotation *x,
                         struct scf_rotation *y)
{
    struct scf_energy_gap gap = {
        .orbital_energies = {davidson->hessian->orbital_energies[0],
                             davidson->hessian->orbital_energies[1]},
        .shift = -davidson->eigenvalue,
        .floor = 0.1,
    };
    scf_rotation_divide(&gap, x, y);
}

/* Makes the residual a unit vector orthogonal to those kept; false if nothing is left. */
static bool orthonormalise(struct davidson *davidson)
{
    double before = sqrt(scf_rotation_dot(&davidson->residual, &davidson->residual));
    /* Twice: the first pass leaves rounding errors of what it removes. */
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < davidson->n_vectors; i++)
            scf_rotation_add(-scf_rotation_dot(&davidson->vectors[i], &davidson->residual),
                             &davidson->vectors[i], 1, &davidson->residual);
    double norm = sqrt(scf_rotation_dot(&davidson->residual, &davidson->residual));
    if (!(norm > 1e-8 * before))
        return false;
    scf_rotation_add(0, &davidson->residual, 1 / norm, &davidson->residual);
    return true;
}

/* Takes the residual, a unit vector, among the vectors; multiplies it. */
static enum status extend_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors;
    const struct scf_basis *basis = davidson->hessian->basis;
    if (!davidson->vectors[n].kappa[0] && !davidson->vectors[n].kappa[1]) {
        TRY(scf_rotation_init(basis, &davidson->vectors[n]));
        TRY(scf_rotation_init(basis, &davidson->products[n]));
    }
    scf_rotation_add(1, &davidson->residual, 0, &davidson->vectors[n]);
    TRY(scf_hessian_multiply(davidson->hessian, &davidson->vectors[n], &davidson->products[n]));
    davidson->n_vectors++;
    for (int i = 0; i <= n; i++) {
        double element = scf_rotation_dot(&davidson->vectors[i], &davidson->products[n]);
        davidson->matrix[i * MAX_VECTORS + n] = davidson->matrix[n * MAX_VECTORS + i] = element;
    }
    return STATUS_OK;
}

/* x, Hx, the eigenvalue and the residual of the lowest combination. */
static enum status solve_subspace(struct davidson *davidson)
{
    int n = davidson->n_vectors;
    double matrix[MAX_VECTORS * MAX_VECTORS], values[MAX_VECTORS];
    for (int64_t i = 0; i < n; i++)
        memcpy(matrix + i * n, davidson->matrix + i * MAX_VECTORS, (size_t)n * sizeof(double));
    TRY(status_agree(davidson->hessian->basis->problem->comm, symmetric_eigen(n, matrix, values)));
    memcpy(davidson->combination, matrix, (size_t)n * sizeof(double));
    davidson->eigenvalue = values[0];
    for (int i = 0; i < n; i++) {
        double c = davidson->combination[i];
        scf_rotation_add(c, &davidson->vectors[i], i > 0, &davidson->x);
        scf_rotation_add(c, &davidson->products[i], i > 0, &davidson->Hx);
    }
    scf_rotation_add(1, &davidson->Hx, 0, &davidson->residual);
    scf_rotation_add(-davidson->eigenvalue, &davidson->x, 1, &davidson->residual);
    davidson->residual_norm = sqrt(scf_rotation_dot(&davidson->residual, &davidson->residual));
    return STATUS_OK;
}

/* Keeps only the lowest combination when there is no room. */
static void collapse_subspace(struct davidson *davidson)
{
    if (davidson->n_vectors < MAX_VECTORS)
        return;
    scf_rotation_add(1, &davidson->x, 0, &davidson->vectors[0]);
    scf_rotation_add(1, &davidson->Hx, 0, &davidson->products[0]);
    davidson->matrix[0] = davidson->eigenvalue;
    davidson->n_vectors = 1;
}

/* Whether the sign of the lowest eigenvalue is known: an approximate one lies above it,
 * and one eigenvalue lies within the residual of it. A negative one is refined until
 * its vector is a good direction. */
static bool lowest_is_converged(const struct davidson *davidson, int n_products)
{
    double size = fabs(davidson->eigenvalue);
    if (davidson->residual_norm < SMALL_RESIDUAL)
        return true;
    if (davidson->eigenvalue < 10 * SCF_UNSTABLE)
        return davidson->residual_norm < 0.05 * size;
    return n_products >= MIN_PRODUCTS && davidson->residual_norm < 0.1 * size;
}

static enum status find_lowest(struct davidson *davidson, struct scf_stability *stability)
{
    scf_rotation_set_noise(&davidson->Hx);
    precondition(davidson, &davidson->Hx, &davidson->residual);
    while (orthonormalise(davidson) && stability->n_products < MAX_PRODUCTS) {
        TRY(extend_subspace(davidson));
        stability->n_products++;
        TRY(solve_subspace(davidson));
        stability->converged = lowest_is_converged(davidson, stability->n_products);
        if (stability->converged)
            return STATUS_OK;
        collapse_subspace(davidson);
        precondition(davidson, &davidson->residual, &davidson->residual);
    }
    /* No vector is left: the subspace is the whole space. */
    stability->converged = stability->n_products < MAX_PRODUCTS;
    return STATUS_OK;
}

enum status scf_stability_init(struct scf_hessian *hessian, struct scf_stability *stability)
{
    struct davidson davidson = {.hessian = hessian};
    *stability = (struct scf_stability){0};
    enum status status = scf_rotation_init(hessian->basis, &davidson.residual);
    if (status == STATUS_OK)
        status = scf_rotation_init(hessian->basis, &davidson.x);
    if (status == STATUS_OK)
        status = scf_rotation_init(hessian->basis, &davidson.Hx);
    if (status == STATUS_OK)
        status = find_lowest(&davidson, stability);
    if (status == STATUS_OK) {
        stability->eigenvalue = davidson.eigenvalue;
        stability->direction = davidson.x;
        davidson.x = (struct scf_rotation){0};
    }
    davidson_fini(&davidson);
    return status;
}

void scf_stability_fini(struct scf_stability *stability)
{
    scf_rotation_fini(&stability->direction);
}
