/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of MPI with a transport for one-sided communication between hosts and, within a host,
 * one for messages that fits into its /dev/shm and needs no search for networks. */
#pragma once

#include "support/base/status.h"

#include <stdbool.h>

/* Whether mpirun, srun or another launcher with PMI has started this process. */
bool mpi_transport_is_launched(void);

/* Checks that this process has the address space (ulimit -v) that MPI takes; with less, Open MPI
 * ends by a signal. Call it before the start. Not collective: where it fails, the process must exit
 * with a failure, upon which its launcher ends the others. Errors: STATUS_NO_MEMORY. */
enum status mpi_transport_check(void);

/* MPI_Init_thread. Where the processes are on several hosts and the site's configuration of Open
 * MPI switches off osc/pt2pt, the component for networks without RDMA, as Debian's does, chooses
 * `osc=^ucx` and MPI_THREAD_SINGLE, which pt2pt needs; unless the user chooses osc, in the
 * environment (mpirun --mca) or in a parameter file. All processes choose alike if they read the
 * same parameter files. Not on one host, where pt2pt would replace the component for shared
 * windows. Where the launcher says that all processes are on one host, it chooses `pml=ob1`, unless the
 * user chooses pml, btl or mtl: Open MPI then looks for no networks. Collective.
 * thread_level  MPI_THREAD_SINGLE, ...
 * Returns true if this host's /dev/shm is too small for messages through shared memory, which then
 * go over TCP (`btl=self,tcp`), and false in the usual case or where the user chooses btl. */
bool mpi_transport_start(int thread_level);
