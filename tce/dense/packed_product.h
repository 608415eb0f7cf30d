/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products of blocks that do not lie as matrices: panels of rows and columns are packed straight
 * from the blocks, by tables of offsets, and products are added to C where its elements lie, so that each
 * block is read and written once. Products with the same rows and columns are summed in registers before
 * C is touched.
 * Source: Matthews, SIAM J. Sci. Comput. 40, C1 (2018), arXiv:1607.00291 (TBLIS); the loops are those
 * of Goto and van de Geijn, ACM Trans. Math. Softw. 34, 12 (2008). */
#pragma once

#include "tce/dense/dense_product.h"
#include "tce/dense/product_shape.h"

/* The sum of n products that match (product_shapes_match), without batch indices, to the C of the first,
 * which says whether it is added. No factor is 0 unless n is 1. */
void packed_products_run(int n, const struct product_shape shapes[],
                         struct product_scratch *scratch);
