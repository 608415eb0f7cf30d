/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_open_shell.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scratch. */
struct turning {
    struct dense *X, *H; /* m x m */
    struct dense *Q[2];  /* m x rows of either kappa: the columns of U that it turns others into */
    struct dense *Qk[2]; /* m x n_occupied: Q kappa */
    struct dense *XU;    /* m x n_occupied of alpha */
};

enum { N_TURNING_MEMBERS = 7 };
static void list_turning(const struct scf_basis *basis, struct turning *turning,
                         struct dense_member members[N_TURNING_MEMBERS])
{
    int64_t m = basis->n_orbitals;
    const int *o = basis->n_occupied;
    const struct dense_member all[N_TURNING_MEMBERS] = {
        {&turning->X, m, m},
        {&turning->H, m, m},
        {&turning->Q[0], m, scf_rotation_rows(basis, 0)},
        {&turning->Q[1], m, scf_rotation_rows(basis, 1)},
        {&turning->Qk[0], m, o[0]},
        {&turning->Qk[1], m, o[1]},
        {&turning->XU, m, o[0]},
    };
    memcpy(members, all, sizeof all);
}

int64_t scf_open_bytes(const struct scf_basis *plan)
{
    struct turning turning;
    struct dense_member members[N_TURNING_MEMBERS];
    list_turning(plan, &turning, members);
    return dense_members_bytes(plan->problem->grid, N_TURNING_MEMBERS, members) +
           2 * (int64_t)sizeof(double) * plan->n_orbitals;
}

static void turning_fini(struct turning *turning)
{
    dense_destroy(turning->X);
    dense_destroy(turning->H);
    for (int s = 0; s < 2; s++) {
        dense_destroy(turning->Q[s]);
        dense_destroy(turning->Qk[s]);
    }
    dense_destroy(turning->XU);
}

/* Errors: on failure turning_fini still has to be called. */
static enum status turning_init(const struct scf_basis *basis, const struct scf_state *state,
                                struct turning *turning)
{
    struct dense_member members[N_TURNING_MEMBERS];
    *turning = (struct turning){0};
    list_turning(basis, turning, members);
    TRY(dense_create_members(basis->problem->grid, N_TURNING_MEMBERS, members));
    for (int s = 0; s < 2; s++)
        dense_copy_columns(state->U[s], basis->n_occupied[s], turning->Q[s]);
    return STATUS_OK;
}

/* Multiplies the columns of closed orbitals, the first ones. */
static void scale_closed(const struct scf_basis *basis, double factor, struct dense *A)
{
    for (int c = 0; c < A->local_columns; c++)
        for (int r = 0; r < A->local_rows && dense_global_column(A, c) < basis->n_occupied[1]; r++)
            A->local[(size_t)c * (size_t)A->local_rows + (size_t)r] *= factor;
}

void scf_open_scale(const struct scf_basis *basis, double factor, struct scf_rotation *kappa)
{
    if (scf_is_rohf(basis->problem) && kappa->kappa[0])
        scale_closed(basis, factor, kappa->kappa[0]);
}

/* X = A - A^T,  A = U_v (x_vc, x_vo) (U_c, U_o)^T + U_o x_oc U_c^T. Uses work_mm[0]. */
static void set_generator(const struct scf_basis *basis, const struct scf_state *state,
                          const struct scf_rotation *kappa, struct turning *turning)
{
    struct dense *A = basis->work_mm[0];
    double beta = 0;
    dense_add(0, A, 0, A);
    for (int s = 0; s < 2; s++) {
        if (!kappa->kappa[s])
            continue;
        dense_multiply('N', 'N', 1, turning->Q[s], kappa->kappa[s], 0, turning->Qk[s]);
        if (s == 0)
            scale_closed(basis, M_SQRT1_2, turning->Qk[s]);
        dense_multiply('N', 'T', 1, turning->Qk[s], state->U_o[s], beta, A);
        beta = 1;
    }
    dense_copy(A, turning->X);
    dense_add_transposed(-1, A, 1, turning->X);
}

/* --- products --- */

/* B = A + A^T. */
static void set_symmetric(const struct dense *A, struct dense *B)
{
    dense_copy(A, B);
    dense_add_transposed(1, A, 1, B);
}

/* B += factor (A - A^T). */
static void add_difference(double factor, const struct dense *A, struct dense *B)
{
    dense_add(factor, A, 1, B);
    dense_add_transposed(-factor, A, 1, B);
}

/* dP = [X, P] of a spin = T + T^T,  T = X U_o U_o^T. Uses work_mm[0]. */
static void set_change(const struct scf_basis *basis, const struct scf_state *state, int spin,
                       struct turning *turning, struct dense *dP)
{
    struct dense *T = basis->work_mm[0], *XU = spin == 0 ? turning->XU : turning->Qk[1];
    dense_multiply('N', 'N', 1, turning->X, state->U_o[spin], 0, XU);
    dense_multiply('N', 'T', 1, XU, state->U_o[spin], 0, T);
    set_symmetric(T, dP);
}

/* d = the change of a spin's density over the functions. Uses work_mm[1], work_nm. */
static void set_density(const struct scf_basis *basis, const struct scf_state *state, int spin,
                        struct turning *turning, struct dense *d)
{
    struct dense *dP = basis->work_mm[1];
    set_change(basis, state, spin, turning, dP);
    dense_multiply('N', 'N', 1, basis->X, dP, 0, basis->work_nm);
    dense_multiply('N', 'T', 1, basis->work_nm, basis->X, 0, d);
}

