/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/long_reduce.h"

/* Elements of one reduction: few enough that MPI's buffers stay small. */
enum { CHUNK = 1 << 22 };

void long_reduce(void *elements, int64_t n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int element_bytes;
    MPI_Type_size(type, &element_bytes);
    for (int64_t first = 0; first < n; first += CHUNK) {
        int count = n - first < CHUNK ? (int)(n - first) : CHUNK;
        MPI_Allreduce(MPI_IN_PLACE, (char *)elements + first * element_bytes, count, type, op,
                      comm);
    }
}
