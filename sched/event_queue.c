#include "sched/event_queue.h"

#include "support/agree.h"
#include "support/array.h"

#include <stdlib.h>

static bool before(const struct event *a, const struct event *b)
{
    return a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order);
}

void event_queue_add(struct event_queue *queue, struct event event)
{
    if (array_reserve(&queue->heap, queue->n + 1, &queue->capacity, sizeof event) != STATUS_OK)
        die("no memory for %lld events", (long long)queue->n);
    event.order = queue->n_added++;
    int64_t hole = queue->n++;
    while (hole > 0 && before(&event, &queue->heap[(hole - 1) / 4])) {
        queue->heap[hole] = queue->heap[(hole - 1) / 4];
        hole = (hole - 1) / 4;
    }
    queue->heap[hole] = event;
}

/* The earliest of the children of a node that has some. */
static int64_t first_child(const struct event_queue *queue, int64_t node)
{
    int64_t first = 4 * node + 1;
    int64_t end = first + 4 < queue->n ? first + 4 : queue->n;
    for (int64_t child = first + 1; child < end; child++)
        if (before(&queue->heap[child], &queue->heap[first]))
            first = child;
    return first;
}

bool event_queue_next(struct event_queue *queue, struct event *event)
{
    if (queue->n == 0)
        return false;
    *event = queue->heap[0];
    struct event last = queue->heap[--queue->n];
    int64_t hole = 0;
    while (4 * hole + 1 < queue->n) {
        int64_t child = first_child(queue, hole);
        if (!before(&queue->heap[child], &last))
            break;
        queue->heap[hole] = queue->heap[child];
        hole = child;
    }
    queue->heap[hole] = last;
    return true;
}

void event_queue_fini(struct event_queue *queue)
{
    free(queue->heap);
    *queue = (struct event_queue){0};
}
