/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks a worker gives to its partner where they have data (data_placement.h), in a round of
 * pairs.h. First those that take the least time for data, relative to their own, where they come: tasks
 * whose data are there, or that bring their data from elsewhere in any case, then those that share a block
 * with much other work that can come too, and long ones. As long as the partner's load does not become
 * the larger one. */
#pragma once

#include "sched/pool/balancing/balancer_link.h"
#include "sched/pool/balancing/data_placement.h"

/* The two workers, whose loads change with each gift. */
struct data_partners {
    double own_s, partner_s; /* loads */
    double partner_speed;
    struct data_load of_partner; /* the kept blocks that its tasks need anyway */
};

/* Fills in the positions of the tasks to give, of placement->tasks, which are gone then.
 * limit_s    loads up to here are left as they are
 * positions  out: to be freed
 * Returns their number. */
int64_t data_gifts_choose(const struct balancer_link *link, double limit_s,
                          struct data_partners *partners, int64_t **positions);
