/* SPDX-License-Identifier: BSD-3-Clause */
/* Random contractions for the parallel tests: every role of an index, labels, uneven tiles,
 * orders. The same on every process. */
#pragma once

#include "support/base/random.h"
#include "tce/run/contraction.h"
#include "tests/check.h"

#include <stdbool.h>
#include <stdlib.h>

/* Values of all indices together: what the nested loops of the reference run through. */
enum { CASE_MAX_VALUES = 60000, CASE_MAX_RANK = 5 };

struct contraction_case {
    struct index_space *space[MAX_INDICES]; /* of each index number; owned */
    struct block_labels C, A, B;
    struct contraction_problem problem; /* without tensors */
    int n_indices;
};

static inline int case_below(struct random_stream *random, int bound)
{
    return (int)random_below(random, (uint64_t)bound);
}

/* 1, primes and others, in one to three blocks, with uneven tiles. */
static inline struct index_space *case_space(struct random_stream *random, int n_irreps, bool spins)
{
    static const int sizes[] = {1, 1, 2, 3, 4, 5, 7, 11, 13};
    struct index_block blocks[3];
    int n_blocks = 1 + case_below(random, 3);
    for (int b = 0; b < n_blocks; b++)
        blocks[b] = (struct index_block){.size = sizes[case_below(random, n_blocks > 1 ? 6 : 9)],
                                         .irrep = case_below(random, n_irreps),
                                         .spin = spins ? 2 * case_below(random, 2) - 1 : 0};
    struct index_space *space;
    check_ok(index_space_create("random", n_blocks, blocks, 1 + case_below(random, 6), &space));
    return space;
}

/* Puts an index at a random place of an operand that has room. */
static inline void case_insert(struct random_stream *random, struct contraction_operand *operand,
                               struct block_labels *labels, const struct index_space *space,
                               int index, int sign)
{
    if (labels->rank == CASE_MAX_RANK)
        return;
    int place = case_below(random, labels->rank + 1);
    for (int d = labels->rank++; d > place; d--) {
        operand->index[d] = operand->index[d - 1];
        labels->space[d] = labels->space[d - 1];
        labels->sign[d] = labels->sign[d - 1];
    }
    operand->index[place] = index;
    labels->space[place] = space;
    labels->sign[place] = (int8_t)sign;
}

static inline bool case_has(const struct contraction_operand *operand,
                            const struct block_labels *labels, int index)
{
    for (int d = 0; d < labels->rank; d++)
        if (operand->index[d] == index)
            return true;
    return false;
}

/* Indices with random roles, each in up to two places of a factor. */
static inline void case_indices(struct random_stream *random, struct contraction_case *one)
{
    struct contraction_problem *problem = &one->problem;
    int n_irreps = case_below(random, 2) ? 1 : 1 << case_below(random, 4);
    bool spins = case_below(random, 4) == 0;
    one->n_indices = case_below(random, 8);
    for (int x = 0; x < one->n_indices; x++) {
        struct index_space *space = one->space[x] = case_space(random, n_irreps, spins);
        int sign = case_below(random, 2) ? 1 : -1;
        /* Rows, columns and summed indices are more common than the others. */
        static const int of_product[] = {1, 2, 3, 4, 5, 6, 8, 9};
        int role = problem->has_B ? of_product[case_below(random, 8)] : case_below(random, 10);
        bool in_A = role < 7 || !problem->has_B, in_B = problem->has_B && role > 3;
        bool in_C = role < 4 ? role > 0 : role == 4 || role > 7;
        bool twice = case_below(random, 8) == 0;
        for (int n = 0; in_A && n < 1 + twice; n++)
            case_insert(random, &problem->A, &one->A, space, x, n == 0 ? sign : -sign);
        for (int n = 0; in_B && n < 1 + (twice && !in_A); n++)
            case_insert(random, &problem->B, &one->B, space, x,
                        in_A && !in_C && n == 0 ? -sign : sign);
        if (in_C && (case_has(&problem->A, &one->A, x) || case_has(&problem->B, &one->B, x)))
            case_insert(random, &problem->C, &one->C, space, x, sign);
    }
    one->A.irrep = case_below(random, 4) ? 0 : case_below(random, n_irreps);
    one->B.irrep = case_below(random, 4) ? 0 : case_below(random, n_irreps);
    one->C.irrep = one->A.irrep ^ one->B.irrep;
    if (one->C.rank > 0 && case_below(random, 10) == 0)
        one->C.irrep = case_below(random, n_irreps);
    one->A.spin = spins && one->A.rank % 2 ? 1 : 0;
    one->B.spin = spins && one->B.rank % 2 ? -1 : 0;
    one->C.spin = one->A.spin + one->B.spin;
}

/* Whether a product has an index that one factor has alone: such a sum is a contraction of its own. */
static inline bool case_has_lone_index(const struct contraction_case *one)
{
    const struct contraction_problem *problem = &one->problem;
    bool lone = false;
    for (int x = 0; problem->has_B && x < one->n_indices; x++)
        lone = lone || (!case_has(&problem->C, &one->C, x) &&
                        case_has(&problem->A, &one->A, x) != case_has(&problem->B, &one->B, x));
    return lone;
}

static inline void contraction_case_fini(struct contraction_case *one)
{
    for (int x = 0; x < one->n_indices; x++)
        index_space_destroy(one->space[x]);
}

/* The case is not to be moved: its problem points into it. */
static inline void contraction_case_init(struct contraction_case *one, uint64_t seed)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    for (;;) {
        int64_t n_values = 1;
        *one = (struct contraction_case){0};
        struct contraction_problem *problem = &one->problem;
        problem->has_B = case_below(&random, 6) > 0;
        problem->add = case_below(&random, 2);
        problem->factor = case_below(&random, 2) ? 1 : random_unit(&random) * 4 - 2;
        case_indices(&random, one);
        problem->C.labels = &one->C;
        problem->A.labels = &one->A;
        problem->B.labels = &one->B;
        for (int x = 0; x < one->n_indices; x++)
            n_values *= one->space[x]->size;
        if (n_values <= CASE_MAX_VALUES && !case_has_lone_index(one))
            return;
        contraction_case_fini(one);
    }
}
