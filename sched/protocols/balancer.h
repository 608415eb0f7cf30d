/* Rebalances what the workers will run next by what it took last time: the
 * centralized and the hierarchical balancer of Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, algorithms 1 and 2, as one protocol. Algorithm 1 is the tree of one
 * node.
 *
 * The workers are the leaves of a tree. (1) The sum and the maximum of their loads
 * go up, the average comes down; if the maximum is not far enough above it,
 * nothing moves. (2) A worker donates its shortest tasks while its load is above
 * C x average, and tells its parent its load and the tasks. (3) A node gives the
 * longest task to the child with the least average load while that stays below
 * D x average, and passes the others up with the load of its subtree; the root
 * gives away all. (4) What a node is granted by its parent it gives to its children
 * in the same way, but all of it. (5) A worker that was granted tasks asks their
 * donors for them, and the donors answer: tasks do not travel through the tree. A
 * worker is finished when it has all it was granted, and all that it donated was
 * taken. Messages may overtake each other.
 *
 * Corrections of the printed pseudo-code:
 * - a donor's load is reduced by a donated task's duration, not set to it
 *   (`peLoad =` for `-=`);
 * - in algorithm 2 what a node does not assign goes up to its parent, which the
 *   listing leaves out; and so does the subtree's load after assignment, of which
 *   each node looks at the average per leaf;
 * - a task that is taken off the heap when no child wants it is not lost: the
 *   condition comes first;
 * - there is nothing to move without load, and nothing to do without a parent.
 *
 * One change of algorithm 2: its nodes assign while the least loaded child is below
 * D x average, which leaves a child above by as much as the longest tasks that
 * there are. Here a node passes a task up if a worker of the child's average load
 * would be above D x average with it, so that shorter ones may fill the gap. Looking
 * at one worker, not at the subtree's sum, keeps tasks out of subtrees where only all
 * workers together had room for them. */
#ifndef BERYL_SCHED_BALANCER_H
#define BERYL_SCHED_BALANCER_H

#include "sched/protocols/balancer_link.h"
#include "sched/protocols/balancer_node.h"
#include "sched/protocols/balancer_tree.h"
#include "sched/queues/duration_bins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct balancer {
    struct balancer_link link;
    struct balancer_rules rules;
    struct balancer_tree tree;
    struct duration_bins *bins; /* borrowed */
    struct balancer_node node;  /* that this worker hosts */
    bool over;                  /* the part of the leaf that this worker is */

    int64_t n_donated, donated_capacity;
    int64_t *donated; /* n_donated: entries of bins */
    int64_t donation_capacity;
    struct balancer_task *donation; /* n_donated: bulk of the message to the parent */
    int64_t *given;                 /* n_donated: bulk of the messages to receivers */
    int64_t n_taken;                /* donated tasks that have a worker again */
    int64_t n_given;                /* of these, to others */

    bool has_grant;
    int64_t n_granted;
    struct balancer_task *granted; /* n_granted, by donor and index */
    uint32_t *asked;               /* n_granted: bulk of the messages to donors */
    int64_t n_awaited;             /* asked for, not yet here */
};

/* comm, bins  borrowed
 * rules       copied */
void balancer_init(struct balancer *balancer, struct comm *comm, struct duration_bins *bins,
                   const struct balancer_rules *rules);
void balancer_fini(struct balancer *balancer);

/* Begins a phase with what is in bins, in which all workers take part. */
void balancer_begin(struct balancer *balancer);

/* Whether the phase is over for this worker; then bins hold what it is to run
 * next: what it kept, where it was, and what it received after that. */
bool balancer_is_over(const struct balancer *balancer);

/* A message of enum balancer_kind arrived, or the bulk of one has been read. */
void balancer_receive(struct balancer *balancer, int from, const void *message);
void balancer_sent(struct balancer *balancer);

#endif
