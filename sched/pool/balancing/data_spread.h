/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a worker's tasks by their data. Those that bring data from elsewhere are spread over the time
 * of all, from worker to worker at other moments: where all are last, all wait for the same network cards.
 * Each is followed by the tasks that need what it has brought, as a node's memory may not keep it until
 * the others have run. */
#pragma once

#include "sched/pool/balancing/data_placement.h"

/* Orders the listed tasks. Ends the program when out of memory. */
void data_spread_tasks(struct data_placement *placement);
