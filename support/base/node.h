/* The processes of a communicator that run on one node and so can share memory. */
#ifndef BERYL_SUPPORT_NODE_H
#define BERYL_SUPPORT_NODE_H

#include <mpi.h>

/* The processes of comm on this process's node, in the order of their ranks. Collective over
 * comm; the caller frees it with MPI_Comm_free. */
MPI_Comm node_comm(MPI_Comm comm);

/* Number of these processes. Collective over comm. */
int node_count(MPI_Comm comm);

/* Their ranks in comm, ascending, *n entries; to be freed with free. NULL when out of memory:
 * the process must then end, as the others wait for it. Collective over comm. */
int *node_ranks(MPI_Comm comm, int *n);

#endif
