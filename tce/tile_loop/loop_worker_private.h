/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations that the files of the worker share. */
#pragma once

#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_locals.h"
#include "tce/tile_loop/loop_operands.h"
#include "tce/tile_loop/loop_products.h"
#include "tce/tile_loop/loop_sums.h"
#include "tce/tile_loop/loop_worker.h"

#include <stdbool.h>

/* Products of one block of a local tensor that are multiplied together, with what they have pinned. */
enum { MAX_SUM_TERMS = 16 };
struct sum_terms {
    int n;
    int step[MAX_SUM_TERMS];
    struct dense_product products[MAX_SUM_TERMS];
    struct pinned_block factors[MAX_SUM_TERMS][2];
};

struct loop_worker {
    struct loop_body body;
    struct block_buffers *buffers;
    struct product_scratch *scratch;
    struct local_tensor *locals; /* n_tensors */
    struct loop_product_lists lists;
    struct loop_position at;
    struct loop_operands operands;
    struct taskpool *polled;
    double *of_slice; /* n_scalars */
    struct sum_terms terms;
    bool *is_image; /* n_steps */
    int *kept;      /* permutations: twice n_steps */
};

/* --- loop_steps.c --- */

/* Where a step's products go. */
struct product_target {
    double *elements;
    bool add; /* to what is there */
};

/* The extents of a product's indices, in step s. */
void loop_worker_set_extents(const struct loop_worker *worker, int s,
                             const struct loop_product *product, int64_t extent[MAX_INDICES]);

/* The factors of a product, until they are released, also after a failure. */
enum status loop_worker_pin(const struct loop_worker *worker, int s,
                            const struct loop_product *product, const int64_t extent[MAX_INDICES],
                            struct pinned_block factors[2]);
void loop_worker_release(const struct loop_worker *worker, int s,
                         const struct pinned_block factors[2]);

/* The product of two factors that are pinned. */
void loop_worker_set_product(const struct loop_step_tasks *step, const int64_t extent[MAX_INDICES],
                             const struct pinned_block factors[2],
                             const struct product_target *target, struct dense_product *product);

/* Makes a block of C zero that nothing is added to. */
void loop_worker_clear_target(const struct loop_worker *worker, int s,
                              const struct loop_target *target, double *elements);

enum status loop_worker_run_step(struct loop_worker *worker, int s, double scalars[]);

/* --- loop_sum_run.c --- */

enum status loop_worker_run_sum(struct loop_worker *worker, const struct loop_sum *sum);
