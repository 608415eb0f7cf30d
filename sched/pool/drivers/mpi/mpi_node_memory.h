/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a node (taskpool/mode.h, taskpool_comm_word) over MPI: words that its processes
 * share. */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct mpi_node_memory {
    int64_t *words; /* or NULL */
    int64_t *first; /* processes of the node + 1 */
    size_t size_bytes;
};

/* Opens memory with n_own words of this process, all 0. `words` is NULL on all processes of the
 * node if there is no room for them or no process wants some. Collective over comm. Ends the
 * program when out of memory for `first`, as the others wait. */
void mpi_node_memory_open(struct mpi_node_memory *memory, MPI_Comm comm, int64_t n_own);

/* Zero-initialised memory is fine. */
void mpi_node_memory_close(struct mpi_node_memory *memory);
