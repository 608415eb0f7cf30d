/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of other workers' blocks in the memory of simulated nodes: of each node those that were
 * used last, up to a number of bytes. A block that a worker has written stays there, too, until it
 * has to make room or its worker takes it out. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct data_cache;

/* bytes  of each node. Errors: STATUS_NO_MEMORY. All that follow end the program when out of
 *        memory. */
enum status data_cache_create(int n_nodes, int n_workers, int64_t bytes, struct data_cache **cache);
void data_cache_destroy(struct data_cache *cache); /* NULL is fine */

/* Forgets all blocks. */
void data_cache_clear(struct data_cache *cache);

/* Whether the node has the block, which is then the one used last. */
bool data_cache_use(struct data_cache *cache, int node, int64_t block);

/* Whether a block of this size is kept at all. */
bool data_cache_keeps(const struct data_cache *cache, int64_t bytes);

/* Puts a block that is kept, and that the node does not have, into its memory. Returns -1 when it
 * is there; otherwise a written block that had to make room for it, which is to be brought to its
 * owner before this is called again. */
int64_t data_cache_put(struct data_cache *cache, int node, int64_t block, int64_t bytes);

/* A block of the worker's node, which has it, was written by the worker; unless it is written
 * already, it is this worker that has to take it out. */
void data_cache_write(struct data_cache *cache, int node, int64_t block, int worker);

/* Another of the blocks that the worker has to take out, which stays as a copy; -1: no more. */
int64_t data_cache_take_written(struct data_cache *cache, int worker);
