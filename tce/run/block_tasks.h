/* SPDX-License-Identifier: BSD-3-Clause */
/* The tasks of contractions in one process: each multiplies pairs of blocks, adds the products up in a block of C or
 * a part of it (contraction_sums.h), and writes that once. */
#pragma once

#include "taskpool/taskpool.h"
#include "tce/run/contraction_sums.h"

#include <stdint.h>

struct block_tasks {
    struct contraction_sums sums;
    struct darray *parts; /* NULL without parts */
    /* During a run: */
    struct block_buffers *buffers; /* borrowed */
    struct products *products;
    double *block; /* of C, where this process does not see it */
};

/* Room for parts; the tensors exist from now on. Collective.
 * Errors: as darray_create. */
enum status block_tasks_start(struct block_tasks *tasks);

/* Begins a run of this process. polled: taskpool_poll between two products of a task; NULL: none.
 * Errors: STATUS_NO_MEMORY. block_tasks_end follows in any case. */
enum status block_tasks_begin(struct block_tasks *tasks,
                              const struct contraction_settings *settings, struct taskpool *polled);

/* Errors: STATUS_NO_MEMORY. */
enum status block_tasks_run(struct block_tasks *tasks, int64_t task);

/* After the pool. Adds up parts and synchronises, unless the run failed. Collective. */
void block_tasks_end(struct block_tasks *tasks, enum status status);

void block_tasks_fini(struct block_tasks *tasks);

struct task_cost block_tasks_cost(const struct block_tasks *tasks, int64_t task);

/* Where tensor.h says that the task's block is. */
int block_tasks_owner(const struct block_tasks *tasks, int64_t task, int n_workers);

/* Bytes of the blocks that a process works on, at most, where none is of more than max_block elements;
 * without those that are kept. */
int64_t block_tasks_bytes(int64_t max_block);

/* A block that a task reads, or that it writes. */
struct contraction_access {
    int problem; /* one of those whose tensor it is a block of */
    enum contraction_place place;
    bool writes;
    int64_t block;
    int64_t elements;
};

typedef enum status contraction_visitor(const struct contraction_access *access, void *context);

/* Calls visit for each block of a task, the one that is written last; some may be read several times. A task that
 * makes a part writes none. Stops at the first failure and returns it. */
enum status block_tasks_visit(const struct block_tasks *tasks, int64_t task,
                              contraction_visitor *visit, void *context);
