/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/event_queue.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <stdlib.h>

enum {
    CHUNK_EVENTS = 12,  /* of 40 bytes: half a kilobyte */
    BUCKET_EVENTS = 16, /* on average, in the rungs */
    DUE_EVENTS = 64,    /* at most, sorted without another rung if there can be one */
};

struct event_chunk {
    struct event_chunk *next;
    int64_t n;
    struct event events[CHUNK_EVENTS];
};

static bool before(const struct event *a, const struct event *b)
{
    return a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order);
}

static void reserve_events(struct event_list *list, int64_t n)
{
    if (array_reserve(&list->events, n, &list->capacity, sizeof *list->events) != STATUS_OK)
        die_no_memory("no memory for %lld events", (long long)n);
}

/* --- buckets --- */

static struct event_chunk *take_chunk(struct event_queue *queue)
{
    struct event_chunk *chunk = queue->spare;
    if (chunk)
        queue->spare = chunk->next;
    else
        chunk = malloc(sizeof *chunk);
    if (!chunk)
        die_no_memory("no memory for %lld events", (long long)queue->n);
    return chunk;
}

static void put(struct event_queue *queue, struct event_bucket *bucket, const struct event *event)
{
    struct event_chunk *chunk = bucket->chunks;
    if (!chunk || chunk->n == CHUNK_EVENTS) {
        chunk = take_chunk(queue);
        chunk->next = bucket->chunks;
        chunk->n = 0;
        bucket->chunks = chunk;
    }
    chunk->events[chunk->n++] = *event;
    bucket->n++;
}

