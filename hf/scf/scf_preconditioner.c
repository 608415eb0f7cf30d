/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_preconditioner.h"

#include <string.h>

enum { N_PRECONDITIONER_ROTATIONS = 2 * SCF_KEPT_DIRECTIONS + 1 };

enum { N_PRECONDITIONER_MEMBERS = 5 };
static void list_matrices(const struct scf_basis *basis, int spin,
                          struct scf_preconditioner *preconditioner,
                          struct dense_member members[N_PRECONDITIONER_MEMBERS])
{
    int64_t m = basis->n_orbitals, o = basis->n_occupied[spin], v = scf_rotation_rows(basis, spin);
    const struct dense_member all[N_PRECONDITIONER_MEMBERS] = {{&preconditioner->U[spin], m, m},
                                                               {&preconditioner->W_v[spin], v, v},
                                                               {&preconditioner->W_o[spin], o, o},
                                                               {&preconditioner->U_v[spin], m, v},
                                                               {&preconditioner->V_v[spin], m, v}};
    memcpy(members, all, sizeof all);
}

static bool spin_has_rotations(const struct scf_preconditioner *preconditioner, int spin)
{
    return preconditioner->scratch.kappa[spin];
}

enum status scf_preconditioner_init(const struct scf_basis *basis,
                                    struct scf_preconditioner *preconditioner)
{
    struct dense_member members[N_PRECONDITIONER_MEMBERS];
    preconditioner->basis = basis;
    TRY(scf_rotations_init(basis, 1, &preconditioner->scratch));
    TRY(scf_rotations_init(basis, SCF_KEPT_DIRECTIONS, preconditioner->x));
    TRY(scf_rotations_init(basis, SCF_KEPT_DIRECTIONS, preconditioner->Hx));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        list_matrices(basis, s, preconditioner, members);
        if (spin_has_rotations(preconditioner, s))
            TRY(dense_create_members(basis->problem->grid, N_PRECONDITIONER_MEMBERS, members));
    }
    return STATUS_OK;
}

void scf_preconditioner_fini(struct scf_preconditioner *preconditioner)
{
    struct dense_member members[N_PRECONDITIONER_MEMBERS];
    scf_rotations_fini(1, &preconditioner->scratch);
    scf_rotations_fini(SCF_KEPT_DIRECTIONS, preconditioner->x);
    scf_rotations_fini(SCF_KEPT_DIRECTIONS, preconditioner->Hx);
    for (int s = 0; preconditioner->basis && s < preconditioner->basis->problem->n_densities; s++) {
        list_matrices(preconditioner->basis, s, preconditioner, members);
        for (int i = 0; i < N_PRECONDITIONER_MEMBERS; i++)
            dense_destroy(*members[i].matrix);
    }
    *preconditioner = (struct scf_preconditioner){0};
}

int64_t scf_preconditioner_bytes(const struct scf_basis *plan)
{
    struct scf_preconditioner preconditioner;
    struct dense_member members[N_PRECONDITIONER_MEMBERS];
    int64_t bytes = N_PRECONDITIONER_ROTATIONS * scf_rotation_bytes(plan);
    for (int s = 0; s < plan->problem->n_densities; s++) {
        list_matrices(plan, s, &preconditioner, members);
        bytes += dense_members_bytes(plan->problem->grid, N_PRECONDITIONER_MEMBERS, members);
    }
    return bytes;
}

/* W_o and W_v: the new orbitals, occupied and virtual, in the old ones of U. */
static void find_overlaps(struct scf_preconditioner *preconditioner, const struct scf_state *state,
                          int spin)
{
    int o = preconditioner->basis->n_occupied[spin];
    struct dense *old = preconditioner->U_v[spin], *new = preconditioner->V_v[spin];
    dense_copy_columns(preconditioner->U[spin], o, old);
    dense_copy_columns(state->U[spin], o, new);
    dense_multiply('T', 'N', 1, old, new, 0, preconditioner->W_v[spin]);
    dense_copy_columns(preconditioner->U[spin], 0, state->work_o[spin]);
    dense_multiply('T', 'N', 1, state->work_o[spin], state->U_o[spin], 0,
                   preconditioner->W_o[spin]);
}

