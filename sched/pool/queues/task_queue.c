/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/queues/task_queue.h"

#include "support/base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void task_queue_fini(struct task_queue *queue)
{
    free(queue->records);
    *queue = (struct task_queue){.record_size = queue->record_size};
}

int64_t task_queue_count(const struct task_queue *queue)
{
    return queue->record_size > 0 ? queue->n : taskpool_range_count(&queue->range);
}

void task_queue_put_range(struct task_queue *queue, struct taskpool_range range)
{
    assert(queue->record_size == 0 && task_queue_count(queue) == 0);
    queue->range = range;
}

static char *record_at(const struct task_queue *queue, int64_t i)
{
    return queue->records + (size_t)(queue->first + i) * queue->record_size;
}

/* Room for n more records. The room of those taken is reused when it is at least half
 * of all, so that moving the others is cheap on average. */
static enum status reserve_records(struct task_queue *queue, int64_t n)
{
    if (queue->first + queue->n + n <= queue->capacity)
        return STATUS_OK;
    if (queue->first < queue->n + n)
        return array_reserve(&queue->records, queue->first + queue->n + n, &queue->capacity,
                             queue->record_size);
    memcpy(queue->records, record_at(queue, 0), (size_t)queue->n * queue->record_size);
    queue->first = 0;
    return queue->n + n <= queue->capacity
               ? STATUS_OK
               : array_reserve(&queue->records, queue->n + n, &queue->capacity, queue->record_size);
}

enum status task_queue_push(struct task_queue *queue, const void *records, int64_t n)
{
    TRY(reserve_records(queue, n));
    memcpy(record_at(queue, queue->n), records, (size_t)n * queue->record_size);
    queue->n += n;
    return STATUS_OK;
}

bool task_queue_pop(struct task_queue *queue, void *record)
{
    if (queue->n == 0)
        return false;
    memcpy(record, record_at(queue, --queue->n), queue->record_size);
    if (queue->n == 0)
        queue->first = 0;
    return true;
}

void task_queue_take(struct task_queue *queue, int64_t n, struct taskpool_range *range,
                     void *records)
{
    assert(n <= task_queue_count(queue));
    *range = (struct taskpool_range){0};
    if (queue->record_size == 0) {
        *range = queue->range;
        range->last = range->first + n * range->step;
        queue->range.first = range->last;
        return;
    }
    memcpy(records, record_at(queue, 0), (size_t)n * queue->record_size);
    queue->first += n;
    queue->n -= n;
}
