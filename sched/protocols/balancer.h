/* Moves tasks between workers until their measured loads are even: the
 * centralized and the hierarchical balancer of Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, algorithms 1 and 2, as one protocol. Algorithm 1 is the tree of one
 * node.
 *
 * The workers are the leaves of a tree. (1) The sum and the maximum of their loads
 * go up, the average comes down; if the maximum is not far enough above it,
 * nothing moves. (2) A worker donates its shortest tasks while its load is above
 * C x average, and reports its load and those tasks to its parent. (3) A node gives the
 * longest task to the child with the least average load while that stays below
 * D x average, and passes the others up with the load of its subtree; the root
 * gives away all. (4) A node gives the tasks that its parent granted it to its children
 * in the same way, but all of them. (5) A worker that was granted tasks requests them from their
 * donors, and the donors answer: tasks do not travel through the tree. A
 * worker is finished when it has all tasks that it was granted, and all that it donated were
 * taken. Messages may overtake each other.
 *
 * Corrections of the printed pseudo-code:
 * - a donor's load is reduced by a donated task's duration, not set to it
 *   (`peLoad =` for `-=`);
 * - in algorithm 2 the tasks that a node does not assign go up to its parent, which the
 *   listing leaves out; and so does the subtree's load after assignment, which
 *   each node divides by the number of leaves;
 * - a task taken off the heap for which no child has room is not lost: the
 *   condition is checked first;
 * - there is nothing to move without load, and nothing to do without a parent.
 *
 * One change of algorithm 2, unless the rules say fills_over: its nodes assign while the least
 * loaded child is below D x average, which may leave a child above by as much as the longest
 * task. Here a node passes a task up if it would raise a worker of the child's average load
 * above D x average, so that shorter ones may fill the gap. Checking
 * one worker, not the subtree's sum, keeps tasks out of subtrees where only all
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
    struct balancer_node node;  /* hosted by this worker */
    bool finished;              /* this worker as a leaf: its node apart */

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
    int64_t n_awaited;             /* requested, not yet here */
};

/* comm, bins  borrowed
 * rules       copied */
void balancer_init(struct balancer *balancer, struct comm *comm, struct duration_bins *bins,
                   const struct balancer_rules *rules);
void balancer_fini(struct balancer *balancer);

/* Begins a phase with the tasks in bins; all workers take part. */
void balancer_begin(struct balancer *balancer);

/* Whether this worker is finished with the phase; then bins hold the tasks that it is to run
 * next: those it kept, in their order, followed by those it received. */
bool balancer_is_finished(const struct balancer *balancer);

/* A message of enum balancer_kind arrived; one that was sent with bulk is completed. */
void balancer_receive(struct balancer *balancer, int from, const void *message);
void balancer_sent(struct balancer *balancer);

#endif
