/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that follow each other and add up one local tensor C, of whole tuples: a sum.
 *
 * In which order: products with the same indices of C as rows follow each other, as they are added to C
 * together (dense_product.h).
 *
 * Which are images of each other: a permutation p of C's places takes a product T[x_0, x_1, ...] to
 * T[x_p(0), x_p(1), ...]. Where all products of the sum have their images in it, as those of a
 * symmetrizer do, and the tiles of a tuple are the same at places that p exchanges, C's blocks of an
 * image are those of the other product, their indices exchanged: one of them is computed, and in the end
 * C is replaced by the sum of its images. */
#pragma once

#include "tce/tile_loop/loop_worker.h"

#include <stdbool.h>

/* Errors: STATUS_NO_MEMORY; loop_sums_destroy follows then, too.
 * problem, steps: borrowed during the call */
enum status loop_sums_create(const struct tile_loop_problem *problem,
                             const struct loop_step_tasks steps[], struct loop_sums **sums);
void loop_sums_destroy(struct loop_sums *sums);

/* A permutation of C's places that is no identity. */
struct sum_permutation {
    int place[MAX_RANK];
    double sign;
    int *image;      /* of each of the sum's steps, its number in the sum */
    bool fixes_step; /* takes one to itself */
};

struct loop_sum {
    int first, end; /* steps */
    int *order;     /* end - first: of the steps, by their numbers in the sum */
    int n_permutations;
    struct sum_permutation *permutations; /* with the identity they are a group */
};

/* The sum that begins with a step; NULL: none does. */
const struct loop_sum *loop_sums_find(const struct loop_sums *sums, int first);

/* Chooses the permutations under which the tuple's tiles stay as they are, and one of each set of steps that
 * are images of each other.
 * n_kept, kept  out: their number, and which, of sum->n_permutations
 * is_image      out, of end - first: whether a step is an image of one that is computed */
void loop_sum_choose(const struct tile_loop_problem *problem, const struct loop_sum *sum,
                     const int32_t tuple[], int *n_kept, int kept[], bool is_image[]);
