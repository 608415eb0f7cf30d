/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the other processes of a node, where this process sees it too: for loads and stores instead of
 * transfers.
 *
 * MPI puts the windows of the processes of a node into a file that all of them map, as a rule, but says where
 * only for windows of MPI_Win_allocate_shared. The mappings that Linux lists say it. MPI's mapping of the file
 * begins anywhere, so that its pages are small in every process; it is mapped once more where pages of the
 * file can be huge, unless the address space is limited (ulimit -v).
 *
 * With BERYL_NEAR_MEMORY=never in the environment no process sees another's: for tests of transfers on one host. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether the environment says so. */
bool near_memory_is_refused(void);

/* Whether there is a limit on what this process maps (ulimit -v). */
bool near_memory_space_is_limited(void);

struct near_memory {
    /* Addresses here of the memory of each process of comm, NULL where it is not seen. Owned. */
    char **seen;
    void *view; /* a mapping of its own; NULL: there is none */
    size_t view_bytes;
};

/* Collective over comm, with the same size on all processes. Ends the program when out of memory.
 * own  size_bytes >= 8 of this process; the first 8 are overwritten. Stays mapped until near_memory_fini. */
void near_memory_init(MPI_Comm comm, void *own, size_t size_bytes, struct near_memory *near);

/* Not collective. */
void near_memory_fini(struct near_memory *near);
