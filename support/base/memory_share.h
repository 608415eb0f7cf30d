/* Memory of several processes: how much each may take, and took. */
#ifndef BERYL_SUPPORT_MEMORY_SHARE_H
#define BERYL_SUPPORT_MEMORY_SHARE_H

#include <mpi.h>
#include <stdint.h>

/* Bytes of distributed arrays and all else: what was given, or, if that is 0, an equal share
 * of what the process's node still has (memory.h) less some room that Open MPI wants; the
 * least of all nodes. Collective; the same everywhere. */
double memory_share_bytes(int64_t given, MPI_Comm comm);

/* What the process that held most has held at once, and of the parts (memory_part_bytes) that
 * processes have seen of their own the largest. */
struct memory_use {
    int64_t peak_bytes, part_bytes;
};

/* part_bytes  the process's own. Collective; the same everywhere. */
struct memory_use memory_use_of_all(int64_t part_bytes, MPI_Comm comm);

#endif
