/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/vectors/vector_unit.h"
#include "tce/dense/product_kernels.h"

const struct product_kernels *product_kernels_here(void)
{
#if defined(__x86_64__)
    if (vector_unit_here() >= VECTOR_UNIT_AVX2)
        return vector_unit_here() >= VECTOR_UNIT_AVX512 ? &product_kernels_avx512
                                                        : &product_kernels_avx2;
#endif
    return &product_kernels_baseline;
}
