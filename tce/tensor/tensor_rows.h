/* SPDX-License-Identifier: BSD-3-Clause */
/* A tensor as dense pieces, for files: rows of blocks, which are the blocks that differ in
 * the tile of the last index only. Row-major; elements without a block are zero. */
#ifndef BERYL_TCE_TENSOR_ROWS_H
#define BERYL_TCE_TENSOR_ROWS_H

#include "support/base/status.h"
#include "tce/tensor/tensor.h"

#include <stdbool.h>
#include <stdint.h>

/* A walk over the rows, in order. */
struct tensor_rows {
    struct tensor *tensor; /* borrowed */
    int rank;              /* of the pieces: a scalar is one of rank 1 with one element */
    int64_t all[MAX_RANK]; /* values of each index */

    /* The current row: the values of each index that it spans. */
    int64_t first[MAX_RANK], size[MAX_RANK];
    int64_t n_elements;
    double *elements; /* owned */

    /* Private. */
    int64_t begin, end; /* blocks of the row */
    double *block;
};

/* Not collective, like all that follows. Errors: STATUS_NO_MEMORY; nothing is left then. */
enum status tensor_rows_init(struct tensor *tensor, struct tensor_rows *rows);
void tensor_rows_fini(struct tensor_rows *rows);

/* Goes to the first or the next row; false after the last. */
bool tensor_rows_next(struct tensor_rows *rows);

/* Sets the elements of the row from the tensor's blocks, or the blocks from them. */
void tensor_rows_get(const struct tensor_rows *rows);
void tensor_rows_put(const struct tensor_rows *rows);

#endif
