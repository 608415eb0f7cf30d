/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of several contractions that run as one pool.
 *
 * Contractions that join one another are a sum: they have the same C, and a task makes one
 * of its blocks from all of them, in their order. The sums' tasks are numbered one after
 * another. A contraction with a scalar C is a sum of its own, whose tasks are the blocks of
 * its A. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "tce/run/contraction.h"
#include "tce/run/contraction_tasks.h"

#include <stdbool.h>
#include <stdint.h>

struct contraction_sum {
    int first_term, end_term;
    bool scalar;
    /* Decides about the order of the tasks: the term with most to compute. */
    const struct contraction_tasks *lead;
    int64_t n_blocks, n_slices; /* whose product is the number of tasks */
    int64_t first_task;
    int64_t first_part; /* of a scalar, or with slices of a block: each task makes a part of it */
};

struct contraction_sums {
    int n_terms;
    struct contraction_problem *problems; /* n_terms */
    struct contraction_tasks *terms;      /* n_terms */
    int n;
    struct contraction_sum *list; /* n */
    bool has_scalars;
    int64_t n_tasks;
    int64_t n_parts;       /* of all scalars; one may have none */
    int64_t n_block_parts; /* of all sums with slices */
};

/* problems  n_terms >= 1 of them, copied; the labels are borrowed
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; contraction_sums_fini follows then, too. */
enum status contraction_sums_init(int n_terms, const struct contraction_problem problems[],
                                  struct contraction_sums *sums);
void contraction_sums_fini(struct contraction_sums *sums);

/* A task's sum, its block of C, which for a scalar is 0, and the block's tiles; for a scalar
 * those of a block of A. */
struct contraction_task {
    const struct contraction_sum *sum;
    int64_t slice;
    int64_t part; /* that it makes, of a scalar or of the block; -1: the whole block */
    int64_t block;
    int32_t at[MAX_RANK];
};

void contraction_sums_task(const struct contraction_sums *sums, int64_t task,
                           struct contraction_task *found);

/* The products of a task, term by term. */
struct term_walk {
    const struct contraction_sums *sums;
    const struct contraction_task *task; /* borrowed */
    int term;
    struct pair_walk pairs; /* of the term */
    int64_t left;           /* products of the slice */
};

/* wants  of pair_walk_begin */
void term_walk_begin(const struct contraction_sums *sums, const struct contraction_task *task,
                     enum pair_wants wants, struct term_walk *walk);

/* Steps to the next pair; false at the end. */
bool term_walk_next(struct term_walk *walk);

/* --- parts of blocks of C, made by the tasks of sums that are cut into slices, and added up in the order of
 * the slices after the pool --- */

/* Room for all parts; *parts is NULL if no sum has slices. Collective.
 * Errors: those of darray_create, the same on every process. */
enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts);

/* Elements of all parts together. */
double contraction_parts_elements(const struct contraction_sums *sums);

/* Adds up the parts of the blocks of C that this process holds. Between two synchronisations; not collective.
 * scratch  room for a block of C */
void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch);
