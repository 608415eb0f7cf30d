/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's part in a phase of balancing (balancer.h) where data are known: which tasks it has at the
 * beginning, and which the root's verdict leaves it. */
#pragma once

#include "sched/pool/balancing/balancer.h"

/* The placement that ran is the best one, or is given up; and tasks move without a look at data that are
 * negligible. average: the root's */
void balancer_placement_begin(struct balancer *balancer, const struct balancer_message *average);

/* The verdict on tasks as they were seeded: they run next, or pairs are to exchange those that ran. */
void balancer_placement_end_as_seeded(struct balancer *balancer,
                                      const struct balancer_message *verdict);

/* The last verdict: fills the bins. */
void balancer_placement_end(struct balancer *balancer, const struct balancer_message *verdict);
