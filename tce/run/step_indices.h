/* SPDX-License-Identifier: BSD-3-Clause */
/* The indices of a contraction by what they do:
 *     C[batch, rows, columns] = sum over summed of A[batch, rows, summed] B[batch, summed, columns]
 *
 * Blocks are multiplied as they lie (tce/dense). Only where a factor alone has an index, lone or twice, it
 * is summed over first, in a copy of the block. */
#pragma once

#include "tce/run/contraction.h"

#include <stdbool.h>

enum index_role {
    ROLE_UNUSED,
    ROLE_BATCH,  /* of A, B and C */
    ROLE_ROW,    /* of A and C */
    ROLE_COLUMN, /* of B and C */
    ROLE_SUMMED, /* of A and B */
    ROLE_LONE_A, /* of A alone: summed over in a copy of A's blocks */
    ROLE_LONE_B,
    N_ROLES
};

struct contraction_indices {
    enum index_role role[MAX_INDICES];
    const struct index_space *space[MAX_INDICES]; /* borrowed; NULL if unused */
    struct index_list group[N_ROLES];             /* as C has them, and else A or B */
    struct block_layout C, A, B;
};

void contraction_indices_init(const struct contraction_problem *problem,
                              struct contraction_indices *indices);
