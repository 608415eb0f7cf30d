/* SPDX-License-Identifier: BSD-3-Clause */
/* The messages of the balancer (balancer.h), and the tree that they go along. */
#pragma once

#include "sched/pool/balancing/best_makespan.h"
#include "sched/pool/balancing/data_placement.h"
#include "sched/pool/balancing/learned_speeds.h"
#include "sched/pool/core/comm.h"
#include "taskpool/mode.h"

/* The first word of every message. */
enum balancer_kind {
    BALANCER_LOAD = BALANCER_FIRST_KIND, /* to the parent */
    BALANCER_AVERAGE,                    /* to a child */
    BALANCER_DONATION,                   /* to the parent */
    BALANCER_GRANT,                      /* to a child */
    BALANCER_OUTCOME,                    /* to the parent */
    BALANCER_VERDICT,                    /* to a child */
    BALANCER_TAKE,                       /* receiver to donor */
    BALANCER_GIVE,                       /* donor to receiver */
    BALANCER_PAIR_LOAD,                  /* the following: to the partner of a round, pairs.h */
    BALANCER_PAIR_OFFER,
    BALANCER_PAIR_MOVE,
};

/* Gains and differences below this fraction of a load are not worth moving tasks. */
#define BALANCER_LEAST_GAIN 1e-3

/* The token of all messages of the balancer; those of stealing.h are above 0. */
#define BALANCER_TOKEN (-1)

/* A task that a donor gives away. */
struct balancer_task {
    float work;     /* seconds at speed 1 */
    int32_t donor;  /* worker */
    uint32_t index; /* among the donor's donated tasks */
};

/* The head of a message, followed by its items: donation, grant: n struct balancer_task;
 * take: n uint32_t, indices; give: the n tasks of a take, in its order, int64_t; offer, move:
 * n struct pairs_task. */
struct balancer_message {
    int32_t kind;    /* enum balancer_kind */
    int32_t to_node; /* average, grant, verdict: 1 to the node that the receiver hosts, 0 to its
                      * leaf */
    int32_t child;   /* load, donation: index among the children of the receiver's node */
    int32_t round;   /* of pairs */
    int64_t n;
    double load_s;    /* load, donation: work of the subtree, in a deal of its worker with the least
                       * load; average, pair's load: of a worker, average 0: the end of the phase;
                       * verdict that is not the last: limit of the pairs */
    double speed;     /* load: sum of the subtree's; donation in a deal: of that worker; pair's
                       * load: of the sender */
    double fastest;   /* load: the largest speed of a worker of the subtree */
    double slowest;   /* load: the least speed of one */
    double max_s;     /* load: of the subtree's workers; outcome: after all grants, or pairs;
                       * average: of all workers, which a deal has to stay below by half of what it
                       * exceeds best_s by; last verdict: of all workers in the next iteration */
    double best_s;    /* average: the least possible largest load */
    double longest_s; /* load: work of a task of the subtree; average: the longest of all tasks on
                       * the fastest worker */
    double untried_s; /* load: the longest task of the subtree's workers of unknown speed */
    double end_s;     /* load: balancer_begin's, the least of the subtree */
    int64_t n_tasks;  /* load: of the subtree; average: of all workers */
    int64_t n_free;   /* donation in a deal: workers of the subtree with about the least load */
    double alone_s;   /* load: the last iteration without thefts, of the subtree; 0: not known */
    double took_s;    /* load: the last iteration */
    double first_s;   /* load: the first one, which began as seeded and stole; this and the next
                       * eight where data are known */
    double moved_s;   /* load: that data took in the subtree; pair's load: struct pairs's moved_s */
    double price_s;   /* load: what that should have been; average: the ratio of the two */
    double away_s;    /* load: price if no task of the subtree were where its data are */
    int32_t step;     /* average: enum best_step */
    bool weighs;      /* average: data are not negligible */
    bool remembers;   /* average: the placement that ran is the best so far */
    bool as_seeded;   /* average: it is asked how long the tasks take as they were seeded */
    bool deals;       /* average: tasks are dealt out anew before there are pairs */
    bool tries; /* average: tasks are tried elsewhere; pair's load: the sender has one for that */
    bool is_trial;  /* pair's load: the sender has got one */
    bool accepted;  /* verdict: tasks move */
    bool last;      /* verdict: the end of the phase */
    bool steals;    /* last verdict, average 0: the next iteration steals */
    bool harms;     /* likewise: it does not, as thefts made iterations longer */
    bool starts;    /* last verdict: it begins like the first one */
    uint32_t taken; /* move: bit i: the sender keeps task i of the offer */
};

/* Durations of a task: where a move costs less it is cheap. Then a load counts without another one before it, as what a
 * move that was in vain costs is lost once, and persist steals in more iterations. */
