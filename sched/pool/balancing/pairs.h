/* SPDX-License-Identifier: BSD-3-Clause */
/* Evens out measured loads by exchanges of tasks between pairs of workers, in rounds. All workers know the
 * number of rounds. In a round every worker sends its load to a partner. If the larger of the two loads
 * exceeds the limit, the worker with the smaller one offers some of its tasks. The worker with the larger load
 * keeps some of those, and sends tasks of its own, so that the loads come as close as single
 * tasks allow. The larger load of a pair never grows.
 *
 * In the first rounds partners differ in one bit of their numbers, the lowest first, so that tasks
 * move within a node where that is enough. Pairs of the following rounds are random, the same for
 * all workers.
 *
 * Source: Cybenko, J. Parallel Distrib. Comput. 7 (1989) 279 (dimension exchange);
 * Ghosh, Muthukrishnan, J. Comput. Syst. Sci. 53 (1996) 357 (random matchings); here with
 * tasks that are not divisible. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"

struct pairs_round {
    float load_s; /* the partner's; NAN: not here yet */
    float speed;
};

struct pairs {
    struct balancer_link *link; /* borrowed */
    uint64_t seed;              /* of the random pairs */
    bool begun;
    double limit_s; /* loads up to here are left as they are */

    int32_t n_rounds, round;
    struct pairs_round *rounds; /* n_rounds */
    int partner;                /* in this round; this worker itself: none */
    float own_s;                /* the load that the partner got */
    int64_t n_offered, n_offer; /* tasks offered to the partner, and by it; -1: not yet */
    struct pairs_task *offer;   /* n_offer */
    bool answered;              /* the offer */

    struct pairs_task *offered; /* n_offered: the last offer to a partner */
    struct pairs_task **sent;   /* n_sent: bulk of all messages to partners */
    int64_t n_sent, sent_capacity;
};

/* Loads of partners may arrive from now on.
 * link  borrowed
 * seed  the same on all workers, another in each phase */
void pairs_init(struct pairs *pairs, struct balancer_link *link, uint64_t seed);

/* The phase is finished, and its messages are completed. */
void pairs_fini(struct pairs *pairs);

void pairs_begin(struct pairs *pairs, double limit_s);

/* Whether this worker has no more round before it. */
bool pairs_are_finished(const struct pairs *pairs);

/* A message of a partner. */
void pairs_receive(struct pairs *pairs, const void *message);
