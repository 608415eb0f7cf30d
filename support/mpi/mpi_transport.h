/* The start of MPI with a transport for one-sided communication between hosts. */
#ifndef BERYL_SUPPORT_MPI_TRANSPORT_H
#define BERYL_SUPPORT_MPI_TRANSPORT_H

/* MPI_Init_thread. Where the processes are on several hosts and the site's configuration of Open
 * MPI switches off osc/pt2pt, the component for networks without RDMA, as Debian's does, chooses
 * `osc=^ucx` and MPI_THREAD_SINGLE, which pt2pt needs; unless the user chooses osc, in the
 * environment (mpirun --mca) or in a parameter file. The same on every process if the user's
 * parameter files are. Never on one host, where pt2pt would take shared windows over. On several
 * hosts a lost link ends the run (link_watch.h). Collective.
 * thread_level  MPI_THREAD_SINGLE, ... */
void mpi_transport_start(int thread_level);

#endif
