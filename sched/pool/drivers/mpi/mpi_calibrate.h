/* SPDX-License-Identifier: BSD-3-Clause */
/* Costs of the MPI driver's messages and of its shared counter, measured with the calls that
 * the driver itself makes. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdint.h>

/* --- median and quartiles of repeated measurements --- */

enum { SAMPLES_MAX = 500 };

/* Zero-initialised is empty. */
struct samples {
    int n; /* <= SAMPLES_MAX */
    double values[SAMPLES_MAX];
};

struct quartiles {
    int64_t n; /* samples */
    double median;
    double low, high; /* first and third quartile */
};

/* Adds a sample; ignored once there are SAMPLES_MAX. */
void samples_add(struct samples *samples, double value);

/* The quartiles; sorts the samples. All 0 without samples. */
struct quartiles samples_quartiles(struct samples *samples);

/* --- the costs --- */

/* Messages between two processes. All n are 0 if there is no such pair. */
struct mpi_calibration_link {
    struct quartiles latency_s;  /* one way, from the end of sending to the start of receiving */
    struct quartiles overhead_s; /* of a processor, to send a message or to receive it */
    struct quartiles bandwidth;  /* bytes per second */
};

struct mpi_calibration {
    int node_size;                    /* processes on the node of process 0 */
    struct mpi_calibration_link near; /* within a node */
    struct mpi_calibration_link far;  /* between nodes */
    struct quartiles fetch_add_s;     /* from a request to its answer, without other requests */
    struct quartiles counter_s;       /* between two answers while all processes request */
    struct quartiles atomic_s; /* between two accesses to a word of the node's memory while all
                                       * its processes access it; n is 0 without such memory */
    struct quartiles poll_s;   /* of a poll between tasks that finds nothing */
};

/* Collective over comm, of two processes or more; takes about a second. The result is
 * valid on process 0. Errors: as mpi_comm_init. */
enum status mpi_calibrate(MPI_Comm comm, struct mpi_calibration *calibration);
