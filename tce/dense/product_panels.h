/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors that are multiplied many times, packed beforehand: panels of a few rows or columns of the matrix that
 * a factor is, as kernels read them, the last one filled up with zeros. Products whose factors are panels
 * pack nothing. */
#pragma once

#include "tce/dense/dense_product.h"

#include <stdint.h>

/* Elements of the panels of n rows or columns with `depth` summed values; form: one of panels. */
int64_t product_panels_size(enum factor_form form, int64_t n, int64_t depth);

/* panels = of matrix[k n + i], i in [0, n): summed values by the numbers of their dimensions, the last one
 * fastest; rows or columns by the numbers of theirs, which must be C's order: the smaller the number
 * the larger the stride. */
void product_panels_pack(enum factor_form form, int64_t n, int64_t depth, const double *matrix,
                         double *panels);
