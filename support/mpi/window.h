/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of MPI, which not every transport between hosts offers, and which lie in /dev/shm where
 * processes share a node. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>

/* MPI_Win_allocate, whose failure ends no process. Collective over comm.
 * size_bytes  of this process's memory
 * base        where it is
 * window      MPI_WIN_NULL after a failure
 * Errors: STATUS_USAGE where MPI has no windows over comm; the message says which transport to
 * choose. STATUS_NO_MEMORY where /dev/shm has no room. The same on every process, also if one
 * alone is refused. */
enum status window_allocate(MPI_Comm comm, MPI_Aint size_bytes, void **base, MPI_Win *window);

/* MPI_Win_allocate_shared, likewise, for processes of one node.
 * Errors: STATUS_NO_MEMORY; the same on every process. */
enum status window_allocate_shared(MPI_Comm comm, MPI_Aint size_bytes, void **base,
                                   MPI_Win *window);

/* Fails likewise if comm spans hosts and MPI has no windows over it, or if a node has no room for
 * a small one: for libraries that would end the process. Collective over comm. Errors: as
 * window_allocate. */
enum status window_check(MPI_Comm comm);

/* Bytes of /dev/shm that MPI takes for a window in addition to what the n_sharing processes of a
 * node store in it; 0 for one process, whose windows are its own memory. */
double window_overhead_bytes(int n_sharing);

/* Bytes of /dev/shm that must be free for a window with size_bytes on each of the n_sharing
 * processes of a node. */
double window_node_bytes(int n_sharing, double size_bytes);
