/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense blocks whose indices have numbers: their strides, copies and reductions. Blocks are row-major; extents
 * of the current tiles are listed by index number. */
#pragma once

#include "tce/tensor/index_space.h"
#include "tce/tensor/symmetry.h"

#include <stdbool.h>
#include <stdint.h>

/* Index numbers that a step may have. */
enum { MAX_INDICES = 2 * MAX_RANK };

/* Index numbers. */
struct index_list {
    int n;
    int index[MAX_RANK];
};

/* How often the index occurs in the list. */
int index_list_count(const struct index_list *list, int index);

/* The first place of an index that is in the list. */
int index_list_place(const struct index_list *list, int index);

void index_list_append(struct index_list *list, int index);

/* The distance between neighbours in each index of a block; of one that occurs twice, along the
 * diagonal. 0: the block lacks it. */
struct block_strides {
    int64_t of[MAX_INDICES];
};

struct block_strides block_strides_of(const struct index_list *order,
                                      const int64_t extent[MAX_INDICES]);

/* The indices of the places of the stored block that an image of it is read from, which has these. */
struct index_list blocks_stored_order(const struct index_list *own,
                                      const struct signed_permutation *image);

/* to[order] (+)= factor * sum over the indices that `order` lacks of source.
 * strides  of the source
 * order    indices of the source, each once; the destination is without gaps
 * add      to what the destination holds, instead of replacing it */
void blocks_copy(const struct block_strides *strides, const struct index_list *order,
                 const int64_t extent[MAX_INDICES], double factor, const double *source, bool add,
                 double *destination);

/* Copies a box of `rank` dimensions between blocks of any strides. */
void blocks_copy_box(int rank, const int64_t extent[], const int64_t from_stride[],
                     const double *from, const int64_t to_stride[], double *to);
