/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of several contractions that run as one pool, from labels alone.
 *
 * Contractions that join one another are a sum: they have the same C, and a task makes one of its
 * blocks from all of them, in their order: the result depends neither on the mode nor on the number
 * of processes. Tasks are numbered sum after sum, within a sum lexicographically by batch indices,
 * then in turn a row and a column of C. A run of neighbours then needs few different blocks of A
 * and of B.
 *
 * Where C has few blocks, several tasks make parts of each: each a slice of the block's products
 * (contraction_slices.h). A contraction with a scalar C is a sum of its own, whose tasks are the tuples of tiles of
 * its A: each makes a part of the scalar. Parts are added up in their order after the pool. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/status.h"
#include "tce/run/block_pairs.h"

#include <stdbool.h>
#include <stdint.h>

struct contraction_sum {
    int first_term, end_term;
    bool scalar;
    int lead; /* decides about the order of the tasks: the term with most to compute */
    struct block_index *C;
    struct block_index *tuples; /* of C, or of A for a scalar: tiles in the order of the tasks */
    int place[MAX_RANK];        /* in C, or in A, of each entry of a tuple */
    int64_t n_blocks, n_parts;  /* of C, and of each; their product is the number of tasks */
    int64_t first_task;
    int64_t first_part; /* -1: a task makes a whole block */
};

struct contraction_sums {
    int n_terms;
    struct contraction_problem *problems; /* n_terms */
    struct block_pairs *terms;            /* n_terms */
    int n;
    struct contraction_sum *list; /* n */
    int64_t n_tasks, n_parts;     /* of all sums */
};

/* problems  n_terms >= 1 of them, copied; the labels are borrowed
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT; contraction_sums_fini follows then, too. */
enum status contraction_sums_init(int n_terms, const struct contraction_problem problems[],
                                  struct contraction_sums *sums);
void contraction_sums_fini(struct contraction_sums *sums);

/* Gives the tensors of a term, by contraction_place; NULL for B without B. Borrowed. */
void contraction_sums_bind(struct contraction_sums *sums, int term,
                           struct tensor *const tensor[N_CONTRACTION_PLACES]);

struct contraction_task {
    const struct contraction_sum *sum;
    int64_t block; /* of C */
    int64_t part;  /* among all parts; -1: the whole block */
    int64_t slice; /* of n_slices of the block's products */
    int64_t n_slices;
    int32_t at[MAX_RANK]; /* the tiles of C's block; for a scalar of A's */
};

void contraction_sums_task(const struct contraction_sums *sums, int64_t task,
                           struct contraction_task *found);

/* Elements of the block that the task makes, whole or a part of it. */
int64_t contraction_task_elements(const struct contraction_task *task);

/* The products of a task, term by term. */
struct term_walk {
    const struct contraction_sums *sums;
    const struct contraction_task *task; /* borrowed */
    int term;
    struct pair_walk pairs; /* of the term */
    int64_t left;           /* products of the slice */
};

void term_walk_begin(const struct contraction_sums *sums, const struct contraction_task *task,
                     enum pair_wants wants, struct term_walk *walk);

/* Steps to the next pair; false at the end. */
bool term_walk_next(struct term_walk *walk);

/* Elements of all parts together. */
double contraction_parts_elements(const struct contraction_sums *sums);

/* Creates the array of all parts; *parts is NULL without parts. Collective.
 * Errors: as darray_create, the same on every process. */
enum status contraction_parts_create(const struct contraction_sums *sums, struct darray **parts);

/* Adds up the parts of the blocks of C that this process holds. Between two synchronisations; not collective.
 * scratch  room for a block of C */
void contraction_parts_add_up(const struct contraction_sums *sums, const struct darray *parts,
                              double *scratch);
