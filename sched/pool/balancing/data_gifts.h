/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks a worker gives to its partner where they have data (data_placement.h), in a round of
 * pairs.h. First those that take the least time for data, relative to their own, where they come: tasks
 * whose data are there, or that bring their data from elsewhere in any case, then those that share a block
 * with much other work that can come too, and long ones. As long as the partner's load does not become
 * the larger one. Then single tasks are exchanged for some that the partner offers, to bring the two
 * loads closer. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/balancing/data_placement.h"

enum { DATA_GIFTS_MOST_OFFERED = 32 }; /* tasks: the bits of `taken` */

/* An offer of the partner: a task, or a kept access that it has to make in any case (data_load.h). */
struct data_offer {
    int64_t id;       /* of either */
    int64_t position; /* of the task in its list; -1: an access */
    double work;
    bool ran_here; /* on the partner, in the last iteration */
};

/* The two workers, whose loads change with each task. */
struct data_partners {
    double own_s, partner_s; /* loads */
    double partner_speed;
    const struct data_offer *offer; /* n_offer; tasks come first */
    int64_t n_offer;
    uint32_t taken;              /* out: bit i: this worker has task i of the offer now */
    struct data_load of_partner; /* scratch: what tasks cost there */
};

/* The offer of the worker with less load. Returns the number of items; *offer is to be freed. */
int64_t data_gifts_offer(const struct data_placement *placement, struct data_offer **offer);

/* Chooses the tasks to give and to take, for which link->placement and the loads change.
 * limit_s    loads up to here are left as they are
 * positions  out: of the tasks given, in placement->tasks, where they are marked as gone; to be freed
 * Returns their number. */
int64_t data_gifts_choose(const struct balancer_link *link, double limit_s,
                          struct data_partners *partners, int64_t **positions);
