/* SPDX-License-Identifier: BSD-3-Clause */
/* A 64-bit counter on process 0 that all processes add to, over an MPI window. */
#ifndef BERYL_SCHED_MPI_COUNTER_H
#define BERYL_SCHED_MPI_COUNTER_H

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct mpi_counter {
    MPI_Comm mpi; /* borrowed */
    MPI_Win window;
    int64_t increment, value; /* buffers of the request under way */
    MPI_Request request;      /* MPI_REQUEST_NULL if there is none */
};

/* Collective over comm. To be reset before its first use.
 * Errors: STATUS_USAGE (no windows over comm). */
enum status mpi_counter_init(struct mpi_counter *counter, MPI_Comm comm);

/* Collective; no request may be under way. Also after a failure of mpi_counter_init. */
void mpi_counter_fini(struct mpi_counter *counter);

/* Sets the counter to 0. To be called by all processes, and followed by a synchronisation of all
 * before the next request. */
void mpi_counter_reset(struct mpi_counter *counter);

/* Starts adding; does not wait. One request per process at a time. */
void mpi_counter_start(struct mpi_counter *counter, int64_t increment);

/* Whether the answer to mpi_counter_start has come: *value is then the counter
 * before the addition. Does not wait. */
bool mpi_counter_test(struct mpi_counter *counter, int64_t *value);

#endif
