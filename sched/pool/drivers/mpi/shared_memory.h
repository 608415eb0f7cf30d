/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the processes of a node share. */
#pragma once

#include <mpi.h>
#include <stddef.h>

/* Maps size_bytes of zeros in all processes of comm, which are on one node, or in none: NULL. To
 * be unmapped with munmap; nothing is left in /dev/shm then. Collective over comm. */
void *shared_memory_map(MPI_Comm comm, size_t size_bytes);
