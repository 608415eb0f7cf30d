/* SPDX-License-Identifier: BSD-3-Clause */
/* The indices of a dense product by what they do, as few and as regular as possible. */
#pragma once

#include "tce/dense/dense_product.h"

#include <stdbool.h>
#include <stdint.h>

/* Innermost first; without indices of one value, those that follow each other on all sides fused. */
struct dimension_list {
    int n;
    struct product_dimension dimension[PRODUCT_MAX_DIMENSIONS];
};

/* A and B are exchanged, and rows with columns, where C's nearest neighbours are columns: they are
 * rows here, as the row panels of a factor are. With panels, summed indices are in the order of
 * their numbers. Summed values come in strips of the innermost index, the last one shorter. A strip
 * runs over all values of the other indices; the innermost index runs fastest. */
struct product_shape {
    struct dimension_list rows, columns, summed, batch;
    int64_t strip; /* values of the innermost summed index */
    const double *A, *B;
    bool has_panels_A, has_panels_B; /* packed beforehand, as rows and as columns */
    double *C;
    double factor;
    bool add;
};

/* Rows and columns in the order of C. */
void product_shape_init(const struct dense_product *product, struct product_shape *shape);

/* Reorders rows and columns. Long sums: the factors' order, so that panels are packed from few
 * pages of memory. Short sums: only the factors' neighbours move. C's nearest neighbours stay
 * innermost among the rows, where they are added by vectors. */
void product_shape_reorder(struct product_shape *shape);

/* Whether two products with the same C have the same rows and the same columns, in the same order. */
bool product_shapes_match(const struct product_shape *left, const struct product_shape *right);

/* Offsets in A and B of n summed values from number `from` on. */
void product_shape_summed_offsets(const struct product_shape *shape, int64_t from, int64_t n,
                                  int64_t *of_A, int64_t *of_B);

/* The place of the index by which neighbours in memory are reached on the side; -1: none of the list. */
int dimension_list_neighbours(const struct dimension_list *list, enum product_side side);

/* Values of all its indices together. */
int64_t dimension_list_size(const struct dimension_list *list);

/* A position in the list: a value of each index, and offsets on each side. */
struct dimension_place {
    int64_t value[PRODUCT_MAX_DIMENSIONS];
    int64_t offset[N_SIDES];
};

/* Steps to the next value of the indices from number `first` on; false, and at zero, after the last.
 * Begins with zeros. */
bool dimension_list_next(const struct dimension_list *list, int first,
                         struct dimension_place *place);

/* Offsets on two sides of n values from number `from` on. */
void dimension_list_offsets(const struct dimension_list *list, int64_t from, int64_t n,
                            const enum product_side side[2], int64_t *const offsets[2]);
