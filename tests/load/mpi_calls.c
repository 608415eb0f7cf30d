/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into a program, counts its calls of MPI that are round trips over a network, also by
 * Global Arrays and ScaLAPACK, but not the local flushes, which wait for a get or for
 * nobody: MPI_Finalize writes "collectives flushes windows" of each
 * process to the file $MPI_CALLS.RANK. */
#include "mpi_signatures.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long n_collectives, n_flushes, n_windows;

#define COUNTS(counter, name)                                                                      \
    int name PARAMETERS_##name                                                                     \
    {                                                                                              \
        counter++;                                                                                 \
        return P##name ARGUMENTS_##name;                                                           \
    }

COUNTS(n_collectives, MPI_Barrier)
COUNTS(n_collectives, MPI_Bcast)
COUNTS(n_collectives, MPI_Reduce)
COUNTS(n_collectives, MPI_Allreduce)
COUNTS(n_collectives, MPI_Exscan)
COUNTS(n_collectives, MPI_Gather)
COUNTS(n_collectives, MPI_Gatherv)
COUNTS(n_collectives, MPI_Allgather)
COUNTS(n_collectives, MPI_Allgatherv)
COUNTS(n_collectives, MPI_Alltoall)
COUNTS(n_collectives, MPI_Alltoallv)
COUNTS(n_flushes, MPI_Win_flush_all)
COUNTS(n_flushes, MPI_Win_flush)
COUNTS(n_windows, MPI_Win_create)
COUNTS(n_windows, MPI_Win_allocate)
COUNTS(n_windows, MPI_Win_allocate_shared)

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
