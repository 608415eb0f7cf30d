/* SPDX-License-Identifier: BSD-3-Clause */
/* When single tasks are dealt out, before the first iteration by cost (core/seeding_deal.c) and between others
 * by duration (balancing/balancer.h): where there are so few of them that blocks would be uneven. */
#pragma once

enum {
    DEAL_BELOW = 17,  /* tasks a worker, on average */
    DEAL_GROUP = 256, /* workers with consecutive numbers, among which tasks stay */
};
