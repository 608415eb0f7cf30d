/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_preconditioner.h"

#include <string.h>

enum { N_ROTATIONS = 4 * SCF_KEPT_DIRECTIONS };

static void list_directions(struct scf_directions *directions, struct scf_rotation *all[])
{
    for (int i = 0; i < SCF_KEPT_DIRECTIONS; i++) {
        *all++ = &directions->x[i];
        *all++ = &directions->Hx[i];
    }
}

enum { N_MEMBERS = 5 };
static void list_matrices(const struct scf_basis *basis, int spin,
                          struct scf_preconditioner *preconditioner,
                          struct dense_member members[N_MEMBERS])
{
    int64_t m = basis->n_orbitals, o = basis->n_occupied[spin], v = m - o;
    const struct dense_member all[N_MEMBERS] = {{&preconditioner->U[spin], m, m},
                                                {&preconditioner->W_v[spin], v, v},
                                                {&preconditioner->W_o[spin], o, o},
                                                {&preconditioner->U_v[spin], m, v},
                                                {&preconditioner->V_v[spin], m, v}};
    memcpy(members, all, sizeof all);
}

static bool spin_has_rotations(const struct scf_preconditioner *preconditioner, int spin)
{
    return preconditioner->used.x[0].kappa[spin];
}

enum status scf_preconditioner_init(const struct scf_basis *basis,
                                    struct scf_preconditioner *preconditioner)
{
    struct scf_rotation *all[N_ROTATIONS];
    struct dense_member members[N_MEMBERS];
    preconditioner->basis = basis;
    list_directions(&preconditioner->used, all);
    list_directions(&preconditioner->found, all + N_ROTATIONS / 2);
    TRY(scf_rotations_init(basis, N_ROTATIONS, all));
    for (int s = 0; s < basis->n_spins; s++) {
        list_matrices(basis, s, preconditioner, members);
        if (spin_has_rotations(preconditioner, s))
            TRY(dense_create_members(basis->problem->grid, N_MEMBERS, members));
    }
    return STATUS_OK;
}

void scf_preconditioner_fini(struct scf_preconditioner *preconditioner)
{
    struct scf_rotation *all[N_ROTATIONS];
    struct dense_member members[N_MEMBERS];
    list_directions(&preconditioner->used, all);
    list_directions(&preconditioner->found, all + N_ROTATIONS / 2);
    for (int i = 0; i < N_ROTATIONS; i++)
        scf_rotation_fini(all[i]);
    for (int s = 0; preconditioner->basis && s < preconditioner->basis->n_spins; s++) {
        list_matrices(preconditioner->basis, s, preconditioner, members);
        for (int i = 0; i < N_MEMBERS; i++)
            dense_destroy(*members[i].matrix);
    }
    *preconditioner = (struct scf_preconditioner){0};
}

int64_t scf_preconditioner_bytes(const struct scf_basis *plan)
{
    struct scf_preconditioner preconditioner;
    struct dense_member members[N_MEMBERS];
    int64_t bytes = N_ROTATIONS * scf_rotation_bytes(plan);
    for (int s = 0; s < plan->n_spins; s++) {
        list_matrices(plan, s, &preconditioner, members);
        bytes += dense_members_bytes(plan->problem->grid, N_MEMBERS, members);
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

/* x = W_v^T x W_o; scratch: n_virtual x n_occupied. */
static void turn_rotation(const struct scf_preconditioner *preconditioner, int spin,
                          struct dense *scratch, struct scf_rotation *x)
{
    dense_multiply('N', 'N', 1, x->kappa[spin], preconditioner->W_o[spin], 0, scratch);
    dense_multiply('T', 'N', 1, preconditioner->W_v[spin], scratch, 0, x->kappa[spin]);
}

/* Takes used to the orbitals of the state; found is scratch. */
static void turn_directions(struct scf_preconditioner *preconditioner,
                            const struct scf_state *state)
{
    struct scf_directions *used = &preconditioner->used;
    for (int s = 0; s < preconditioner->basis->n_spins; s++) {
        if (!spin_has_rotations(preconditioner, s))
            continue;
        if (used->n > 0)
            find_overlaps(preconditioner, state, s);
        for (int i = 0; i < used->n; i++) {
            turn_rotation(preconditioner, s, preconditioner->found.x[0].kappa[s], &used->x[i]);
            turn_rotation(preconditioner, s, preconditioner->found.x[0].kappa[s], &used->Hx[i]);
        }
        dense_copy(state->U[s], preconditioner->U[s]);
    }
}

/* Drops direction i, in whose place the last one comes. */
static void drop_direction(struct scf_directions *directions, int i)
{
    int last = --directions->n;
    struct scf_rotation x = directions->x[i], Hx = directions->Hx[i];
    directions->x[i] = directions->x[last];
    directions->Hx[i] = directions->Hx[last];
    directions->curvature[i] = directions->curvature[last];
    directions->gap_part[i] = directions->gap_part[last];
    directions->x[last] = x;
    directions->Hx[last] = Hx;
}

void scf_preconditioner_begin(struct scf_preconditioner *preconditioner,
                              const struct scf_state *state, double floor)
{
    struct scf_directions last = preconditioner->used;
    preconditioner->used = preconditioner->found;
    preconditioner->found = last;
    preconditioner->found.n = 0;
    preconditioner->gap = (struct scf_energy_gap){
        .orbital_energies = {state->orbital_energies[0], state->orbital_energies[1]},
        .floor = floor,
    };
    turn_directions(preconditioner, state);
    struct scf_directions *used = &preconditioner->used;
    for (int i = used->n - 1; i >= 0; i--) {
        used->curvature[i] = scf_rotation_dot(&used->x[i], &used->Hx[i]);
        if (!(used->curvature[i] > 0))
            drop_direction(used, i);
    }
}

void scf_preconditioner_apply(const struct scf_preconditioner *preconditioner,
                              const struct scf_rotation *r, struct scf_rotation *z)
{
    const struct scf_directions *used = &preconditioner->used;
    double with_r[SCF_KEPT_DIRECTIONS + 1], with_z[SCF_KEPT_DIRECTIONS + 1];
    scf_rotation_add(1, r, 0, z);
    scf_rotation_dots(used->n, used->x, r, with_r);
    for (int i = 0; i < used->n; i++)
        scf_rotation_add(-with_r[i] / used->curvature[i], &used->Hx[i], 1, z);
    scf_rotation_divide(&preconditioner->gap, z, z);
    scf_rotation_dots(used->n, used->Hx, z, with_z);
    for (int i = 0; i < used->n; i++)
        scf_rotation_add((with_r[i] - with_z[i]) / used->curvature[i], &used->x[i], 1, z);
}

void scf_preconditioner_keep(struct scf_preconditioner *preconditioner,
                             const struct scf_rotation *x, const struct scf_rotation *Hx,
                             double curvature, double gap_part)
{
    struct scf_directions *found = &preconditioner->found;
    int place = found->n;
    if (!(curvature > 0))
        return;
    if (place == SCF_KEPT_DIRECTIONS) {
        place = 0;
        for (int i = 1; i < found->n; i++)
            if (found->curvature[i] * found->gap_part[place] >
                found->curvature[place] * found->gap_part[i])
                place = i;
        if (curvature * found->gap_part[place] >= found->curvature[place] * gap_part)
            return;
    } else {
        found->n++;
    }
    scf_rotation_add(1, x, 0, &found->x[place]);
    scf_rotation_add(1, Hx, 0, &found->Hx[place]);
    found->curvature[place] = curvature;
    found->gap_part[place] = gap_part;
}
