/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into a program, counts its calls of MPI that are round trips over a network, also by
 * Global Arrays and ScaLAPACK, but not the local flushes, which wait for a get or for
 * nobody: MPI_Finalize writes "collectives flushes windows" of each
 * process to the file $MPI_CALLS.RANK. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long n_collectives, n_flushes, n_windows;

#define COUNTS(counter, name, parameters, arguments)                                               \
    int name parameters                                                                            \
    {                                                                                              \
        counter++;                                                                                 \
        return P##name arguments;                                                                  \
    }

COUNTS(n_collectives, MPI_Barrier, (MPI_Comm comm), (comm))
COUNTS(n_collectives, MPI_Bcast, (void *data, int n, MPI_Datatype type, int root, MPI_Comm comm),
       (data, n, type, root, comm))
COUNTS(n_collectives, MPI_Reduce,
       (const void *data, void *all, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
       (data, all, n, type, op, root, comm))
COUNTS(n_collectives, MPI_Allreduce,
       (const void *data, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       (data, all, n, type, op, comm))
COUNTS(n_collectives, MPI_Exscan,
       (const void *data, void *all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
       (data, all, n, type, op, comm))
COUNTS(n_collectives, MPI_Gather,
       (const void *data, int n, MPI_Datatype type, void *all, int n_all, MPI_Datatype type_all,
        int root, MPI_Comm comm),
       (data, n, type, all, n_all, type_all, root, comm))
COUNTS(n_collectives, MPI_Gatherv,
       (const void *data, int n, MPI_Datatype type, void *all, const int *n_all, const int *places,
        MPI_Datatype type_all, int root, MPI_Comm comm),
       (data, n, type, all, n_all, places, type_all, root, comm))
COUNTS(n_collectives, MPI_Allgather,
       (const void *data, int n, MPI_Datatype type, void *all, int n_all, MPI_Datatype type_all,
        MPI_Comm comm),
       (data, n, type, all, n_all, type_all, comm))
COUNTS(n_collectives, MPI_Allgatherv,
       (const void *data, int n, MPI_Datatype type, void *all, const int *n_all, const int *places,
        MPI_Datatype type_all, MPI_Comm comm),
       (data, n, type, all, n_all, places, type_all, comm))
COUNTS(n_collectives, MPI_Alltoall,
       (const void *data, int n, MPI_Datatype type, void *all, int n_all, MPI_Datatype type_all,
        MPI_Comm comm),
       (data, n, type, all, n_all, type_all, comm))
COUNTS(n_collectives, MPI_Alltoallv,
       (const void *data, const int *n, const int *places, MPI_Datatype type, void *all,
        const int *n_all, const int *places_all, MPI_Datatype type_all, MPI_Comm comm),
       (data, n, places, type, all, n_all, places_all, type_all, comm))

COUNTS(n_flushes, MPI_Win_flush_all, (MPI_Win window), (window))
COUNTS(n_flushes, MPI_Win_flush, (int rank, MPI_Win window), (rank, window))

COUNTS(n_windows, MPI_Win_create,
       (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
       (base, size, unit, info, comm, window))
COUNTS(n_windows, MPI_Win_allocate,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
       (size, unit, info, comm, base, window))
COUNTS(n_windows, MPI_Win_allocate_shared,
       (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
       (size, unit, info, comm, base, window))

int MPI_Finalize(void)
{
    const char *path = getenv("MPI_CALLS");
    char name[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "%s.%d", path ? path : "mpi_calls", rank);
    FILE *file = fopen(name, "w");
    if (file) {
        fprintf(file, "%ld %ld %ld\n", n_collectives, n_flushes, n_windows);
        fclose(file);
    }
    return PMPI_Finalize();
}
