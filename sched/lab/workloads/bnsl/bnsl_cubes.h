/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of a structure search. The sets of possible parents of a variable with c candidates
 * are the corners of a hypercube of dimension c. Where c > r it is cut into 2^(c - r) cubes of
 * dimension r, in each of which the first c - r candidates are fixed to be parents or not; a task
 * is one cube. (The last r are free, so that sums over their states run along long rows.)
 * Source: Pamnany, Misra, Md. Vasimuddin, Liu, Chow, Aluru, Dtree: dynamic task scheduling at
 * petascale, ISC 2015, section 4.2. */
#pragma once

#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Sets of candidates fit into 32 bits. */
enum { BNSL_MAX_CANDIDATES = 30 };

/* Candidate parents of each variable, chosen by a heuristic on pairs: all sets of parents would be
 * too many to score. */
struct bnsl_candidates {
    int n_variables;
    int most;  /* of a variable */
    int *n;    /* n_variables: how many each has */
    int *list; /* [variable][most]: the best first */
};

/* Y is a candidate parent of X if Y alone explains X better than nothing does, which means that
 * the mutual information of the two is above a threshold:
 *   s(X, {Y}) > s(X, {}), that is N I(X, Y) > log(N) / 2 * (r_X - 1) (r_Y - 1)
 * Of those the ones with the largest difference are kept, on a tie those with lower numbers.
 * most  of a variable, at most BNSL_MAX_CANDIDATES
 * Errors: STATUS_NO_MEMORY; bnsl_candidates_fini is fine then too. */
enum status bnsl_candidates_init(struct bnsl_candidates *candidates, const struct bnsl_data *data,
                                 int most);
void bnsl_candidates_fini(struct bnsl_candidates *candidates);

/* The candidates of a variable. */
static inline const int *bnsl_candidates_of(const struct bnsl_candidates *candidates, int variable)
{
    return candidates->list + (size_t)variable * (size_t)candidates->most;
}

struct bnsl_cube {
    int variable;
    int n_candidates;
    const int *candidates; /* n_candidates variables */
    int n_free;            /* the last candidates: parents or not */
    uint32_t fixed;        /* bits of the others that are parents */
};

struct bnsl_cubes {
    const struct bnsl_candidates *candidates; /* borrowed */
    int dimension;                            /* r */
    int64_t *first; /* n_variables + 1: task that a variable's begin with; the last: n_tasks */
};

/* candidates  borrowed. Errors: STATUS_NO_MEMORY; bnsl_cubes_fini is fine then too. */
enum status bnsl_cubes_init(struct bnsl_cubes *cubes, const struct bnsl_candidates *candidates,
                            int dimension);
void bnsl_cubes_fini(struct bnsl_cubes *cubes);

int64_t bnsl_cubes_n_tasks(const struct bnsl_cubes *cubes);

/* The parents of a set of the cube, as bits of the candidates: the fixed ones and those of the
 * free whose bits, the lowest for the first of them, are in `set`. */
static inline uint32_t bnsl_cube_parents(const struct bnsl_cube *cube, uint32_t set)
{
    return cube->fixed | set << (cube->n_candidates - cube->n_free);
}

/* The cube of a task in [0, n_tasks): tasks and cubes correspond one to one. */
struct bnsl_cube bnsl_cubes_get(const struct bnsl_cubes *cubes, int64_t task);
