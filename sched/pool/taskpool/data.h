/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of data that tasks of a static pool read and write. C and C++. */
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

#endif
