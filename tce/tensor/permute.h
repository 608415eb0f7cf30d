/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense blocks with their indices in another order:
 *
 *     destination[i_0][i_1]... (+)= factor * source[i_0 stride_0 + i_1 stride_1 + ...]
 *
 * The destination is row-major without gaps. The strides of the source may be any. Strides in the
 * order of the destination's indices permute the source; the sum of two strides takes a diagonal.
 * Where one stride is 1 the work is done in square pieces of the plane of the fastest indices of
 * both sides, so that both are read and written by cache lines. */
#pragma once

#include "tce/tensor/index_space.h"

#include <stdbool.h>
#include <stdint.h>

struct permute_shape {
    int rank; /* in [0, MAX_RANK] */
    int64_t extent[MAX_RANK];
    int64_t stride[MAX_RANK]; /* of the source, elements */
};

/* add  to what the destination holds, instead of replacing it
 * The two must not overlap. */
void permute(const struct permute_shape *shape, double factor, const double *source, bool add,
             double *destination);
