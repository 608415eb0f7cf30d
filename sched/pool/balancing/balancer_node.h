/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of the balancer's tree (balancer.h): adds up the loads of its children, gives donated
 * tasks to those with little work, and passes the others on. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/protocols/theft_gain.h"

#include <stdbool.h>
#include <stdint.h>

struct balancer_child {
    double work, speed; /* of all leaves; in a deal of the worker with the least load */
    double size;        /* leaves; in a deal 1 */
    int64_t n_free;     /* in a deal: workers with about the least load */
};

/* The average load, seconds. */
static inline double balancer_child_average(const struct balancer_child *child)
{
    return child->work / child->speed;
}

/* Tasks that children donated, or the parent granted. */
struct balancer_pool {
    struct balancer_task *tasks; /* n */
    int32_t *child;              /* n_assigned: the receiver of each of the first tasks */
    int64_t n, capacity;
    int64_t n_assigned;
};

/* Memory of the root from one phase to the next: decides whether stealing in the next iteration is
 * worth the detection of its end. */
struct balancer_forecast {
    double max_s;   /* the largest load that was expected of the last iteration */
    double error_s; /* by which loads exceeded what was expected, when nothing was stolen */
    double end_s;   /* time from the last task to the end, when workers stole */
    bool steals;    /* whether the last iteration did; at first true */
    int64_t n;      /* iterations that something was expected of */
    struct theft_forecast thefts;

    /* Where data are known. */
    struct best_makespan best;
    bool asked_as_seeded; /* whether it takes less to run tasks as they were seeded */
    double ratio; /* largest ratio of what data took to their price when tasks had moved, and the
                   * iteration took longer; at first 0 */
};

struct balancer_node {
    struct balancer_link *link; /* borrowed, as tree and rules */
    const struct balancer_tree *tree;
    const struct balancer_rules *rules;
    struct balancer_forecast *forecast; /* borrowed */
    bool finished;                      /* no more message will come to it in this phase */

    struct balancer_place place;
    struct balancer_place parent;
    bool is_root;
    int32_t own_child; /* index among the parent's children */

    int32_t n_children;
    int32_t n_loads, n_donations, n_outcomes; /* that arrived */
    struct balancer_child *children;          /* n_children */
    double max_s, max_after_s;          /* load of a worker of the subtree, before and after */
    double speed, fastest, slowest;     /* of all workers of the subtree, and of one */
    double longest_s, untried_s, end_s; /* work, work, time */
    double average_s, best_s;           /* least possible average and largest load */
    double work;                        /* at the root: of all tasks */
    double mean_s;                      /* at the root: of a task */
    int64_t n_tasks;
    double took_s, alone_s; /* the last iteration, as it was, and without thefts */
    /* Where data are known: struct balancer_message. */
    double first_s, moved_s, price_s, away_s;
    bool minds_data;   /* data are known */
    bool deals;        /* the tasks are dealt out */
    bool tries;        /* pairs may try a task elsewhere */
    bool as_seeded;    /* the outcome is that of tasks as they were seeded */
    bool pairs_follow; /* on what they are dealt out to, or the tree has balanced */
    double limit_s;    /* of a worker's load in a deal, as far as its node can keep to it */
    struct balancer_pool donated, granted;
    struct balancer_task *grants; /* bulk of the messages to the children */
};

/* Begins a phase, if this worker hosts a node; else it is finished at once. The last phase must be
 * finished. */
void balancer_node_begin(struct balancer_node *node, struct balancer_link *link,
                         const struct balancer_tree *tree, const struct balancer_rules *rules,
                         struct balancer_forecast *forecast);

/* Frees the data of a phase that is finished, and whose messages are completed. */
void balancer_node_finish(struct balancer_node *node);

/* A message to the node: load, donation or outcome; average, grant or verdict with to_node. */
void balancer_node_receive(struct balancer_node *node, const struct balancer_message *message);

/* Assigns the tasks, the longest first, each to the child that ends it first if its workers have
 * its average load, unless it would raise such a worker above the limit: such a task is left,
 * unless the child has no load at all. With the rule fills_over tasks are left only when no child
 * is below the limit. Sorts the tasks: first the n_assigned ones, which are added to the children's
 * work, then those left. Ties are broken by number, so that the outcome does not depend on the
 * order of messages. */
void balancer_node_assign(struct balancer_node *node, struct balancer_pool *pool, double limit_s);
