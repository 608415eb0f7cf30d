/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_node_memory.h"

#include "sched/pool/drivers/mpi/shared_memory.h"
#include "support/base/die.h"
#include "support/base/node.h"

#include <stdlib.h>
#include <sys/mman.h>

/* The positions of all processes' words, and of their end. */
static int64_t *share_positions(MPI_Comm node, int n, int64_t n_own)
{
    int64_t *first = malloc(((size_t)n + 1) * sizeof *first);
    if (!first)
        die_no_memory("no memory for the words of a node");
    first[0] = 0;
    MPI_Allgather(&n_own, 1, MPI_INT64_T, first + 1, 1, MPI_INT64_T, node);
    for (int i = 0; i < n; i++)
        first[i + 1] += first[i];
    return first;
}

void mpi_node_memory_open(struct mpi_node_memory *memory, MPI_Comm comm, int64_t n_own)
{
    int n = node_count(comm), n_all;
    MPI_Comm_size(comm, &n_all);
    /* On one node without the round trips of splitting. */
    MPI_Comm node = n == n_all ? comm : node_comm(comm);
    *memory = (struct mpi_node_memory){.first = share_positions(node, n, n_own)};
    memory->size_bytes = (size_t)memory->first[n] * sizeof *memory->words;
    if (memory->size_bytes > 0)
        memory->words = shared_memory_map(node, memory->size_bytes);
    if (n < n_all)
        MPI_Comm_free(&node);
}

void mpi_node_memory_close(struct mpi_node_memory *memory)
{
    if (memory->words)
        munmap(memory->words, memory->size_bytes);
    free(memory->first);
    *memory = (struct mpi_node_memory){0};
}
