/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/data_cache.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <search.h>
#include <stdlib.h>

/* A block in a node's memory. */
struct copy {
    int64_t block, bytes; /* block first: the order of array_ascending */
    int writer;           /* that has to take it out; -1: it is as its owner has it */
    struct copy *newer, *older;
    struct copy *next_written, **to_written; /* in the list of its writer */
};

struct node_memory {
    void *copies; /* tree of tsearch, by block */
    struct copy *newest, *oldest;
    int64_t used_bytes;
};

struct data_cache {
    int n_nodes;
    int64_t bytes;
    struct node_memory *nodes;
    struct copy **written; /* n_workers lists */
};

enum status data_cache_create(int n_nodes, int n_workers, int64_t bytes, struct data_cache **cache)
{
    struct data_cache *made = calloc(1, sizeof *made);
    *cache = made;
    TRY(CHECK_MEMORY(made, "no memory for the data of %d simulated nodes", n_nodes));
    made->nodes = calloc((size_t)n_nodes, sizeof *made->nodes);
    made->written = calloc((size_t)n_workers, sizeof *made->written);
    made->n_nodes = made->nodes ? n_nodes : 0;
    made->bytes = bytes;
    if (made->nodes && made->written)
        return STATUS_OK;
    data_cache_destroy(made);
    *cache = NULL;
    return FAIL(STATUS_NO_MEMORY, "no memory for the data of %d simulated nodes", n_nodes);
}

static void unlink_copy(struct node_memory *node, struct copy *copy)
{
    *(copy->newer ? &copy->newer->older : &node->newest) = copy->older;
    *(copy->older ? &copy->older->newer : &node->oldest) = copy->newer;
}

static void link_copy(struct node_memory *node, struct copy *copy)
{
    copy->newer = NULL;
    copy->older = node->newest;
    *(node->newest ? &node->newest->newer : &node->oldest) = copy;
    node->newest = copy;
}

static void forget_writer(struct copy *copy)
{
    if (copy->writer < 0)
        return;
    *copy->to_written = copy->next_written;
    if (copy->next_written)
        copy->next_written->to_written = copy->to_written;
    copy->writer = -1;
}

static void drop_oldest_copy(struct node_memory *node)
{
    struct copy *copy = node->oldest;
    unlink_copy(node, copy);
    forget_writer(copy);
    node->used_bytes -= copy->bytes;
    tdelete(copy, &node->copies, array_ascending);
    free(copy);
}

void data_cache_clear(struct data_cache *cache)
{
    for (int i = 0; i < cache->n_nodes; i++)
        while (cache->nodes[i].oldest)
            drop_oldest_copy(&cache->nodes[i]);
}

void data_cache_destroy(struct data_cache *cache)
{
    if (!cache)
        return;
    data_cache_clear(cache);
    free(cache->nodes);
    free(cache->written);
    free(cache);
}

static struct copy *find_copy(const struct node_memory *node, int64_t block)
{
    struct copy *const *found = tfind(&block, &node->copies, array_ascending);
    return found ? *found : NULL;
}

bool data_cache_use(struct data_cache *cache, int node, int64_t block)
{
    struct node_memory *memory = &cache->nodes[node];
    struct copy *copy = find_copy(memory, block);
    if (!copy)
        return false;
    unlink_copy(memory, copy);
    link_copy(memory, copy);
    return true;
}

bool data_cache_keeps(const struct data_cache *cache, int64_t bytes)
{
    return bytes <= cache->bytes;
}

int64_t data_cache_put(struct data_cache *cache, int node, int64_t block, int64_t bytes)
{
    struct node_memory *memory = &cache->nodes[node];
    while (memory->used_bytes + bytes > cache->bytes) {
        const struct copy *oldest = memory->oldest;
        int64_t written = oldest->writer >= 0 ? oldest->block : -1;
        drop_oldest_copy(memory);
        if (written >= 0)
            return written;
    }
    struct copy *copy = malloc(sizeof *copy);
    if (!copy)
        die_no_memory("no memory for the data of simulated nodes");
    *copy = (struct copy){.block = block, .bytes = bytes, .writer = -1};
    if (!tsearch(copy, &memory->copies, array_ascending))
        die_no_memory("no memory for the data of simulated nodes");
    link_copy(memory, copy);
    memory->used_bytes += bytes;
    return -1;
}

void data_cache_write(struct data_cache *cache, int node, int64_t block, int worker)
{
    struct copy *copy = find_copy(&cache->nodes[node], block);
    if (copy->writer >= 0)
        return;
    copy->writer = worker;
    copy->next_written = cache->written[worker];
    copy->to_written = &cache->written[worker];
    if (copy->next_written)
        copy->next_written->to_written = &copy->next_written;
    cache->written[worker] = copy;
}

int64_t data_cache_take_written(struct data_cache *cache, int worker)
{
    struct copy *copy = cache->written[worker];
    if (!copy)
        return -1;
    forget_writer(copy);
    return copy->block;
}
