/* SPDX-License-Identifier: BSD-3-Clause */
/* Evens out measured loads by exchanges of tasks between pairs of workers, in rounds of a number
 * that all know. In a round every worker sends its load to a partner; if the larger of the two
 * loads exceeds the limit, the other worker offers some of its tasks, and the one with more load
 * keeps those that it wants and sends tasks of its own, so that the loads come as close as single
 * tasks allow; a pair with few tasks finds the best of all exchanges. The larger load of a pair
 * never grows, nor does the largest of all, however few tasks a worker has; where it is the longest
 * task alone, nothing moves.
 *
 * In the first rounds partners differ in one bit of their numbers, the lowest first, so that tasks
 * move within a node where that is enough. Pairs of the following rounds are random, the same for
 * all workers.
 *
 * A task that alone takes longer than the average load, on a worker of unknown speed, is tried on
 * another: nobody knows whether the task is long or the worker slow, and if it is the worker, all
 * wait for it in every iteration. The first partner whose load stays below as well, if it gives in
 * return what it offers, gets it; on workers of the same speed neither takes longer than before.
 *
 * Where moves cost something (rules.move_cost) nothing is tried, and a pair exchanges only what makes
 * its larger load less, summed over as many iterations as there were; the next of these has the
 * cost, which is nothing while the receiver would have waited for the sender.
 *
 * Source: Cybenko, J. Parallel Distrib. Comput. 7 (1989) 279 (dimension exchange);
 * Ghosh, Muthukrishnan, J. Comput. Syst. Sci. 53 (1996) 357 (random matchings); here with
 * tasks that are not divisible. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/queues/duration_bins.h"

#include <stdbool.h>
#include <stdint.h>

/* A task that is offered or moved. */
struct pairs_task {
    int64_t task;
    int64_t entry; /* offered: of the bins that it was removed from */
    double work;
    bool ran_here; /* on the sender, in the last iteration */
};

struct data_offer; /* data_gifts.h */

struct pairs_round {
    double partner_s; /* the partner's load; NAN: not here yet */
    double partner_moved_s, partner_speed;
    bool partner_tries, partner_has_trial;
    void *sent; /* bulk of the message to the partner: an offer or gifts; NULL: none */
};

struct pairs {
    struct balancer_link *link; /* borrowed, as bins */
    struct duration_bins *bins;
    const struct balancer_rules *rules; /* borrowed; read are seed, move_cost and refines */
    uint64_t n_phases;                  /* begun */

    bool begun;
    double limit_s;
    double moved_s; /* what tasks that moved here in this phase take longer in the next iteration */

    int32_t n_rounds, round;
    struct pairs_round *rounds;    /* n_rounds; NULL between phases */
    bool tries;                    /* the longest task is to be tried elsewhere */
    bool has_trial;                /* got such a task */
    int partner;                   /* in this round; this worker itself: none */
    double own_s;                  /* the load that the partner got */
    int32_t n_offered, n_offer;    /* tasks offered to the partner, and by it; -1: not yet */
    struct pairs_task *offer;      /* n_offer */
    struct data_offer *data_offer; /* the same, where data are known */
    bool answered;                 /* the offer */
};

/* link, bins, rules  borrowed */
void pairs_init(struct pairs *pairs, struct balancer_link *link, struct duration_bins *bins,
                const struct balancer_rules *rules);

/* Before a phase: loads of partners may arrive from now on. */
void pairs_prepare(struct pairs *pairs);

/* Begins the rounds.
 * limit_s  loads up to here are left as they are */
void pairs_begin(struct pairs *pairs, double limit_s);

/* Whether this worker has no more round before it: bins hold the tasks that it is to run next,
 * those it kept in their order, followed by others. False outside of a phase. */
bool pairs_are_finished(const struct pairs *pairs);

/* Frees the data of a phase that is finished, and whose messages are completed. */
void pairs_finish(struct pairs *pairs);

/* A message of a partner. */
void pairs_receive(struct pairs *pairs, const struct balancer_message *message);