static void free_chunks(struct event_chunk *chunk)
{
    while (chunk) {
        struct event_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

/* --- rungs --- */

/* The bucket of a time. Monotonic in the time, so that no event precedes one of an earlier
 * bucket. */
static int64_t bucket_of(const struct event_rung *rung, double time_s)
{
    double i = (time_s - rung->start_s) * rung->per_s;
    return i >= (double)rung->n_buckets ? rung->n_buckets - 1 : i > 0 ? (int64_t)i : 0;
}

static void allocate_buckets(struct event_rung *rung)
{
    if (array_reserve(&rung->buckets, rung->n_buckets, &rung->capacity, sizeof *rung->buckets) !=
        STATUS_OK)
        die_no_memory("no memory for %lld buckets of events", (long long)rung->n_buckets);
    for (int64_t i = 0; i < rung->n_buckets; i++)
        rung->buckets[i] = (struct event_bucket){0};
}

/* Distributes the events of a bucket to a new rung of buckets between two times. */
static void deal(struct event_queue *queue, struct event_bucket *bucket, double first_s,
                 double last_s)
{
    struct event_rung *rung = &queue->rungs[queue->n_rungs++];
    rung->n_buckets = bucket->n / BUCKET_EVENTS;
    rung->start_s = first_s;
    rung->per_s = (double)rung->n_buckets / (last_s - first_s);
    rung->current = -1;
    allocate_buckets(rung);
    struct event_chunk *chunk = bucket->chunks;
    while (chunk) {
        struct event_chunk *next = chunk->next;
        for (int64_t i = 0; i < chunk->n; i++)
            put(queue, &rung->buckets[bucket_of(rung, chunk->events[i].time_s)], &chunk->events[i]);
        chunk->next = queue->spare;
        queue->spare = chunk;
        chunk = next;
    }
    *bucket = (struct event_bucket){0};
}

/* --- the bucket that is due --- */

static int compare_events(const void *left, const void *right)
{
    const struct event *a = left, *b = right;
    return before(a, b) ? -1 : before(b, a);
}

static void sort(struct event_list *list)
{
    if (list->n > DUE_EVENTS) {
        qsort(list->events, (size_t)list->n, sizeof *list->events, compare_events);
        return;
    }
    for (int64_t i = 1; i < list->n; i++) {
        struct event event = list->events[i];
        int64_t hole = i;
        for (; hole > 0 && before(&event, &list->events[hole - 1]); hole--)
            list->events[hole] = list->events[hole - 1];
        list->events[hole] = event;
    }
}

static void make_due(struct event_queue *queue, struct event_bucket *bucket)
{
    struct event_list *due = &queue->due;
    due->n = queue->next_due = 0;
    reserve_events(due, bucket->n);
    struct event_chunk *chunk = bucket->chunks;
    while (chunk) {
        struct event_chunk *next = chunk->next;
        for (int64_t i = 0; i < chunk->n; i++)
            due->events[due->n++] = chunk->events[i];
        chunk->next = queue->spare;
        queue->spare = chunk;
        chunk = next;
    }
    *bucket = (struct event_bucket){0};
    sort(due);
}

/* Finds the events that event_queue_foresee returns: the bucket after the one that is due. */
static void look_ahead(struct event_queue *queue)
{
    queue->foreseen = NULL;
    queue->n_foreseen = 0;
    if (queue->n_rungs == 0)
        return;
    const struct event_rung *rung = &queue->rungs[queue->n_rungs - 1];
    if (rung->current + 1 < rung->n_buckets)
        queue->foreseen = rung->buckets[rung->current + 1].chunks;
}

const struct event *event_queue_foresee(struct event_queue *queue)
{
    const struct event_chunk *chunk = queue->foreseen;
    if (!chunk)
        return NULL;
    const struct event *event = &chunk->events[queue->n_foreseen++];
    if (queue->n_foreseen == chunk->n) {
        queue->foreseen = chunk->next;
        queue->n_foreseen = 0;
    }
    return event;
}

static void find_range(const struct event_bucket *bucket, double *first_s, double *last_s)
{
    *first_s = *last_s = bucket->chunks->events[0].time_s;
    for (const struct event_chunk *chunk = bucket->chunks; chunk; chunk = chunk->next)
        for (int64_t i = 0; i < chunk->n; i++) {
            double time_s = chunk->events[i].time_s;
            *first_s = time_s < *first_s ? time_s : *first_s;
            *last_s = time_s > *last_s ? time_s : *last_s;
        }
}

/* Takes the next bucket: few events, or events at almost the same time, become due; others
 * get a rung of their own. */
static void open_bucket(struct event_queue *queue, struct event_bucket *bucket)
{
    double first_s, last_s;
    if (bucket->n > DUE_EVENTS && queue->n_rungs < EVENT_QUEUE_MAX_RUNGS) {
        find_range(bucket, &first_s, &last_s);
        /* Buckets must not be narrower than the resolution of the times. */
        if ((last_s - first_s) / (double)bucket->n > 1e-15 * last_s) {
            deal(queue, bucket, first_s, last_s);
            return;
        }
    }
    make_due(queue, bucket);
    look_ahead(queue);
}

/* Opens the next bucket until events are due. */
static void advance_window(struct event_queue *queue)
{
    while (queue->next_due == queue->due.n && queue->n > 0) {
        if (queue->n_rungs == 0) {
            struct event_bucket bucket = queue->top;
            queue->top_start_s = queue->top_last_s;
            queue->top = (struct event_bucket){0};
            open_bucket(queue, &bucket);
            continue;
        }
        struct event_rung *rung = &queue->rungs[queue->n_rungs - 1];
        do
            rung->current++;
        while (rung->current < rung->n_buckets && rung->buckets[rung->current].n == 0);
        if (rung->current < rung->n_buckets)
            open_bucket(queue, &rung->buckets[rung->current]);
        else
            queue->n_rungs--;
    }
}

/* --- events added to the bucket that is due --- */

static void add_late(struct event_list *late, const struct event *event)
{
    reserve_events(late, late->n + 1);
    int64_t hole = late->n++;
    for (; hole > 0 && before(event, &late->events[(hole - 1) / 4]); hole = (hole - 1) / 4)
        late->events[hole] = late->events[(hole - 1) / 4];
    late->events[hole] = *event;
}

/* The earliest child of a node that has children. */
static int64_t first_child(const struct event_list *late, int64_t node)
{
    int64_t first = 4 * node + 1;
    int64_t end = first + 4 < late->n ? first + 4 : late->n;
    for (int64_t child = first + 1; child < end; child++)
        if (before(&late->events[child], &late->events[first]))
            first = child;
    return first;
}

static void remove_first_late(struct event_list *late)
{
    struct event last = late->events[--late->n];
    int64_t hole = 0;
    while (4 * hole + 1 < late->n) {
        int64_t child = first_child(late, hole);
        if (!before(&late->events[child], &last))
            break;
        late->events[hole] = late->events[child];
        hole = child;
    }
    late->events[hole] = last;
}

/* --- all --- */

static void add_to_top(struct event_queue *queue, const struct event *event)
{
    if (queue->top.n == 0)
        queue->top_last_s = event->time_s;
    else if (event->time_s > queue->top_last_s)
        queue->top_last_s = event->time_s;
    put(queue, &queue->top, event);
}

void event_queue_add(struct event_queue *queue, struct event event)
{
    event.order = queue->n_added++;
    queue->n++;
    if (event.time_s >= queue->top_start_s) {
        add_to_top(queue, &event);
        return;
    }
    for (int i = 0; i < queue->n_rungs; i++) {
        struct event_rung *rung = &queue->rungs[i];
        int64_t bucket = bucket_of(rung, event.time_s);
        if (bucket > rung->current) {
            put(queue, &rung->buckets[bucket], &event);
            return;
        }
    }
    add_late(&queue->late, &event);
}

bool event_queue_next(struct event_queue *queue, struct event *event)
{
    if (queue->n == 0)
        return false;
    struct event_list *late = &queue->late;
    if (late->n == 0)
        advance_window(queue);
    bool any_due = queue->next_due < queue->due.n;
    if (late->n > 0 &&
        (!any_due || before(&late->events[0], &queue->due.events[queue->next_due]))) {
        *event = late->events[0];
        remove_first_late(late);
    } else {
        *event = queue->due.events[queue->next_due++];
    }
    queue->n--;
    return true;
}

void event_queue_fini(struct event_queue *queue)
{
    free_chunks(queue->top.chunks);
    for (int i = 0; i < EVENT_QUEUE_MAX_RUNGS; i++) {
        struct event_rung *rung = &queue->rungs[i];
        for (int64_t j = 0; i < queue->n_rungs && j < rung->n_buckets; j++)
            free_chunks(rung->buckets[j].chunks);
        free(rung->buckets);
    }
    free(queue->due.events);
    free(queue->late.events);
    free_chunks(queue->spare);
    *queue = (struct event_queue){0};
}
