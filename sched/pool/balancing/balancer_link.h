/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a worker that the balancer, its nodes and its pairs share. */
#pragma once

#include "sched/pool/balancing/balancer_messages.h"
#include "sched/pool/balancing/worker_speed.h"
#include "sched/pool/queues/duration_bins.h"

/* The token of all messages with bulk; tokens of stealing.h are above 0. */
#define BALANCER_TOKEN (-1)

struct balancer_link {
    struct taskpool_comm *comm;     /* borrowed, as the following */
    struct duration_bins *bins;     /* this worker's tasks, by their seconds here */
    struct worker_speed *own_speed; /* NULL: all workers are as fast, and nothing is learned */
    int64_t n_before;               /* entries of bins before the phase: of tasks that ran here */
    int64_t n_incomplete;           /* messages whose bulk may still be read */
};

/* Relative, of this worker. */
static inline double balancer_speed(const struct balancer_link *link)
{
    return link->own_speed ? link->own_speed->speed : 1;
}

/* Sends a message, followed by bulk that stays unchanged until n_incomplete is 0. */
void balancer_send(struct balancer_link *link, int to, const void *message, size_t size,
                   const void *bulk, size_t bulk_size);

/* A task came from a worker. ran_there: in the last iteration */
void balancer_add_task(struct balancer_link *link, int64_t task, double work, int from,
                       bool ran_there);

/* Tasks that ran here leave in a message; or some that ran at their giver have come in one. */
void balancer_note_gave(struct balancer_link *link);
void balancer_note_got(struct balancer_link *link, int from);

/* Memory for n >= 0 zeroed items, to be freed. Ends the program when out of memory, because a
 * protocol cannot continue. */
void *balancer_allocate(int64_t n, size_t item_size);
