/* The messages of the balancer (balancer.h). */
#ifndef BERYL_SCHED_BALANCER_LINK_H
#define BERYL_SCHED_BALANCER_LINK_H

#include "sched/core/comm.h"
#include "sched/core/mode.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first word of every message. */
enum balancer_kind {
    BALANCER_LOAD = BALANCER_FIRST_KIND, /* to the parent */
    BALANCER_AVERAGE,                    /* to a child */
    BALANCER_DONATION,                   /* to the parent */
    BALANCER_GRANT,                      /* to a child */
    BALANCER_TAKE,                       /* receiver to donor */
    BALANCER_GIVE,                       /* donor to receiver */
};

/* The token of all messages of the balancer; those of stealing.h are above 0. */
#define BALANCER_TOKEN (-1)

/* A task that a donor gives away. */
struct balancer_task {
    float time_s;
    int32_t donor;  /* worker */
    uint32_t index; /* among the donor's donated tasks */
};

/* The head of a message, followed by its items: donation, grant: n struct balancer_task;
 * take: n uint32_t, indices; give: the n tasks of a take, in its order, int64_t. */
struct balancer_message {
    int32_t kind;    /* enum balancer_kind */
    int32_t to_node; /* average, grant: 1 to the node that the receiver hosts, 0 to its leaf */
    int32_t child;   /* load, donation: index among the children of the receiver's node */
    int32_t unused;
    int64_t n;
    double load_s; /* load, donation: of the subtree; average: of a worker, 0: nothing moves */
    double max_s;  /* load: of the subtree's workers */
};

struct balancer_rules {
    int64_t branching;   /* of the tree; if more than the number of workers: one node */
    double donate_above; /* C: workers above C x average give tasks */
    double fill_to;      /* D: nodes keep tasks for children below D x average */
    double balance_over; /* nothing moves unless max / average - 1 is above */
    bool fills_over;     /* a child below D x average takes any task, as published */
};

struct balancer_link {
    struct comm *comm;    /* borrowed */
    int64_t n_incomplete; /* messages whose bulk may still be read */
};

/* Sends a message with head->n items of bulk, which must stay unchanged until n_incomplete
 * is 0. */
void balancer_send(struct balancer_link *link, int to, const struct balancer_message *head,
                   const void *items, size_t item_size);

/* Memory for n >= 0 items, to be freed; ends the program when there is none: a protocol cannot
 * continue. */
void *balancer_allocate(int64_t n, size_t item_size);

#endif
