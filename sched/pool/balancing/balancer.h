/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves tasks between workers until their measured loads are even: the
 * centralized and the hierarchical balancer of Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, algorithms 1 and 2, as one protocol. Algorithm 1 is the tree of one
 * node.
 *
 * A task is an amount of work, a worker has a speed, and its load is its work over its speed: seconds.
 *
 * The workers are the leaves of a tree. (1) The sum and the maximum of their loads
 * go up, the average comes down; if the maximum is not far enough above it,
 * nothing moves. (2) A worker donates its shortest tasks while its load is above
 * C x average, and reports its load and those tasks to its parent. (3) A node gives the
 * longest task to the child that ends it first, where each has its average load, while that stays
 * below D x average, and passes the others up with the load of its subtree; the root
 * gives away all. (4) A node gives the tasks that its parent granted it to its children
 * in the same way, but all of them. (5) The largest of the loads that these grants make goes up,
 * and the verdict comes down: if it is not below the largest load that there was, all keep what
 * they had. (6) Else a worker that was granted tasks requests them from their
 * donors, and the donors answer: tasks do not travel through the tree. A
 * worker is finished when it has all tasks that it was granted, and all that it donated were
 * taken. Messages may overtake each other.
 *
 * Work is what is expected for the next iteration, by learned_speeds.h: mean + slope x (measured -
 * mean). What is within the error of that is left as it is.
 *
 * With rules.refines workers then exchange tasks by pairs.h, with rules.by_pairs in place of (2) to (4). Of few tasks
 * each worker must have the right number, and the longest must go with the shortest, which pairs do not find: before
 * them there is a deal. It takes the steps (2) to (6), but all tasks are donated, nodes look at the load of a child's
 * worker with the least, and at how many have about as little, instead of the average, and keep tasks as long as loads
 * stay below half of what the largest exceeds the least possible by.
 * Among the workers of a node of the lowest level this is LPT (Graham, SIAM J. Appl. Math. 17 (1969) 416).
 * There is no deal for a few slow workers where durations are noise, as it costs the others more than it gains, unless
 * it is still to be tried which are slow (may_deal in balancer_node.c).
 *
 * The root also decides whether the next iteration should steal: not if the largest load is closer to
 * the best possible than the time that it took to find the end when workers stole, and
 * loads without stealing were what they were expected to be; nor if thefts made iterations longer
 * (theft_gain.h); nor where workers share cores and take turns (balancer_in_turns), unless the largest load is more than
 * a core's share.
 *
 * Where a move costs something (rules.move_cost), it has to be for an imbalance that lasts: the largest load is then
 * that of workers which had it in the two iterations before, too (where a move costs less than the task takes, and
 * workers take no turns, as far as these are known), and may exceed the best possible by a task of mean duration in addition. Where workers take turns, a load counts as far as
 * it was there in the iteration before, too, unless the rules take what is worse, as published: turns of others that
 * happen to be part of it do not come again. A load below a quarter of the one before is of other work, such as of an
 * iteration that reads what the last one computed and kept: nothing is known of iterations before it. And where tasks
 * find data (rules.finds_data), the largest load stays if two such loads on one core are less than 4/3 of its share.
 *
 * Where data are known, and not negligible, pairs exchange tasks by data_gifts.h in place of all that. Before
 * the first of these exchanges the root asks how long the tasks would take as they were seeded, without
 * stealing: if less than in the first iteration, they run so. It compares the makespan with that of the best
 * placement so far, to which all return after one that took longer, or where no less is expected, or all
 * begin as in the first iteration (best_makespan.h).
 *
 * Corrections of the printed pseudo-code:
 * - a donor's load is reduced by a donated task's duration, not set to it
 *   (`peLoad =` for `-=`);
 * - in algorithm 2 the tasks that a node does not assign go up to its parent, which the
 *   listing leaves out; and so does the subtree's load after assignment, which
 *   each node divides by the number of leaves;
 * - a task taken off the heap for which no child has room is not lost: the
 *   condition is checked first;
 * - there is nothing to move without load, nor if the largest load is that of one task, and
 *   nothing to do without a parent.
 *
 * One change of algorithm 2, unless the rules say fills_over: its nodes assign while the least
 * loaded child is below D x average, which may leave a child above by as much as the longest
 * task. Here a node passes a task up if it would raise a worker of the child's average load
 * above D x average, so that shorter ones may fill the gap. Checking
 * one worker, not the subtree's sum, keeps tasks out of subtrees where only all
 * workers together had room for them. And one addition, step (5): where workers have few
 * tasks, those that the tree hands out may make a load larger than all there were. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/balancing/balancer_node.h"