/* H += [dP, F] / 2 + [P, [F, X] / 2 + G] of a spin. G: over the functions. */
static void add_product(const struct scf_basis *basis, const struct scf_state *state, int spin,
                        const struct dense *G, struct turning *turning)
{
    const struct dense *F = state->F[spin], *U_o = state->U_o[spin];
    struct dense *T = basis->work_mm[0], *B = basis->work_mm[1];
    struct dense *BU_o = spin == 0 ? turning->XU : turning->Qk[1];
    set_change(basis, state, spin, turning, B);
    dense_multiply('N', 'N', 1, B, F, 0, T);
    add_difference(0.5, T, turning->H);
    dense_multiply('N', 'N', 1, F, turning->X, 0, T);
    set_symmetric(T, B);
    scf_basis_project(basis, G, T);
    dense_add(1, T, 0.5, B);
    dense_multiply('N', 'N', 1, B, U_o, 0, BU_o);
    dense_multiply('N', 'T', 1, U_o, BU_o, 0, T);
    add_difference(1, T, turning->H);
}

/* The blocks of H: kappa = - Q^T H U_o. */
static void take_blocks(const struct scf_basis *basis, const struct scf_state *state,
                        struct turning *turning, struct scf_rotation *product)
{
    for (int s = 0; s < 2; s++) {
        struct dense *HU = s == 0 ? turning->XU : turning->Qk[1];
        if (!product->kappa[s])
            continue;
        dense_multiply('N', 'N', 1, turning->H, state->U_o[s], 0, HU);
        dense_multiply('T', 'N', -1, turning->Q[s], HU, 0, product->kappa[s]);
    }
    scf_open_scale(basis, M_SQRT1_2, product);
}

static enum status multiply_with(struct scf_hessian *hessian, const struct density_kind *kind,
                                 const struct scf_rotation *const kappa[],
                                 struct scf_rotation *const product[], struct turning *turning)
{
    const struct scf_basis *basis = hessian->basis;
    const struct scf_state *state = hessian->state;
    int n = kind->n_matrices / 2;
    for (int i = 0; i < n; i++) {
        set_generator(basis, state, kappa[i], turning);
        for (int s = 0; s < 2; s++)
            set_density(basis, state, s, turning, hessian->d[2 * i + s]);
    }
    TRY(scf_fock_of_several(hessian->fock, kind, hessian->d, hessian->G));
    for (int i = 0; i < n; i++) {
        set_generator(basis, state, kappa[i], turning);
        dense_add(0, turning->X, 0, turning->H);
        for (int s = 0; s < 2; s++)
            add_product(basis, state, s, hessian->G[2 * i + s], turning);
        take_blocks(basis, state, turning, product[i]);
    }
    return STATUS_OK;
}

enum status scf_open_multiply(struct scf_hessian *hessian, const struct density_kind *kind,
                              const struct scf_rotation *const kappa[],
                              struct scf_rotation *const product[])
{
    struct turning turning;
    enum status status = turning_init(hessian->basis, hessian->state, &turning);
    if (status == STATUS_OK)
        status = multiply_with(hessian, kind, kappa, product, &turning);
    turning_fini(&turning);
    return status;
}

/* --- turned orbitals --- */

/* exp(X) U_o = W cos(s) W^T U_o + X W sin(s)/s W^T U_o,   X^T X W = W s^2. s2, factor: m each. */
static enum status turn_with(const struct scf_basis *basis, const struct scf_state *state,
                             struct turning *turning, double *s2, double *factor,
                             struct scf_state *trial)
{
    struct dense *W = turning->H, *scaled = basis->work_mm[0], *WU = turning->XU;
    struct dense *U_o = trial->work_o[0];
    int m = basis->n_orbitals;
    dense_multiply('T', 'N', 1, turning->X, turning->X, 0, basis->work_mm[1]);
    TRY(dense_eigen(basis->work_mm[1], s2, W));
    dense_multiply('T', 'N', 1, W, state->U_o[0], 0, WU);
    for (int i = 0; i < m; i++)
        factor[i] = cos(sqrt(fmax(s2[i], 0)));
    dense_copy(W, scaled);
    dense_scale_columns(scaled, factor);
    dense_multiply('N', 'N', 1, scaled, WU, 0, U_o);
    for (int i = 0; i < m; i++) {
        double s = sqrt(fmax(s2[i], 0));
        factor[i] = s > 1e-8 ? sin(s) / s : 1;
    }
    dense_scale_columns(W, factor);
    dense_multiply('N', 'N', 1, turning->X, W, 0, scaled);
    dense_multiply('N', 'N', 1, scaled, WU, 1, U_o);
    dense_copy(U_o, trial->U_o[0]);
    dense_copy_columns(U_o, 0, trial->U_o[1]);
    trial->idempotent = true;
    return STATUS_OK;
}

enum status scf_open_rotate(const struct scf_basis *basis, const struct scf_state *state,
                            const struct scf_rotation *kappa, struct scf_state *trial)
{
    struct turning turning;
    size_t m = (size_t)basis->n_orbitals;
    double *s2 = agree_calloc(basis->problem->comm, 2 * m * sizeof *s2, "turned orbitals");
    if (!s2)
        return STATUS_NO_MEMORY;
    enum status status = turning_init(basis, state, &turning);
    if (status == STATUS_OK) {
        set_generator(basis, state, kappa, &turning);
        status = turn_with(basis, state, &turning, s2, s2 + m, trial);
    }
    turning_fini(&turning);
    free(s2);
    return status;
}
