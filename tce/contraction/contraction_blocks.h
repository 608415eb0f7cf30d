/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense blocks whose indices have numbers: copied, reduced, and as sides of a product. Blocks are
 * row-major; extents are those of the tiles at hand, by index number. */
#pragma once

#include "tce/contraction/contraction_indices.h"
#include "tce/dense/dense_product.h"

#include <stdbool.h>
#include <stdint.h>

/* The distance between neighbours in each index of a block; of one that occurs twice, along the
 * diagonal. 0: the block lacks it. */
struct block_strides {
    int64_t of[MAX_INDICES];
};

struct block_strides block_strides_of(const struct index_list *order,
                                      const int64_t extent[MAX_INDICES]);

/* The indices of the places of the stored block that an image of it is read from, which has these. */
struct index_list contraction_stored_order(const struct index_list *own,
                                           const struct signed_permutation *image);

/* to[order] (+)= factor * sum over the indices that `order` lacks of source.
 * strides  of the source
 * order    indices of the source, each once; the destination is without gaps
 * add      to what the destination holds, instead of replacing it */
void contraction_copy(const struct block_strides *strides, const struct index_list *order,
                      const int64_t extent[MAX_INDICES], double factor, const double *source,
                      bool add, double *destination);

/* A side of a product whose dimensions are numbered as the indices are: a block of these strides, or one that
 * lies as `order` says, without gaps. Extents must be those of the blocks already, strides of the side 0. */
void contraction_set_side(enum product_side side, const struct block_strides *strides,
                          struct dense_product *product);
void contraction_lay_out_side(enum product_side side, const struct index_list *order,
                              struct dense_product *product);
