/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of a worker or a manager in mode share, first in first out: the IDs of one range,
 * or the records of a dynamic pool. */
#pragma once

#include "sched/pool/queues/task_ranges.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised but for record_size is empty. */
struct task_queue {
    size_t record_size;          /* 0: IDs */
    struct taskpool_range range; /* of IDs */
    char *records;               /* of them [first, first + n) are in the queue */
    int64_t first, n, capacity;
};

void task_queue_fini(struct task_queue *queue);

int64_t task_queue_count(const struct task_queue *queue);

/* Puts a range into an empty queue of IDs. */
void task_queue_put_range(struct task_queue *queue, struct taskpool_range range);

/* Appends copies of n records. Errors: STATUS_NO_MEMORY, the queue is then unchanged. */
enum status task_queue_push(struct task_queue *queue, const void *records, int64_t n);

/* Takes the newest record; false if the queue is empty. */
bool task_queue_pop(struct task_queue *queue, void *record);

/* Takes the n oldest tasks, n <= task_queue_count.
 * range    out, of IDs; empty in a queue of records
 * records  out, n records; may be NULL in a queue of IDs */
void task_queue_take(struct task_queue *queue, int64_t n, struct taskpool_range *range,
                     void *records);
