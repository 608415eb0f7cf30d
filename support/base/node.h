/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a communicator that run on one node and so can share memory.
 *
 * They are found once per communicator and kept with it, and with its duplicates, as an attribute:
 * splitting a communicator takes several round trips. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* The ranks in comm of the processes of comm on this process's node, ascending, *n entries; they
 * live as long as comm. Collective over comm at the first call with it or with its original, if it
 * is a duplicate; local afterwards. Ends the program when out of memory, as the others wait. */
const int *node_ranks(MPI_Comm comm, int *n);

/* A communicator of these processes, in the order of their ranks. Collective over comm; the caller
 * frees it. */
MPI_Comm node_comm(MPI_Comm comm);

/* Number of these processes; as node_ranks. */
int node_count(MPI_Comm comm);

/* The processes of comm on a node for each core (hardware thread) that they may run on, the most of
 * any node. Other programs on the node are not seen. Collective. */
double processes_per_core(MPI_Comm comm);

/* Whether on some node there are more processes than cores. Collective. */
bool is_oversubscribed(MPI_Comm comm);
