/* A node of the balancer's tree (balancer.h): adds up the loads of its children,
 * gives donated tasks to those with little work, and passes the others on. */
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
    int32_t *child;              /* n_assigned: the receiver of each of the first tasks */
    int64_t n, capacity;
    int64_t n_assigned;
};

struct balancer_node {
    struct balancer_link *link; /* borrowed, as tree and rules */
    const struct balancer_tree *tree;
    const struct balancer_rules *rules;
    bool finished; /* no more message will come to it in this phase */

    struct balancer_place place;
    struct balancer_place parent;
    bool is_root;
    int32_t own_child; /* index among the parent's children */

    int32_t n_children, n_loads, n_donations; /* loads and donations that arrived */
    struct balancer_child *children;          /* n_children */
    double max_s;
    double average_s;
    struct balancer_pool donated, granted;
    struct balancer_task *grants; /* bulk of the messages to the children */
};

/* Begins a phase, if this worker hosts a node; else it is finished at once. The last phase must
 * be finished. */
void balancer_node_begin(struct balancer_node *node, struct balancer_link *link,
                         const struct balancer_tree *tree, const struct balancer_rules *rules);

/* Frees the data of a phase that is finished, and whose messages are completed. */
void balancer_node_finish(struct balancer_node *node);

/* A message to the node: load or donation; average or grant with to_node. */
void balancer_node_receive(struct balancer_node *node, const struct balancer_message *message);

/* Assigns the tasks, the longest first, each to the child with the
 * least average load, unless it would raise a worker of that load above the limit: such a task
 * is left, unless the child has no load at all. With the rule fills_over tasks are left only
 * when no child is below the limit. Sorts the
 * tasks: first the n_assigned ones, whose loads are added to the children's, then those left.
 * Ties are broken by number, so that the outcome does not depend on the order of messages. */
void balancer_node_assign(struct balancer_node *node, struct balancer_pool *pool, double limit_s);

#endif
