/* The events of a simulation, first the earliest, and of those at the same time
 * first the one that was added first. */
#ifndef BERYL_SCHED_EVENT_QUEUE_H
#define BERYL_SCHED_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct event {
    double time_s;
    uint64_t order; /* set by event_queue_add */
    void *what;     /* the rest is the user's */
    int32_t worker;
    int32_t kind;
    int64_t value;
};

/* Zero-initialised is empty. */
struct event_queue {
    struct event *heap; /* n; four children to a node */
    int64_t n;
    int64_t capacity;
    uint64_t n_added;
};

/* Ends the program when out of memory. */
void event_queue_add(struct event_queue *queue, struct event event);

/* Whether there was an event: it is then removed. */
bool event_queue_next(struct event_queue *queue, struct event *event);

void event_queue_fini(struct event_queue *queue);

#endif
