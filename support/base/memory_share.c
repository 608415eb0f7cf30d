#include "support/base/memory_share.h"

#include "support/base/memory.h"

#define USABLE 0.95

double memory_share_bytes(int64_t given, MPI_Comm comm)
{
    MPI_Comm node;
    int n_sharing;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &n_sharing);
    MPI_Comm_free(&node);
    int64_t left = n_sharing > 1 ? memory_shared_available_bytes() : memory_available_bytes();
    double bytes = given ? (double)given : USABLE * (double)left / n_sharing;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MIN, comm);
    return bytes;
}

struct memory_use memory_use_of_all(int64_t part_bytes, MPI_Comm comm)
{
    int64_t bytes[] = {memory_peak_bytes(), part_bytes};
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_MAX, comm);
    return (struct memory_use){.peak_bytes = bytes[0], .part_bytes = bytes[1]};
}
