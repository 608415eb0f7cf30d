/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps the memory that Open MPI never frees out of a test's leaks, without symbols of its
 * libraries: a distribution's gcc has no symbolizer that names their functions. Linked to every
 * test under the address sanitizer.
 *
 * - Memory allocated by MPI_Init, where Open MPI and hwloc leave most, and by MPI_Intercomm_create,
 *   which leaves the names of the processes, is left out.
 * - Leaks are looked for before MPI_Finalize, in place of the end of the program: while what Open
 *   MPI holds is still reachable, and its libraries still loaded, so that mpi_leaks.txt knows them
 *   by the address that called malloc. After their end only a walk through all frames of each
 *   malloc would tell whose memory it is, which takes most of a test's time. */
#include <mpi.h>
#include <sanitizer/lsan_interface.h>

int MPI_Init(int *argc, char ***argv)
{
    __lsan_disable();
    int error = PMPI_Init(argc, argv);
    __lsan_enable();
    return error;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    __lsan_disable();
    int error = PMPI_Init_thread(argc, argv, required, provided);
    __lsan_enable();
    return error;
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm,
                         int remote_leader, int tag, MPI_Comm *intercomm)
{
    __lsan_disable();
    int error =
        PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, intercomm);
    __lsan_enable();
    return error;
}

int MPI_Finalize(void)
{
    __lsan_do_leak_check();
    return PMPI_Finalize();
}
