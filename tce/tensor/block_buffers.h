/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for blocks of tensors that is used again. Fresh memory has to be cleared page by
 * page, which takes longer than to fill it; so buffers that are given back are kept for the next
 * request, but never more than were once in use at a time. One process, one thread. */
#pragma once

#include "support/base/status.h"

#include <stdint.h>

struct block_buffers;

/* Errors: STATUS_NO_MEMORY. */
enum status block_buffers_create(struct block_buffers **buffers);

/* All buffers must have been given back. NULL is fine. */
void block_buffers_destroy(struct block_buffers *buffers);

/* Room for n numbers, undefined, at a multiple of 64 bytes; NULL without memory. */
double *block_buffers_take(struct block_buffers *buffers, int64_t n);

/* NULL is fine. */
void block_buffers_give_back(struct block_buffers *buffers, double *buffer);

/* Bytes that a buffer for n numbers takes. */
int64_t block_buffers_bytes(int64_t n);
