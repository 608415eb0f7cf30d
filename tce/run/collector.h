/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that processes send to process 0 while they compute, without anyone waiting for another:
 *
 *     on every process, after a piece of work       collector_add(collector, record);
 *     from time to time, also without work          collector_poll(collector);
 *     in the end, on every process                  while (!collector_finish(collector));
 *
 * Process 0 takes each record once, in no particular order. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct collector;

/* Collective.
 * record_size  bytes; the same on every process
 * take         called on process 0 with each record, its own, too, in collector_add, _poll and _finish
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status collector_create(MPI_Comm comm, size_t record_size,
                             void (*take)(const void *record, void *context), void *context,
                             struct collector **collector);

/* Collective; NULL is fine. Records that were not finished are lost. */
void collector_destroy(struct collector *collector);

/* Adds a record of this process, which is sent with others, at the latest by the first call a second
 * later. Not collective. Errors: STATUS_NO_MEMORY. */
enum status collector_add(struct collector *collector, const void *record);

/* Process 0 takes what has arrived, others send what is due. Not collective, does not wait. */
void collector_poll(struct collector *collector);

/* Ends what this process adds, until the next round. True elsewhere than on process 0, where the records have
 * been sent then; on process 0 once it has taken all: it calls this until then. A round begins
 * when process 0 has finished the one before. */
bool collector_finish(struct collector *collector);