/* x = W_v^T x W_o. */
static void turn_rotation(const struct scf_preconditioner *preconditioner, int spin,
                          struct scf_rotation *x)
{
    struct dense *scratch = preconditioner->scratch.kappa[spin];
    dense_multiply('N', 'N', 1, x->kappa[spin], preconditioner->W_o[spin], 0, scratch);
    dense_multiply('T', 'N', 1, preconditioner->W_v[spin], scratch, 0, x->kappa[spin]);
}

/* Takes the directions to the orbitals of the state. */
static void turn_directions(struct scf_preconditioner *preconditioner,
                            const struct scf_state *state)
{
    for (int s = 0; s < preconditioner->basis->problem->n_densities; s++) {
        if (!spin_has_rotations(preconditioner, s))
            continue;
        if (preconditioner->n > 0)
            find_overlaps(preconditioner, state, s);
        for (int i = 0; i < preconditioner->n; i++) {
            turn_rotation(preconditioner, s, &preconditioner->x[i]);
            turn_rotation(preconditioner, s, &preconditioner->Hx[i]);
        }
        dense_copy(state->U[s], preconditioner->U[s]);
    }
}

static void exchange_rotations(struct scf_rotation *x, struct scf_rotation *y)
{
    struct scf_rotation was = *x;
    *x = *y;
    *y = was;
}

void scf_preconditioner_begin(struct scf_preconditioner *preconditioner,
                              const struct scf_state *state, double floor)
{
    preconditioner->gap = (struct scf_energy_gap){
        .orbital_energies = {state->orbital_energies[0], state->orbital_energies[1]},
        .floor = floor,
    };
    turn_directions(preconditioner, state);
    int n = preconditioner->n;
    preconditioner->n = 0;
    for (int i = 0; i < n; i++) {
        struct scf_rotation *x = preconditioner->x, *Hx = preconditioner->Hx;
        int place = preconditioner->n;
        double curvature = scf_rotation_dot(&x[i], &Hx[i]);
        if (!(curvature > 0))
            continue;
        exchange_rotations(&x[place], &x[i]);
        exchange_rotations(&Hx[place], &Hx[i]);
        preconditioner->curvature[preconditioner->n++] = curvature;
    }
}

void scf_preconditioner_apply(const struct scf_preconditioner *preconditioner,
                              const struct scf_rotation *r, struct scf_rotation *z)
{
    int n = preconditioner->n;
    const struct scf_rotation *x = preconditioner->x, *Hx = preconditioner->Hx;
    const double *c = preconditioner->curvature;
    double with_r[SCF_KEPT_DIRECTIONS], with_z[SCF_KEPT_DIRECTIONS];
    scf_rotation_add(1, r, 0, z);
    scf_rotation_dot_products(n, x, 1, r, with_r);
    for (int i = 0; i < n; i++)
        scf_rotation_add(-with_r[i] / c[i], &Hx[i], 1, z);
    scf_rotation_scale(&preconditioner->gap, SCF_OVER_GAP, z, 0, z);
    scf_rotation_dot_products(n, Hx, 1, z, with_z);
    for (int i = 0; i < n; i++)
        scf_rotation_add((with_r[i] - with_z[i]) / c[i], &x[i], 1, z);
}

void scf_preconditioner_keep(struct scf_preconditioner *preconditioner, int n,
                             struct scf_rotation x[], struct scf_rotation Hx[])
{
    for (int i = 0; i < n; i++) {
        exchange_rotations(&preconditioner->x[i], &x[i]);
        exchange_rotations(&preconditioner->Hx[i], &Hx[i]);
    }
    preconditioner->n = n;
}
