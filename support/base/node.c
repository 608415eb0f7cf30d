#include "support/base/node.h"

#include <stdlib.h>

MPI_Comm node_comm(MPI_Comm comm)
{
    MPI_Comm node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    return node;
}

int node_count(MPI_Comm comm)
{
    int n;
    MPI_Comm node = node_comm(comm);
    MPI_Comm_size(node, &n);
    MPI_Comm_free(&node);
    return n;
}

int *node_ranks(MPI_Comm comm, int *n)
{
    int rank, node_rank;
    MPI_Comm node = node_comm(comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, n);
    int *ranks = malloc((size_t)*n * sizeof *ranks);
    if (ranks) {
        ranks[node_rank] = rank;
        MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, ranks, 1, MPI_INT, node);
    }
    MPI_Comm_free(&node);
    return ranks;
}
