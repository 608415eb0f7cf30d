/* SPDX-License-Identifier: BSD-3-Clause */
/* Irreducible representations of rotations. Where the density has the symmetry of the molecule, the
 * Hessian H couples no rotations of different ones: its lowest eigenvalue is that of one of its blocks.
 * With x_r of representation r,
 *
 *   H x_r = part r of H (sum_s x_s),
 *
 * so that a single product serves all blocks. Operation k of problem->operations turns a rotation into
 * T_v kappa T_o^T, where T are the overlaps of the orbitals with their images. */
#pragma once

#include "hf/orbitals/scf_hessian.h"
#include "support/base/status.h"

struct scf_representations {
    struct point_group group;             /* signs and order alone */
    int operation[POINT_GROUP_MAX_ORDER]; /* numbers of its operations in problem->operations */
    int n;
    /* Largest element of the densities that the group does not allow: what it couples changes curvatures
     * by as much at most. */
    double asymmetry;
    /* T of each spin that has rotations, but for the identity's. */
    struct dense *T_o[2][POINT_GROUP_MAX_ORDER], *T_v[2][POINT_GROUP_MAX_ORDER];
    struct scf_rotation image, half; /* scratch */
};

/* Those of the operations of problem->operations that leave the density of the last build as it is; without
 * such ones a single representation of all rotations. Overwrites the hessian's scratch. Collective, like
 * what follows. On failure scf_representations_fini still has to be called. Errors: STATUS_NO_MEMORY. */
enum status scf_representations_init(struct scf_hessian *hessian,
                                     struct scf_representations *representations);
void scf_representations_fini(struct scf_representations *representations);

/* Bytes that they take of a process, at most (scf_basis_plan). Not collective. */
int64_t scf_representations_bytes(const struct scf_basis *plan);

/* parts[i] = the part of x of representation chosen[i], i < n. */
void scf_representations_split(struct scf_representations *representations,
                               const struct scf_rotation *x, int n, const int chosen[],
                               struct scf_rotation *const parts[]);
