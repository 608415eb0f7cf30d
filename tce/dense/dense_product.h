/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of dense blocks whose indices lie in any order:
 *
 *     C[batch, rows, columns] (+)= factor * sum over summed of A[batch, rows, summed] B[batch, summed, columns]
 *
 * Each of the four stands for any number of indices, given by their extents and their strides in the three
 * blocks. Engines, chosen by the shape alone:
 *     loops    where each element of a factor is used but once, or all is tiny
 *     DGEMM    where the blocks lie as matrices
 *     packed   all others (packed_product.h), and where a factor is packed beforehand (product_panels.h) */
#pragma once

#include "support/base/status.h"
#include "tce/tensor/block_buffers.h"
#include "tce/tensor/index_space.h"

#include <stdbool.h>
#include <stdint.h>

enum { PRODUCT_MAX_DIMENSIONS = 2 * MAX_RANK };
enum product_side { SIDE_C, SIDE_A, SIDE_B, N_SIDES };

/* An index: its values, and for each side the distance between neighbours, in elements; 0 where the
 * side lacks it. One that only A or only B has is summed over; one that no side has is left out. */
struct product_dimension {
    int64_t extent;
    int64_t stride[N_SIDES];
};

/* How a factor lies: as its strides say, or packed (product_panels.h); strides then say which indices it
 * has. Row panels are of the factor that has C's nearest neighbours, column panels of the other. */
enum factor_form { BY_STRIDES, ROW_PANELS, COLUMN_PANELS };

/* With panels no index is in all three. */
struct dense_product {
    int n;
    struct product_dimension dimension[PRODUCT_MAX_DIMENSIONS];
    double *C; /* overlaps with neither A nor B; its elements differ from each other */
    const double *A, *B;
    enum factor_form form_A, form_B;
    double factor;
    bool add; /* to C, instead of replacing it */
};

/* Scratch for packed products, of fixed size, lent by buffers: memory is touched for the first time once. */
struct product_scratch;

int64_t product_scratch_bytes(void);
enum status product_scratch_create(struct block_buffers *buffers, struct product_scratch **scratch);
void product_scratch_destroy(struct block_buffers *buffers, struct product_scratch *scratch);

void dense_product_run(const struct dense_product *product, struct product_scratch *scratch);

/* Adds up n products in one C, whose places are the same in all; the first says whether to what C holds. Those
 * that follow each other with the same indices of C as rows, and the same as columns, cost one addition to
 * C together. */
void dense_products_run(int n, const struct dense_product products[],
                        struct product_scratch *scratch);
