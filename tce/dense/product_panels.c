/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/dense/product_panels.h"

#include "support/base/integers.h"
#include "tce/dense/product_kernels.h"

#include <string.h>

static int width_of(enum factor_form form)
{
    const struct product_kernels *kernels = product_kernels_here();
    return form == ROW_PANELS ? kernels->rows : kernels->columns;
}

int64_t product_panels_size(enum factor_form form, int64_t n, int64_t depth)
{
    return round_up_int64(n, width_of(form)) * depth;
}

void product_panels_pack(enum factor_form form, int64_t n, int64_t depth, const double *matrix,
                         double *panels)
{
    int64_t width = width_of(form);
    for (int64_t i = 0; i < n; i += width) {
        int64_t n_rows = min_int64(width, n - i);
        double *panel = panels + i * depth;
        for (int64_t k = 0; k < depth; k++) {
            memcpy(panel + k * width, matrix + k * n + i, (size_t)n_rows * sizeof *panel);
            for (int64_t j = n_rows; j < width; j++)
                panel[k * width + j] = 0;
        }
    }
}
