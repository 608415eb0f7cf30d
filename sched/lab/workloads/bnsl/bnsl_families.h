/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of scored parent sets, without useless ones: no best network needs a set if a subset of it
 * scores as well, since removing edges never makes a cycle. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_FAMILIES_H
#define BERYL_SCHED_WORKLOADS_BNSL_FAMILIES_H

#include "sched/lab/workloads/bnsl/bnsl_cubes.h"
#include "support/base/status.h"

#include <stdint.h>

struct bnsl_family {
    double score;
    int32_t variable;
    uint32_t parents; /* bits of the variable's candidates */
};

struct bnsl_families {
    struct bnsl_family *list; /* n; owned */
    int64_t n, capacity;
};

/* Adds the parent sets of a cube, except those that another set of the cube or the empty set makes
 * useless.
 * empty   score of the variable without parents
 * scores  2^n_free, as by bnsl_score_cube; overwritten
 * Errors: STATUS_NO_MEMORY. */
enum status bnsl_families_add_cube(struct bnsl_families *families, const struct bnsl_cube *cube,
                                   double empty, double *scores);

/* Puts families into order: by variable, the best first, then by the bits of the parents. */
void bnsl_families_sort(struct bnsl_families *families);

/* Removes the useless sets; the families are sorted and stay so. */
void bnsl_families_prune(struct bnsl_families *families);

void bnsl_families_fini(struct bnsl_families *families);

#endif
