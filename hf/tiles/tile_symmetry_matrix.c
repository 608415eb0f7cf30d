/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/tiles/tile_symmetry.h"

/* Sets the local elements of the rows of shell a and the columns of its image: T^T. */
static void set_image_block(const struct shell *a, const struct shell *image, const double *T,
                            struct dense *R)
{
    for (int column = 0; column < R->local_columns; column++) {
        int64_t m = dense_global_column(R, column) - image->first_function;
        for (int row = 0; row < R->local_rows && m >= 0 && m < image->n_functions; row++) {
            int64_t p = dense_global_row(R, row) - a->first_function;
            if (p >= 0 && p < a->n_functions)
                R->local[(size_t)column * (size_t)R->local_rows + (size_t)row] =
                    T[m * a->n_functions + p];
        }
    }
}

void tile_symmetry_matrix(const struct tile_symmetry *symmetry, int k, struct dense *R)
{
    const struct shells *shells = symmetry->tiling->shells;
    const int64_t *images = symmetry->shell_images + k * shells->n_shells;
    dense_add(0, R, 0, R);
    for (int64_t s = 0; s < shells->n_shells; s++)
        set_image_block(&shells->shells[s], &shells->shells[images[s]],
                        symmetry->turns[k][shells->shells[s].l], R);
}
