/* SPDX-License-Identifier: BSD-3-Clause */
/* Orbitals turned by a rotation (scf_hessian.h). */
#include "hf/scf/scf_hessian.h"

#include "hf/scf/scf_open_shell.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Scratch for turning the orbitals of one spin. */
struct turn {
    struct dense *square; /* n_occupied x n_occupied: kappa^T kappa */
    struct dense *W;
    struct dense *kappa_W; /* n_virtual x n_occupied */
    struct dense *U_v;     /* of the state */
    double *s2, *factor;   /* n_occupied */
};

enum { N_TURN_MEMBERS = 4 };
static void list_turn_matrices(const struct scf_basis *basis, int spin, struct turn *turn,
                               struct dense_member members[N_TURN_MEMBERS])
{
    int64_t m = basis->n_orbitals, o = basis->n_occupied[spin], v = scf_rotation_rows(basis, spin);
    const struct dense_member all[N_TURN_MEMBERS] = {
        {&turn->square, o, o}, {&turn->W, o, o}, {&turn->kappa_W, v, o}, {&turn->U_v, m, v}};
    memcpy(members, all, sizeof all);
}

static void turn_fini(struct turn *turn)
{
    dense_destroy(turn->square);
    dense_destroy(turn->W);
    dense_destroy(turn->kappa_W);
    dense_destroy(turn->U_v);
    free(turn->s2);
}

/* Errors: on failure turn_fini still has to be called. */
static enum status turn_init(const struct scf_basis *basis, int spin, struct turn *turn)
{
    int n_occupied = basis->n_occupied[spin];
    struct dense_member members[N_TURN_MEMBERS];
    size_t size = 2 * (size_t)n_occupied * sizeof(double);
    *turn = (struct turn){.s2 = agree_calloc(basis->problem->comm, size, "turned orbitals")};
    if (!turn->s2)
        return STATUS_NO_MEMORY;
    turn->factor = turn->s2 + n_occupied;
    list_turn_matrices(basis, spin, turn, members);
    return dense_create_members(basis->problem->grid, N_TURN_MEMBERS, members);
}

int64_t scf_rotate_bytes(const struct scf_basis *plan)
{
    struct turn turn;
    int64_t most = 0;
    if (scf_is_rohf(plan->problem))
        return scf_open_bytes(plan);
    for (int s = 0; s < plan->problem->n_densities; s++) {
        struct dense_member members[N_TURN_MEMBERS];
        list_turn_matrices(plan, s, &turn, members);
        int64_t bytes = dense_members_bytes(plan->problem->grid, N_TURN_MEMBERS, members) +
                        (int64_t)sizeof(double) * 2 * plan->n_occupied[s];
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* U_new = U_o'. Errors: on failure turn_fini still has to be called. */
static enum status turn_spin(const struct scf_basis *basis, const struct scf_state *state, int spin,
                             const struct dense *kappa, struct turn *turn, struct dense *U_new)
{
    int n_occupied = kappa->n_columns;
    TRY(turn_init(basis, spin, turn));
    dense_multiply('T', 'N', 1, kappa, kappa, 0, turn->square);
    TRY(dense_eigen(turn->square, turn->s2, turn->W));
    dense_multiply('N', 'N', 1, state->U_o[spin], turn->W, 0, U_new);
    for (int i = 0; i < n_occupied; i++)
        turn->factor[i] = cos(sqrt(fmax(turn->s2[i], 0)));
    dense_scale_columns(U_new, turn->factor);
    dense_multiply('N', 'N', 1, kappa, turn->W, 0, turn->kappa_W);
    for (int i = 0; i < n_occupied; i++) {
        double s = sqrt(fmax(turn->s2[i], 0));
        turn->factor[i] = s > 1e-8 ? sin(s) / s : 1;
    }
    dense_scale_columns(turn->kappa_W, turn->factor);
    dense_copy_columns(state->U[spin], n_occupied, turn->U_v);
    dense_multiply('N', 'N', 1, turn->U_v, turn->kappa_W, 1, U_new);
    return STATUS_OK;
}

enum status scf_rotate(const struct scf_basis *basis, const struct scf_state *state,
                       const struct scf_rotation *kappa, struct scf_state *trial)
{
    if (scf_is_rohf(basis->problem))
        return scf_open_rotate(basis, state, kappa, trial);
    for (int s = 0; s < basis->problem->n_densities; s++) {
        if (!kappa->kappa[s]) {
            if (trial != state)
                dense_copy(state->U_o[s], trial->U_o[s]);
            continue;
        }
        struct turn turn;
        enum status status = turn_spin(basis, state, s, kappa->kappa[s], &turn, trial->work_o[s]);
        turn_fini(&turn);
        TRY(status);
        dense_copy(trial->work_o[s], trial->U_o[s]);
    }
    trial->idempotent = true;
    return STATUS_OK;
}

enum status scf_rotate_and_build(const struct scf_basis *basis, struct scf_fock *fock,
                                 const struct scf_state *state, const struct scf_rotation *kappa,
                                 struct scf_state *trial)
{
    TRY(scf_rotate(basis, state, kappa, trial));
    TRY(scf_state_build(basis, fock, trial));
    TRY(scf_state_canonicalise(basis, trial));
    scf_state_gradient(basis, trial);
    return STATUS_OK;
}
