/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of data that tasks of a static pool read and write, and what it costs to move one. C and
 * C++. */
#ifndef TASKPOOL_DATA_H
#define TASKPOOL_DATA_H

#include <stdbool.h>
#include <stdint.h>

struct taskpool_data_block {
    int64_t bytes;
    int64_t owner; /* 0 or more */
};

struct taskpool_data_access {
    int64_t block; /* index of taskpool_data.blocks */
    bool writes;
};

/* Accesses of tasks to blocks of data. Worker owner % n_workers holds a block. */
struct taskpool_data {
    int64_t n_blocks;
    int64_t *numbers; /* n_blocks, ascending: the blocks' IDs in the file */
    struct taskpool_data_block *blocks;
    int64_t n_tasks;
    int64_t *tasks; /* n_tasks, ascending; NULL: 0, 1, ... Other tasks need no data */
    int64_t *first; /* n_tasks + 1: accesses of the task at position i begin at first[i] */
    struct taskpool_data_access *accesses;
};

/* Data, and the machine that moves them, as modes are to expect it: a worker that reads or writes a
 * block of another one spends
 *     2 overhead + 2 latency + bytes / bandwidth
 * seconds, with the numbers within a node or between nodes. Times and rates are finite and not
 * negative. */
struct taskpool_data_costs {
    const struct taskpool_data *data; /* borrowed */
    int node_size;                    /* workers of a node, consecutive ones; 0: all */
    double latency_s, node_latency_s;
    double bandwidth, node_bandwidth; /* bytes per second; 0: infinite */
    double overhead_s;
    int64_t cache_bytes; /* what a node keeps of others' blocks: one of at most this size is read
                          * once for all tasks of a worker, and written once; a larger one for each
                          * task */
    double
        cost_unit_s; /* seconds of a unit of problem.cost; 0: not known. If known, auto begins where
                          * the first iteration is expected to end earlier, with the owners of data or
                          * in blocks of even cost */
};

#endif
