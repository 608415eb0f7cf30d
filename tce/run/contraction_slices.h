/* SPDX-License-Identifier: BSD-3-Clause */
/* How many tasks share a block of C. Where C is small beside its factors, as of long inner products, few of its
 * blocks are as large as fast products want them: too few tasks for many processes. Then the products of a block,
 * in their order, are cut into slices. A task adds up one slice (contraction_sums.h).
 *
 * Shapes alone decide: results are the same on any number of processes. */
#pragma once

/* Tasks that a sum should have. */
enum { WANTED_TASKS = 24 };

/* A sum of contractions before it is cut. */
struct sum_shape {
    double n_blocks;         /* of C */
    double n_products;       /* of a block, in the mean */
    double flops;            /* of all */
    double elements_C;       /* of all blocks */
    double elements_factors; /* of the tensors that are read */
};

/* The slices of each block, at least 1; not rounded. */
double contraction_slices_wanted(const struct sum_shape *shape);
