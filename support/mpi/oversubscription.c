/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_getaffinity, cpu_set_t */
#include "support/mpi/oversubscription.h"

#include "support/base/node.h"

#include <sched.h>
#include <string.h>

bool is_oversubscribed(MPI_Comm comm)
{
    MPI_Comm node = node_comm(comm);
    int n_processes;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    MPI_Comm_size(node, &n_processes);
    /* It fails on machines of more cores than a set holds, of which nothing is known then. */
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        memset(&cores, 0xff, sizeof cores);
    MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
    int oversubscribed = n_processes > CPU_COUNT(&cores);
    MPI_Allreduce(MPI_IN_PLACE, &oversubscribed, 1, MPI_INT, MPI_LOR, comm);
    return oversubscribed;
}
