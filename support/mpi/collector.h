/* SPDX-License-Identifier: BSD-3-Clause */
/* Records that processes send to process 0 while they compute, without anyone waiting for another:
 *
 *     on every process, between pieces of work      collector_add(collector, record);
 *     on process 0, too                             collector_receive(collector);
 *     in the end, all together                      collector_finish(collector);
 *
 * Process 0 takes each record once, in no particular order. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stddef.h>

struct collector;

/* Collective.
 * record_size  bytes; the same on every process
 * take         called on process 0 with each record, its own, too, in collector_add, _receive and _finish
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status collector_create(MPI_Comm comm, size_t record_size,
                             void (*take)(const void *record, void *context), void *context,
                             struct collector **collector);

/* Collective; NULL is fine. Records that were not finished are lost. */
void collector_destroy(struct collector *collector);

/* Adds a record of this process, which is sent with others, at the latest by the first call a second
 * later. Not collective. Errors: STATUS_NO_MEMORY. */
enum status collector_add(struct collector *collector, const void *record);

/* Process 0 takes what has arrived; elsewhere a no-op. Not collective. */
void collector_receive(struct collector *collector);

/* Process 0 takes all that is left. Collective. */
void collector_finish(struct collector *collector);
