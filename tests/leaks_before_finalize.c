/* Looks for leaked memory before MPI_Finalize, in place of the end of the program: while what Open
 * MPI holds is still reachable, and its libraries still loaded, so that mpi_leaks.txt knows them by
 * the address that called malloc. After their end only a walk through all frames of each malloc
 * would tell whose memory it is, which takes most of a test's time. Linked to every test under the
 * address sanitizer. */
#include <mpi.h>
#include <sanitizer/lsan_interface.h>

int MPI_Finalize(void)
{
    __lsan_do_leak_check();
    return PMPI_Finalize();
}
