/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of struct taskpool_comm (taskpool/comm.h) that drivers and several protocols share. */
#pragma once

#include "taskpool/mode.h"

/* The number of each protocol's first kind of message: one mode may combine them. */
enum { STEALING_FIRST_KIND = 0, BALANCER_FIRST_KIND = 16 };

/* Messages of a driver about a mode that calls taskpool_comm_fetch_add or taskpool_comm_send but
 * has no function for what follows. */
#define COMM_NO_FETCHED "it calls taskpool_comm_fetch_add, but its function fetched is NULL"
#define COMM_NO_RECEIVE "it sends messages, but its function receive, or sent for bulk, is NULL"

/* Begins the stream of random numbers of a worker. */
void comm_seed_random(struct taskpool_comm *comm, uint64_t seed, uint64_t stream);
