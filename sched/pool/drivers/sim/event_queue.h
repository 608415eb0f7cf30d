/* SPDX-License-Identifier: BSD-3-Clause */
/* The event queue of a simulation: the earliest event first, and of those at the same time
 * the one that was added first.
 *
 * A ladder queue: far events are unsorted in the top; as their time approaches they are
 * distributed to the buckets of a rung by their time, a full bucket to the narrower
 * buckets of a rung below, and only the few events of the bucket that is due are
 * sorted. The mean number of moves per event does not grow with the number of events, and moves are
 * mostly in contiguous memory: a heap of 10^5 events misses the caches at every level.
 *
 * Source: Tang, Goh, Thng, ACM Trans. Model. Comput. Simul. 15 (2005) 175; here with
 * a heap in addition to the sorted bucket, for events that are added to it when it is due, so
 * that many events at one time cost no more than in a heap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event {
    double time_s;
    uint64_t order; /* set by event_queue_add */
    int32_t worker; /* the rest is the user's */
    int32_t from;
    int32_t kind;
    int32_t size;
    union {
        int64_t value;
        void *what;
        char bytes[8];
    };
};

enum { EVENT_QUEUE_MAX_RUNGS = 8 };

/* Unsorted events, in a list of chunks. */
struct event_chunk;
struct event_bucket {
    struct event_chunk *chunks;
    int64_t n;
};

struct event_rung {
    double start_s;
    double per_s; /* buckets per second */
    int64_t n_buckets;
    int64_t current; /* bucket that was taken last; -1: none */
    int64_t capacity;
    struct event_bucket *buckets;
};

struct event_list {
    struct event *events; /* n */
    int64_t n;
    int64_t capacity;
};

/* Zero-initialised is empty. */
struct event_queue {
    struct event_bucket top; /* holds no event before top_start_s */
    double top_start_s;
    double top_last_s; /* the latest of the top */
    int n_rungs;       /* from the widest buckets to the narrowest */
    struct event_rung rungs[EVENT_QUEUE_MAX_RUNGS];
    struct event_list due;  /* the bucket that is due, sorted */
    int64_t next_due;       /* of these, the next */
    struct event_list late; /* added to the due bucket since it was sorted: a heap, four children
                             * to a node */
    struct event_chunk *spare;
    const struct event_chunk *foreseen; /* of the bucket after the one that is due */
    int64_t n_foreseen;                 /* events of this chunk */
    int64_t n;
    uint64_t n_added;
};

/* Ends the program when out of memory. event.time_s is finite. */
void event_queue_add(struct event_queue *queue, struct event event);

/* Removes the next event; false if the queue is empty. */
bool event_queue_next(struct event_queue *queue, struct event *event);

/* One of the events that will follow those that are due, another with each call, for
 * prefetching; NULL if no more are known. */
const struct event *event_queue_foresee(struct event_queue *queue);

void event_queue_fini(struct event_queue *queue);
