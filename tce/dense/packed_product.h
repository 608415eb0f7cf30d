/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix products of blocks that do not lie as matrices: panels of rows and columns are packed straight
 * from the blocks, by tables of offsets, and products are added to C where its elements lie, so that each
 * block is read and written once.
 * Source: Matthews, SIAM J. Sci. Comput. 40, C1 (2018), arXiv:1607.00291 (TBLIS); the loops are those
 * of Goto and van de Geijn, ACM Trans. Math. Softw. 34, 12 (2008). */
#pragma once

#include "tce/dense/dense_product.h"
#include "tce/dense/product_shape.h"

/* shape  without batch indices */
void packed_product_run(const struct product_shape *shape, struct product_scratch *scratch);