#define BALANCER_CHEAP_MOVE 1

struct balancer_rules {
    int64_t branching;   /* of the tree; if more than the number of workers: one node */
    double donate_above; /* C: workers above C x average give tasks */
    double fill_to;      /* D: nodes keep tasks for children below D x average */
    double balance_over; /* nothing moves unless the largest load exceeds by that fraction what it
                          * is at best: the average, or the longest task */
    bool fills_over;     /* a child below D x average takes any task, as published */
    bool takes_worse;    /* tasks move even if the largest load becomes larger, as published */
    bool by_pairs;       /* pairs.h instead of donations to the tree */
    bool refines;        /* pairs.h after them */
    bool ignores_data;   /* of tasks, even if they are known */
    int64_t deal_below;  /* before them, with fewer tasks a worker, on average, there is a deal */
    int64_t seed;        /* of the pairs */
    bool finds_data;  /* tasks find data where they ran before: balancer_node.c, cores_even_out */
    double move_cost; /* the problem's: a move has to pay within a number of iterations, and the
                          * largest load may be larger by a task of mean duration */
};

struct balancer_link {
    struct taskpool_comm *comm;    /* borrowed, as speeds */
    struct learned_speeds *speeds; /* notes which tasks move; NULL: nothing does */

    /* The model of durations in this phase. A task of some work is expected to be one of slope x work +
     * constant, on every worker, and the worker's tasks together to be one of `extra` more, if they stay. */
    double slope, constant, extra;
    double speed; /* of this worker */
    /* Borrowed; the tasks and their data, in place of bins, during a phase; NULL: no data are
     * known. */
    struct data_placement *placement;
    int64_t n_incomplete; /* messages whose bulk may still be read */
};

/* Sends a message with head->n items of bulk, which must stay unchanged until n_incomplete is 0. */
void balancer_send(struct balancer_link *link, int to, const struct balancer_message *head,
                   const void *items, size_t item_size);

/* The work that is expected of a task next time. */
static inline double balancer_expect(const struct balancer_link *link, double work)
{
    return link->slope * work + link->constant;
}

/* The standard deviation of a load, as a fraction of it, from what is expected: durations differ by
 * their noise, and those of n_tasks / n_workers tasks together by as much less. */
double balancer_load_error(const struct balancer_link *link, int64_t n_tasks);

/* The fraction of a load that is left as it is, being within its error. */
double balancer_tolerance(const struct balancer_link *link, int64_t n_tasks);

/* Whether workers share cores, and a load is shorter than a turn of all on one core, a time slice of 2 ms each: then the
 * core runs their loads one after another. */
bool balancer_in_turns(const struct balancer_link *link, double load_s);

/* The work that is expected of this worker next time, and its load, data included. */
double balancer_expected_work(const struct balancer_link *link, const struct duration_bins *bins);
double balancer_expected_load(const struct balancer_link *link, const struct duration_bins *bins);

/* Memory for n >= 0 items, to be freed; ends the program when there is none: a protocol cannot
 * continue. */
void *balancer_allocate(int64_t n, size_t item_size);

/* --- the tree --- */

/* The tree of the balancer: the workers are its leaves, in order, and a node stands for a block of
 * branching^l of them, cut off at the last worker. A node that would have only one child is left
 * out, its child taking its place.
 *
 * Nodes are hosted by workers: a node by the last leaf of its first child. That is a different
 * worker for each node, since worker r hosts the node of that child width w for which
 * r + 1 = (branching x i + 1) x w, which no other w fulfils. With branching = n_leaves the tree is
 * one node, hosted by worker 0. */
struct balancer_tree {
    int64_t n_leaves;
    int64_t branching; /* at least 2 */
};

/* The node of the leaves [first, first + branching x width), cut off at n_leaves; or, with width 0,
 * the leaf `first`. */
struct balancer_place {
    int64_t first;
    int64_t width; /* leaves of a child */
};

/* The node hosted by a worker; false if it hosts none. */
bool balancer_tree_hosted(const struct balancer_tree *tree, int worker,
                          struct balancer_place *node);

/* The worker that hosts a node, or is the leaf. */
int balancer_tree_host(struct balancer_place place);

/* The parent of a place, and the index of the place among its children. False for the root. */
bool balancer_tree_parent(const struct balancer_tree *tree, struct balancer_place place,
                          struct balancer_place *parent, int32_t *child);

/* A child of a node, the number of children, and the number of leaves of a child. */
struct balancer_place balancer_tree_child(const struct balancer_tree *tree,
                                          struct balancer_place node, int32_t child);
int32_t balancer_tree_n_children(const struct balancer_tree *tree, struct balancer_place node);
int64_t balancer_tree_child_size(const struct balancer_tree *tree, struct balancer_place node,
                                 int32_t child);
