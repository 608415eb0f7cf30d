/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of tensors that are local to a loop over tiles: of one tuple, or of one slice of it. */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_products.h"
#include "tce/tile_loop/tile_loop.h"

#include <stdbool.h>
#include <stdint.h>

/* Values of the loop's indices, from the first of their tiles on: all, or those of a slice. */
struct value_range {
    int64_t first[TILE_LOOP_MAX_INDICES], extent[TILE_LOOP_MAX_INDICES];
};

/* Where a worker is in the loop. Borrowed. */
struct loop_position {
    const struct loop_products *products; /* of the tuple */
    const int32_t *tuple;
    struct value_range range;
    bool in_slice;
};

/* A local tensor's blocks, one after another; begins as zeros. */
struct local_tensor {
    double *elements;
    int64_t capacity, size;
    int block_capacity;
    int64_t *offsets; /* of its blocks */
};

/* Makes room for the tensors of the slice at hand or, outside of slices, of the whole tuple, and fills
 * those that are filled. locals: problem->n_tensors. Errors: STATUS_NO_MEMORY, those of the fills. */
enum status loop_locals_begin(const struct tile_loop_problem *problem,
                              const struct tile_fill fills[], const struct loop_position *at,
                              struct block_buffers *buffers, struct local_tensor locals[]);

/* The extents of a block of a local tensor. */
void loop_local_extents(const struct loop_position *at, const struct tile_loop_tensor *tensor,
                        const int32_t tiles[], int64_t extent[MAX_RANK]);
void local_tensor_fini(struct local_tensor *local, struct block_buffers *buffers);
