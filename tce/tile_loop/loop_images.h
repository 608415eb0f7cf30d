/* SPDX-License-Identifier: BSD-3-Clause */
/* Replaces a local tensor of a whole tuple by the sum of its images under permutations of its places, signs
 * included, and itself (loop_sums.h). */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tile_loop/loop_locals.h"
#include "tce/tile_loop/loop_sums.h"

/* n, numbers: of permutations of the sum. Errors: STATUS_NO_MEMORY. */
enum status loop_images_add(const struct tile_loop_tensor *tensor,
                            const struct local_blocks *blocks, const struct loop_sum *sum, int n,
                            const int numbers[], const struct loop_position *at,
                            struct block_buffers *buffers, const struct local_tensor *local);
