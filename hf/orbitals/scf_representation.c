/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_representation.h"

#include "hf/tiles/tile_symmetry.h"
#include "support/base/agree.h"

#include <math.h>

/* Parts of the densities that are smaller leave the symmetry as it is. */
#define LARGEST_ASYMMETRY 1e-5

enum { MAX_MEMBERS = 2 * 2 * POINT_GROUP_MAX_ORDER };

/* The matrices of all operations but the identity; their number. */
static int list_operations(const struct scf_basis *basis, int order,
                           struct scf_representations *representations,
                           struct dense_member members[MAX_MEMBERS])
{
    int n = 0;
    for (int s = 0; s < basis->n_spins; s++)
        for (int k = 1; k < order; k++) {
            int64_t o = basis->n_occupied[s], v = basis->n_orbitals - o;
            if (o == 0 || v == 0)
                continue;
            members[n++] = (struct dense_member){&representations->T_o[s][k], o, o};
            members[n++] = (struct dense_member){&representations->T_v[s][k], v, v};
        }
    return n;
}

int64_t scf_representations_bytes(const struct scf_basis *plan)
{
    const struct tile_symmetry *operations = plan->problem->operations;
    struct scf_representations representations;
    struct dense_member members[MAX_MEMBERS];
    if (!operations)
        return 0;
    int n = list_operations(plan, operations->group->order, &representations, members);
    return dense_members_bytes(plan->problem->grid, n, members) + 2 * scf_rotation_bytes(plan) +
           tile_symmetry_bytes(operations->tiling, operations->group);
}

void scf_representations_fini(struct scf_representations *representations)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < POINT_GROUP_MAX_ORDER; k++) {
            dense_destroy(representations->T_o[s][k]);
            dense_destroy(representations->T_v[s][k]);
        }
    scf_rotation_fini(&representations->image);
    scf_rotation_fini(&representations->half);
}

/* largest[r]: element of the densities of representation r. */
static enum status find_parts(const struct scf_hessian *hessian,
                              double largest[POINT_GROUP_MAX_ORDER])
{
    const struct scf_problem *problem = hessian->basis->problem;
    double parts[POINT_GROUP_MAX_ORDER] = {0};
    enum status status = STATUS_OK;
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++) {
        status = tile_symmetry_find_parts(problem->operations, hessian->fock->D_last[s], parts);
        for (int r = 0; r < problem->operations->group->order; r++)
            largest[r] = fmax(largest[r], parts[r]);
    }
    TRY(status_agree(problem->comm, status));
    MPI_Allreduce(MPI_IN_PLACE, largest, POINT_GROUP_MAX_ORDER, MPI_DOUBLE, MPI_MAX, problem->comm);
    return STATUS_OK;
}

/* Whether all representations that the densities have parts of leave them alike. */
static bool keeps_densities(const struct point_group *group, int k,
                            const double largest[POINT_GROUP_MAX_ORDER])
{
    for (int r = 1; r < group->order; r++)
        if (largest[r] >= LARGEST_ASYMMETRY && point_group_character(group, r, k) < 0)
            return false;
    return true;
}

/* Sets the group to the operations that leave the densities as they are. */
static enum status find_kept_operations(const struct scf_hessian *hessian,
                                        struct scf_representations *representations)
{
    double largest[POINT_GROUP_MAX_ORDER] = {0};
    const struct point_group *group = hessian->basis->problem->operations->group;
    struct point_group *own = &representations->group;
    TRY(find_parts(hessian, largest));
    for (int k = 0; k < group->order; k++)
        if (keeps_densities(group, k, largest)) {
            representations->operation[own->order] = k;
            own->signs[own->order++] = group->signs[k];
        }
    for (int r = 1; r < group->order; r++)
        if (largest[r] < LARGEST_ASYMMETRY)
            representations->asymmetry = fmax(representations->asymmetry, largest[r]);
    representations->n = own->order;
    return STATUS_OK;
}

/* S_R = S times the matrix of an operation over the functions. R: scratch. */
static enum status overlap_with_images(const struct scf_basis *basis, int k, struct dense *R,
                                       struct dense *S_R)
{
    tile_symmetry_matrix(basis->problem->operations, k, R);
    TRY(scf_basis_load(basis, basis->S));
    dense_multiply('N', 'N', 1, basis->work_nn, R, 0, S_R);
    return STATUS_OK;
}

/* T = C^T S_R C; half: scratch of the shape of C. */
static void overlap_of_orbitals(const struct dense *S_R, const struct dense *C, struct dense *half,
                                struct dense *T)
{
    dense_multiply('N', 'N', 1, S_R, C, 0, half);
    dense_multiply('T', 'N', 1, C, half, 0, T);
}

static enum status find_operation(struct scf_hessian *hessian, int k,
                                  struct scf_representations *representations)
{
    struct dense *S_R = hessian->G[0];
    TRY(overlap_with_images(hessian->basis, representations->operation[k], hessian->d[0], S_R));
    for (int s = 0; s < hessian->basis->n_spins; s++) {
        const struct dense *C_v = hessian->C_v[s];
        struct dense *half;
        if (!C_v)
            continue;
        TRY(dense_create(C_v->grid, C_v->n_rows, C_v->n_columns, &half));
        overlap_of_orbitals(S_R, C_v, half, representations->T_v[s][k]);
        overlap_of_orbitals(S_R, hessian->C_o[s], hessian->half[s], representations->T_o[s][k]);
        dense_destroy(half);
    }
    return STATUS_OK;
}

enum status scf_representations_init(struct scf_hessian *hessian,
                                     struct scf_representations *representations)
{
    const struct scf_basis *basis = hessian->basis;
    struct dense_member members[MAX_MEMBERS];
    *representations = (struct scf_representations){.n = 1};
    if (!basis->problem->operations)
        return STATUS_OK;
    TRY(find_kept_operations(hessian, representations));
    int n = list_operations(basis, representations->n, representations, members);
    TRY(scf_rotations_init(
        basis, 2, (struct scf_rotation *[]){&representations->image, &representations->half}));
    TRY(dense_create_members(basis->problem->grid, n, members));
    for (int k = 1; k < representations->n; k++)
        TRY(find_operation(hessian, k, representations));
    return STATUS_OK;
}

/* image = T_v x T_o^T */
static void take_image(struct scf_representations *representations, int k,
                       const struct scf_rotation *x)
{
    scf_rotation_add(1, x, 0, &representations->image);
    for (int s = 0; s < 2 && k > 0; s++) {
        struct dense *half = representations->half.kappa[s];
        if (!half)
            continue;
        dense_multiply('N', 'N', 1, representations->T_v[s][k], x->kappa[s], 0, half);
        dense_multiply('N', 'T', 1, half, representations->T_o[s][k], 0,
                       representations->image.kappa[s]);
    }
}

void scf_representations_split(struct scf_representations *representations,
                               const struct scf_rotation *x, int n, const int chosen[],
                               struct scf_rotation *const parts[])
{
    if (representations->n == 1) {
        scf_rotation_add(1, x, 0, parts[0]);
        return;
    }
    for (int k = 0; k < representations->n; k++) {
        take_image(representations, k, x);
        for (int i = 0; i < n; i++) {
            double character = point_group_character(&representations->group, chosen[i], k);
            scf_rotation_add(character / representations->n, &representations->image, k > 0,
                             parts[i]);
        }
    }
}
