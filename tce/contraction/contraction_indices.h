/* SPDX-License-Identifier: BSD-3-Clause */
/* The indices of a contraction by what they do, and the order in which blocks are made
 * into matrices for
 *     C[batch][rows][columns] = sum over summed of A[batch][rows][summed] B[batch][summed][columns]
 *
 * A block is used as it lies if the two groups of its matrix are each together, in the
 * orders chosen for them, either group first, with batch indices before or between them;
 * DGEMM does the transpositions. Else it is packed into batch indices and the two groups, that with the
 * fastest index of the tensor last.
 * The orders are those that leave most elements as they lie. */
#pragma once

#include "tce/contraction/contraction.h"

#include <stdbool.h>

enum index_role {
    ROLE_UNUSED,
    ROLE_BATCH,  /* of A, B and C */
    ROLE_ROW,    /* of A and C */
    ROLE_COLUMN, /* of B and C */
    ROLE_SUMMED, /* of A and B */
    ROLE_LONE_A, /* of A alone: summed while A is packed */
    ROLE_LONE_B,
    N_ROLES
};

/* Index numbers, each once or, for the indices of an operand as they lie, repeated. */
struct index_list {
    int n;
    int index[MAX_RANK];
};

/* A tensor's blocks as matrices. */
struct matrix_layout {
    struct index_list own;   /* as the blocks lie in the tensor */
    struct index_list order; /* as the matrix lies; the same unless packed */
    bool packed;
};

struct contraction_indices {
    enum index_role role[MAX_INDICES];
    const struct index_space *space[MAX_INDICES]; /* borrowed; NULL if unused */
    struct index_list group[N_ROLES];             /* in the chosen orders */
    struct matrix_layout C, A, B;                 /* without B: A is packed into C's own order */
};

void contraction_indices_init(const struct contraction_problem *problem,
                              struct contraction_indices *indices);

/* How often the index occurs in the list. */
int index_list_count(const struct index_list *list, int index);

/* The first place of an index that is in the list. */
int index_list_place(const struct index_list *list, int index);

void index_list_append(struct index_list *list, int index);
