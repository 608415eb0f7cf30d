/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/orbitals/scf_representation.h"

#include "hf/orbitals/scf_fock.h"
#include "hf/tiles/tile_matrix.h"
#include "hf/tiles/tile_symmetry.h"
#include "support/base/agree.h"

#include <math.h>

/* A density whose other parts are smaller has the symmetry of the molecule: what they couple changes
 * curvatures by as much at most. */
#define ASYMMETRY 1e-10

/* Adds the largest element that the density of a spin has of other representations than the first, of
 * this process. */
static enum status find_asymmetry(const struct scf_hessian *hessian, int spin, double *largest)
{
    const struct tile_symmetry *symmetry = hessian->basis->problem->symmetry;
    double parts[POINT_GROUP_MAX_ORDER] = {0};
    TRY(tile_symmetry_find_parts(symmetry, hessian->fock->D_last[spin], parts));
    for (int r = 1; r < symmetry->group->order; r++)
        *largest = fmax(*largest, parts[r]);
    return STATUS_OK;
}

enum status scf_count_representations(const struct scf_hessian *hessian, int *n)
{
    const struct scf_problem *problem = hessian->basis->problem;
    double largest = 0;
    enum status status = STATUS_OK;
    *n = 1;
    if (!problem->symmetry)
        return STATUS_OK;
    for (int s = 0; s < problem->n_spins && status == STATUS_OK; s++)
        status = find_asymmetry(hessian, s, &largest);
    TRY(status_agree(problem->comm, status));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, problem->comm);
    if (largest < ASYMMETRY)
        *n = problem->symmetry->group->order;
    return STATUS_OK;
}

/* The part of a symmetric matrix of a representation, in place. tiles: scratch. */
static enum status take_matrix_part(const struct scf_problem *problem, int representation,
                                    struct darray *const tiles[2], struct dense *d)
{
    const struct point_group *group = problem->symmetry->group;
    double factors[POINT_GROUP_MAX_ORDER];
    for (int k = 0; k < group->order; k++)
        factors[k] = point_group_character(group, representation, k) / (double)group->order;
    TRY(tile_matrix_from_dense(problem->tiling, d, tiles[0]));
    darray_sync();
    TRY(tile_symmetry_add(problem->symmetry, TILE_DENSITY, factors, tiles[0], 0, tiles[1]));
    return tile_matrix_to_dense(problem->tiling, tiles[1], d);
}

enum status scf_rotation_take_part(struct scf_hessian *hessian, int representation,
                                   struct scf_rotation *kappa)
{
    const struct scf_basis *basis = hessian->basis;
    const struct scf_fock *fock = hessian->fock;
    struct darray *const tiles[2] = {fock->input_tiles[0], fock->G_tiles[0]};
    for (int s = 0; s < basis->n_spins; s++) {
        if (!kappa->kappa[s])
            continue;
        scf_hessian_expand(hessian, kappa->kappa[s], s);
        TRY(take_matrix_part(basis->problem, representation, tiles, hessian->d[s]));
        /* Rotations from the density: kappa = C_v^T (S d S) C_o, since C^T S C = 1. */
        TRY(scf_basis_load(basis, basis->S));
        dense_multiply('N', 'N', 1, basis->work_nn, hessian->d[s], 0, hessian->G[s]);
        dense_multiply('N', 'N', 1, hessian->G[s], basis->work_nn, 0, hessian->d[s]);
        scf_hessian_project_spin(hessian, hessian->d[s], s, kappa);
    }
    return STATUS_OK;
}
