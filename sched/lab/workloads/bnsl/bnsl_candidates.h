/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidate parents of each variable, chosen by a heuristic on pairs: all sets of parents would be
 * too many to score. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_CANDIDATES_H
#define BERYL_SCHED_WORKLOADS_BNSL_CANDIDATES_H

#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "support/base/status.h"

#include <stddef.h>

/* Sets of candidates fit into 32 bits. */
enum { BNSL_MAX_CANDIDATES = 30 };

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

#endif
