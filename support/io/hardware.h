/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a program runs on. */
#ifndef BERYL_SUPPORT_HARDWARE_H
#define BERYL_SUPPORT_HARDWARE_H

#include <jansson.h>
#include <mpi.h>

/* {"processor", "cores", "nodes"}: model of the processor and number of cores (with hardware
 * threads) of process 0's node, number of nodes. Collective; the caller owns it. NULL when out of
 * memory. */
json_t *hardware_to_json(MPI_Comm comm);

#endif
