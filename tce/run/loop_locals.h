/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of tensors that are local to a loop over tiles, of one tuple. */
#pragma once

#include "support/base/status.h"
#include "tce/run/loop_products.h"
#include "tce/run/tile_loop.h"
#include "tce/tensor/block_buffers.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a worker is in the loop. Borrowed. */
struct loop_position {
    const struct loop_products *products; /* of the tuple */
    const int32_t *tuple;
};

/* A local tensor's blocks, one after another; begins as zeros. */
struct local_tensor {
    double *elements;
    int64_t capacity, size;
    int block_capacity;
    int64_t *offsets; /* of its blocks */
};

/* Makes room for the tensors of the tuple, and fills those that are filled. locals: problem->n_tensors.
 * Errors: STATUS_NO_MEMORY, those of the fills. */
enum status loop_locals_begin(const struct tile_loop_problem *problem,
                              const struct tile_fill fills[], const struct loop_position *at,
                              struct block_buffers *buffers, struct local_tensor locals[]);

/* Elements of a block of a local tensor. tiles: of its places, those of the loop's indices left out */
int64_t loop_local_size(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                        const int32_t tiles[]);
void local_tensor_fini(struct local_tensor *local, struct block_buffers *buffers);
