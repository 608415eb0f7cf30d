/* SPDX-License-Identifier: BSD-3-Clause */
/* A step: a binary contraction of block-sparse tensors,
 *
 *     C[c] (+)= factor * sum over what is not in c of A[a] * B[b]
 *
 * a, b, c are lists of index numbers. An index of c occurs in a, in b or in both (then
 * nothing is summed over it); one that is not in c is summed over: beside B it is in both, because a sum over an
 * index that one factor has alone is a step of its own. An index may occur twice in a or in b: a diagonal.
 * Without B: a copy with indices in another order, a trace, a sum.
 *
 * Elements of C without a block are left out; the factors' labels have no effect on that. */
#pragma once

#include "tce/run/blocks.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

/* An operand: to plan, its labels are enough; to run, its tensor is needed. */
struct contraction_operand {
    const struct block_labels *labels; /* borrowed */
    struct tensor *tensor;             /* borrowed; NULL while nothing is allocated */
    int index[MAX_RANK];               /* labels->rank of them: numbers in [0, MAX_INDICES) */
};

/* C's indices differ from each other; no tensor is C and a factor at once. */
struct contraction_problem {
    struct contraction_operand C, A, B;
    bool has_B;
    bool add; /* to what C holds, instead of replacing it */
    /* The contraction before it has the same C, no scalar, in the same order of places, and
     * this one adds to what that one makes. */
    bool joins;
    double factor;
};

/* The tensors of a problem. */
enum contraction_place { CONTRACTION_C, CONTRACTION_A, CONTRACTION_B, N_CONTRACTION_PLACES };

struct contraction_settings {
    int64_t cache_bytes; /* of input blocks kept by a process during a run */
    bool prefetch;       /* fetch the next blocks during DGEMM */
    /* Borrowed, shared with other contractions that do not run at the same time; NULL: of
     * its own. */
    struct block_buffers *buffers;
};

/* Seconds on a processor of the day: of an operation of DGEMM, of an element that is moved, of a product of blocks.
 * Their ratios count: predictions scale them by a measured rate (predicted_tasks.h). */
#define SECONDS_PER_FLOP    2e-11
#define SECONDS_PER_ELEMENT 4e-10
#define SECONDS_PER_PRODUCT 2e-6

/* The part of an index in a step:
 *     C[batch, rows, columns] = sum over summed of A[batch, rows, summed] B[batch, summed, columns] */
enum index_role {
    ROLE_UNUSED,
    ROLE_BATCH,  /* of A, B and C */
    ROLE_ROW,    /* of A and C */
    ROLE_COLUMN, /* of B and C */
    ROLE_SUMMED, /* of A and B; without B of A alone */
    N_ROLES
};

struct contraction_indices {
    enum index_role role[MAX_INDICES];
    const struct index_space *space[MAX_INDICES]; /* borrowed; NULL if unused */
    struct index_list group[N_ROLES];             /* as C has them, and else A */
    struct index_list C, A, B; /* as blocks lie; in A and B an index may be twice */
};

void contraction_indices_init(const struct contraction_problem *problem,
                              struct contraction_indices *indices);
