/* SPDX-License-Identifier: BSD-3-Clause */
/* The factors of a step's products: blocks of local tensors, where they lie, and of views of stored ones. */
#pragma once

#include "support/base/status.h"
#include "tce/contraction/contraction_blocks.h"
#include "tce/tile_loop/loop_locals.h"
#include "tce/tile_loop/loop_products.h"
#include "tce/tile_loop/loop_views.h"
#include "tce/tile_loop/loop_worker.h"

#include <stdint.h>

/* All but the views is borrowed. */
struct loop_operands {
    const struct loop_body *body;
    struct block_buffers *buffers;
    const struct local_tensor *locals; /* n_tensors */
    const struct loop_position *at;
    struct loop_views *views; /* source 2 s: A of step s, 2 s + 1: B */
};

/* A block that a product reads. */
struct pinned_block {
    const double *elements;
    struct block_strides strides;
    enum factor_form form;
    int64_t size;       /* elements of panels */
    double *reduced;    /* scratch of its own; NULL: none */
    int64_t view_block; /* -1: of a local tensor */
};

/* Errors: those of loop_views_create; loop_views_destroy follows then, too. */
enum status loop_operands_create_views(struct loop_operands *self, int64_t cache_bytes);

/* A factor of step s, until it is released, also after a failure. Errors: STATUS_NO_MEMORY. */
enum status loop_operand_pin(const struct loop_operands *self, int s, enum loop_operand operand,
                             const struct loop_product *product, const int64_t extent[MAX_INDICES],
                             struct pinned_block *pinned);
void loop_operand_release(const struct loop_operands *self, int s, enum loop_operand operand,
                          const struct pinned_block *pinned);
