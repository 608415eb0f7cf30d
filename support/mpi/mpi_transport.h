/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of MPI with a transport for one-sided communication between hosts, and one for messages
 * within a host that its shared memory carries. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>

/* Whether this process has the address space (ulimit -v) that MPI takes; with less, Open MPI ends
 * by a signal. To be asked before the start. Not collective: where it fails, the process must end
 * with a failure, for which its launcher ends the others. Errors: STATUS_NO_MEMORY. */
enum status mpi_transport_check(void);

/* MPI_Init_thread. Where the processes are on several hosts and the site's configuration of Open
 * MPI switches off osc/pt2pt, the component for networks without RDMA, as Debian's does, chooses
 * `osc=^ucx` and MPI_THREAD_SINGLE, which pt2pt needs; unless the user chooses osc, in the
 * environment (mpirun --mca) or in a parameter file. The same on every process if the user's
 * parameter files are. Never on one host, where pt2pt would take shared windows over. Collective.
 * thread_level  MPI_THREAD_SINGLE, ...
 * Returns whether this host's /dev/shm is too small for messages through shared memory, so that
 * they go over TCP (`btl=self,tcp`), which takes none; unless the user chooses btl likewise. */
bool mpi_transport_start(int thread_level);
