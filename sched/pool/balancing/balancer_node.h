/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of the balancer's tree (balancer.h): adds up the loads of its children, gives donated
 * tasks to those with little load, and passes the others on. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/balancing/balancer_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct balancer_rules {
    int64_t branching;   /* of the tree; if more than the number of workers: one node */
    double donate_above; /* C: workers above C x average give tasks */
    double fill_to;      /* D: nodes keep tasks for children below D x average */
    double
        least_excess;  /* nothing moves unless the largest load exceeds the best by this fraction */
    bool as_published; /* a child below D x average takes any task, tasks move even if the largest
                          * load becomes larger, and no pairs follow */
    int64_t seed;      /* of the pairs */
};

struct balancer_child {
    double work, speed; /* of all leaves */
    double rate;        /* typical; 0: not known */
    double size;        /* leaves */
};

/* Tasks that children donated, or the parent granted. */
struct balancer_pool {
    struct balancer_task *tasks; /* n */
    int32_t *child;              /* n_assigned: the receiver of each of the first tasks */
    int64_t n, capacity;
    int64_t n_assigned;
};

struct balancer_node {
    struct balancer_link *link; /* borrowed, as tree and rules */
    const struct balancer_tree *tree;
    const struct balancer_rules *rules;
    bool finished; /* no more message will come to it in this phase */

    struct balancer_place place, parent;
    bool is_root;
    int32_t own_child; /* index among the parent's children */

    int32_t n_children;
    int32_t n_loads, n_donations, n_outcomes; /* that arrived */
    struct balancer_child *children;          /* n_children */
    double max_s, max_after_s;                /* load of a worker, before and after */
    double speed, fastest, longest;           /* struct balancer_load */
    double average_s;
    struct balancer_pool donated, granted;
    struct balancer_task *grants; /* bulk of the messages to the children */
};

/* Begins a phase, if this worker hosts a node; else it is finished at once. */
void balancer_node_init(struct balancer_node *node, struct balancer_link *link,
                        const struct balancer_tree *tree, const struct balancer_rules *rules);

/* The phase is finished, and its messages are completed. */
void balancer_node_fini(struct balancer_node *node);

/* A message to the node: load, donation or outcome; average, grant or verdict with to_node. */
void balancer_node_receive(struct balancer_node *node, const void *message);

/* Assigns the tasks, the longest first, as in step (3) of balancer.h; a child without any load takes
 * any task. As published tasks are left only when no child is below the limit. Sorts the tasks: first the
 * n_assigned ones, which are added to the children's work, then those left. Ties are broken by number, so that the
 * outcome does not depend on the order of messages. */
void balancer_node_assign(struct balancer_node *node, struct balancer_pool *pool, double limit_s);
