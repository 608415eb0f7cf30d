/* A node of the balancer's tree (balancer.h): adds up what its children report,
 * gives donated tasks to those with little work, passes the others on. */
#ifndef BERYL_SCHED_BALANCER_NODE_H
#define BERYL_SCHED_BALANCER_NODE_H

#include "sched/protocols/balancer_link.h"
#include "sched/protocols/balancer_tree.h"

#include <stdbool.h>
#include <stdint.h>

struct balancer_child {
    double load_s;
    double size; /* leaves */
};

/* Tasks that children donated, or the parent granted. */
struct balancer_pool {
    struct balancer_task *tasks; /* n */
    int32_t *child;              /* n_assigned: whom each of the first tasks is for */
    int64_t n, capacity;
    int64_t n_assigned;
};

struct balancer_node {
    struct balancer_link *link; /* borrowed, as tree and rules */
    const struct balancer_tree *tree;
    const struct balancer_rules *rules;
    bool over; /* no message will come to it in this phase */

    struct balancer_place place;
    struct balancer_place parent;
    bool is_root;
    int32_t own_child; /* which of the parent's children this is */

    int32_t n_children, n_loads, n_donations; /* that arrived */
    struct balancer_child *children;          /* n_children */
    double max_s;
    double average_s;
    struct balancer_pool donated, granted;
    struct balancer_task *grants; /* bulk of the messages to the children */
};

/* Begins a phase, if this worker hosts a node; else it is over. The last phase is
 * finished. */
void balancer_node_begin(struct balancer_node *node, struct balancer_link *link,
                         const struct balancer_tree *tree, const struct balancer_rules *rules);

/* Frees what the phase needed; it is over and nothing is in reach. */
void balancer_node_finish(struct balancer_node *node);

/* A message to the node: load or donation; average or grant with to_node. */
void balancer_node_receive(struct balancer_node *node, const struct balancer_message *message);

/* Goes through the tasks, the longest first, and gives each to the child with the
 * least average load, unless a worker of that load would be above the limit with
 * it: such a task is left, but for a child that has no load at all. Sorts the
 * tasks: those assigned, whose loads are added to the children's, are the first
 * n_assigned, then come those left. Equal tasks and children go by number, so that
 * the outcome does not depend on the order of messages. */
void balancer_node_assign(struct balancer_node *node, struct balancer_pool *pool, double limit_s);

#endif
