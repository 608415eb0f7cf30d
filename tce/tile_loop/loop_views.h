/* SPDX-License-Identifier: BSD-3-Clause */
/* Stored tensors as the steps of a loop over tiles read them: cut into the loop's tiles and runs of
 * equal labels, whatever the tiles that they are stored in, and in the order in which products read them
 * fastest.
 *
 *     stored blocks (tiles of 20)  --fetched, cached-->  parts  --joined, reordered, cached-->  a view
 *
 * Where products of matrices read them, as panels (product_panels.h).
 *
 * Neighbouring tasks share most of both. */
#pragma once

#include "support/base/status.h"
#include "tce/dense/dense_product.h"
#include "tce/tile_loop/tile_loop.h"

#include <stdint.h>

struct loop_views;

/* An operand A or B of a step that is stored. */
struct loop_view_source {
    const struct tensor *tensor;
    const struct block_index *blocks; /* of the view */
    int place[MAX_RANK];              /* in the tensor, of each index of the view */
    enum factor_form form;            /* of blocks that are not too small for it */
    int n_summed; /* for panels: so many of the view's first indices are summed over */
};

struct view_block {
    const double *elements; /* row-major, or panels */
    enum factor_form form;
    int64_t size; /* elements, with what fills up panels */
};

/* n sources, copied; tensor NULL: not stored. cache_bytes: of views and of stored blocks together.
 * Errors: STATUS_NO_MEMORY; loop_views_destroy follows then, too. */
enum status loop_views_create(int n, const struct loop_view_source sources[], int64_t cache_bytes,
                              struct block_buffers *buffers, struct loop_views **views);
void loop_views_destroy(struct loop_views *views);

/* A block of source number `source`, until it is released. Errors: STATUS_NO_MEMORY. */
enum status loop_views_pin(struct loop_views *views, int source, int64_t block,
                           struct view_block *pinned);
void loop_views_release(struct loop_views *views, int source, int64_t block);
