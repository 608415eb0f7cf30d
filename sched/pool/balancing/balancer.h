/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves tasks between workers until their measured loads are even: the
 * centralized and the hierarchical balancer of Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, algorithms 1 and 2, as one protocol. Algorithm 1 is the tree of one
 * node.
 *
 * A task is an amount of work, a worker has a speed (worker_speed.h), and its load is its work over
 * its speed: seconds. The workers are the leaves of a tree (balancer_tree.h).
 *
 * (1) The sums of work and of speeds, and the largest load, go up. The average load comes down, and
 *     the least possible largest load: the average, or the longest task on the fastest worker. If
 *     the largest load is not above that, nothing moves.
 * (2) A worker donates its shortest tasks while its load is above C x average, and reports its load
 *     and those tasks to its parent.
 * (3) A node gives the longest task to the child that ends it first, if each worker of a child has
 *     the child's average load, unless that worker would end above D x average. It passes other
 *     tasks up, with the load of its subtree; the root gives away all.
 * (4) A node gives the tasks that its parent granted it to its children in the same way, but all of
 *     them.
 * (5) The largest of the loads that these grants make goes up, and the verdict comes down: if it is
 *     not below the largest load that there was, all keep what they had.
 * (6) Else a worker that was granted tasks requests them from their donors, and the donors answer:
 *     tasks do not travel through the tree.
 * (7) In either case pairs of workers even out loads above C x the least possible (pairs.h).
 *
 * Messages may overtake each other.
 *
 * Corrections of the printed pseudo-code:
 * - a donor's load is reduced by a donated task's duration, not set to it
 *   (`peLoad =` for `-=`);
 * - in algorithm 2 the tasks that a node does not assign go up to its parent, which the
 *   listing leaves out; and so does the subtree's load after assignment, which
 *   each node divides by the number of leaves;
 * - a task taken off the heap for which no child has room is not lost: the
 *   condition is checked first;
 * - there is nothing to move without load, nor if the largest load is one task on the fastest
 *   worker; and nothing to do without a parent.
 *
 * One change of algorithm 2, unless as_published: its nodes assign while the least
 * loaded child is below D x average, which may leave a child above by as much as the longest
 * task. Here a node passes a task up if it would raise a worker of the child's average load
 * above D x average, so that shorter ones may fill the gap. Checking
 * one worker, not the subtree's sum, keeps tasks out of subtrees where only all
 * workers together had room for them. As published there is neither step (5) nor (7): with few
 * tasks a worker the tree may make a load larger than all there were. */
#pragma once

#include "sched/pool/balancing/balancer_node.h"
#include "sched/pool/balancing/worker_speed.h"
#include "sched/pool/queues/duration_bins.h"

#include <stdbool.h>
#include <stdint.h>

struct balancer_phase;

struct balancer {
    struct balancer_link link;
    struct balancer_rules rules;
    struct balancer_tree tree;
    uint64_t n_phases;
    struct balancer_phase
        *phase;    /* NULL: none is under way, and no message of one is read any more */
    bool finished; /* this worker's part of the phase */

    /* The last phase, alike on all workers; zeros before the first. */
    double largest_s, best_s; /* load before, and the least possible */
    bool may_move;
};

/* comm, bins, own_speed  borrowed; own_speed may be NULL (balancer_link.h)
 * rules                  copied */
void balancer_init(struct balancer *balancer, struct taskpool_comm *comm,
                   struct duration_bins *bins, struct worker_speed *own_speed,
                   const struct balancer_rules *rules);
void balancer_fini(struct balancer *balancer);

/* Begins a phase with the tasks in bins; all workers take part. Messages may arrive then. */
void balancer_begin(struct balancer *balancer);

/* Whether this worker is finished with the phase; then bins hold the tasks that it is to run
 * next: those it kept, in their order, followed by those it received. */
bool balancer_is_finished(const struct balancer *balancer);

/* A message of enum balancer_kind arrived; one that was sent with bulk is completed. */
void balancer_receive(struct balancer *balancer, int from, const void *message);
void balancer_sent(struct balancer *balancer);