#include "sched/pool/balancing/pairs.h"
#include "sched/pool/queues/duration_bins.h"

#include <stdbool.h>
#include <stdint.h>

/* The rules of mode auto: pairs, and groups of 256 workers that deal fewer than 17 tasks a worker.
 */
extern const struct balancer_rules balancer_by_pairs;

/* The outcome of a phase, the same on all workers. */
struct balancer_outcome {
    double largest_s, best_s; /* load before, and the least possible */
    double after_s;           /* largest load that is expected of the next iteration */
    double error;             /* standard deviation of a load, a fraction of it */
    bool moves, deals, tries; /* whether tasks could move, and how */
    bool as_seeded;           /* they run as they were seeded */
    bool harms;               /* thefts made iterations longer */
};

struct balancer {
    struct balancer_link link;
    struct balancer_rules rules;
    struct balancer_tree tree;
    struct duration_bins *bins;       /* borrowed; tasks by their work */
    struct data_placement *placement; /* borrowed; NULL: no data are known */

    struct balancer_node node; /* hosted by this worker */
    struct pairs pairs;        /* if rules.by_pairs */
    struct balancer_forecast forecast;
    double last_s[2]; /* this worker's loads in the two phases before; 0: of other work, or none */
    double took_s, alone_s; /* in: the last iteration here, as it was, and without thefts */
    double rest_s; /* in: of the last iteration's tasks here that are not in bins, and stay */
    bool finished; /* this worker as a leaf: its node apart */
    bool steals;   /* out: whether the next iteration should, the same on all workers */
    bool starts;   /* out: it begins like the first one and steals, likewise */
    struct balancer_outcome outcome; /* out: of the last phase; zeros before the first */

    int64_t n_donated, donated_capacity;
    int64_t *donated; /* n_donated: entries of bins */
    int64_t donation_capacity;
    struct balancer_task *donation; /* n_donated: bulk of the message to the parent */
    int64_t *given;                 /* n_donated: bulk of the messages to receivers */
    int64_t n_taken;                /* donated tasks that have a worker again */
    int64_t n_given;                /* of these, to others */

    bool as_seeded;                /* it is asked how long tasks as they were seeded would take */
    bool settled;                  /* donations are accepted, or put back, or there are none */
    bool has_outcome, has_verdict; /* reported, and the last one received */
    double limit_s;                /* of the pairs */
    int64_t n_granted;
    struct balancer_task *granted; /* n_granted, by donor and index */
    uint32_t *asked;               /* n_granted: bulk of the messages to donors */
    int64_t n_awaited;             /* requested, not yet here */
};

/* comm, bins, speeds  borrowed; speeds may be NULL
 * rules               copied */
void balancer_init(struct balancer *balancer, struct taskpool_comm *comm,
                   struct duration_bins *bins, struct learned_speeds *speeds,
                   const struct balancer_rules *rules);
void balancer_fini(struct balancer *balancer);

/* Before a phase: messages of others may arrive from now on. */
void balancer_prepare(struct balancer *balancer);

/* Begins the phase with the tasks in bins, by their work; all workers take part.
 * end_s  time that passed between this worker's last task and the end of the iteration, if workers
 *        stole in it */
void balancer_begin(struct balancer *balancer, double end_s);

/* Whether this worker is finished with the phase; then bins hold the tasks that it is to run
 * next: those it kept, in their order, followed by those it received. */
bool balancer_is_finished(const struct balancer *balancer);

/* A message of enum balancer_kind arrived; one that was sent with bulk is completed. */
void balancer_receive(struct balancer *balancer, int from, const void *message);
void balancer_sent(struct balancer *balancer);
