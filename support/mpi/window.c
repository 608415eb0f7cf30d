#include "support/mpi/window.h"

#include "support/base/agree.h"
#include "support/base/node.h"

enum status window_allocate(MPI_Comm comm, MPI_Aint size_bytes, void **base, MPI_Win *window)
{
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int error = MPI_Win_allocate(size_bytes, 1, MPI_INFO_NULL, comm, base, window);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    enum status status = STATUS_OK;
    if (error != MPI_SUCCESS)
        status = FAIL(STATUS_USAGE, "MPI has no one-sided communication between these processes;"
                                    " with Open MPI over TCP: mpirun --mca osc ^ucx, and not"
                                    " --progress thread");
    status = status_agree(comm, status);
    /* Where a process has one, it cannot be freed without those that have none. */
    if (status != STATUS_OK)
        *window = MPI_WIN_NULL;
    return status;
}

enum status window_check(MPI_Comm comm)
{
    int n;
    void *base;
    MPI_Win window;
    MPI_Comm_size(comm, &n);
    if (node_count(comm) == n)
        return STATUS_OK;
    TRY(window_allocate(comm, sizeof(double), &base, &window));
    MPI_Win_free(&window);
    return STATUS_OK;
}
