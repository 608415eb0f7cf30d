/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/window.h"

#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/base/node.h"

#include <math.h>
#include <unistd.h>

/* State of a window, and of each process in it, in osc/sm and osc/rdma, Open MPI's components of one-sided
 * communication; rounded up. */
enum { STATE_BYTES = 256, PROCESS_STATE_BYTES = 128 };

static double page_bytes(void)
{
    return (double)sysconf(_SC_PAGESIZE);
}

double window_overhead_bytes(int n_sharing)
{
    return n_sharing > 1 ? page_bytes() + STATE_BYTES + PROCESS_STATE_BYTES * (double)n_sharing : 0;
}

/* osc/rdma begins each process's memory on a page of its own. */
double window_node_bytes(int n_sharing, double size_bytes)
{
    if (n_sharing == 1)
        return size_bytes;
    return n_sharing * page_bytes() * ceil(size_bytes / page_bytes()) +
           window_overhead_bytes(n_sharing);
}

/* Where /dev/shm has no room, osc/sm fails on the process that makes the file, and the others wait
 * for it forever: so ask first. Collective. */
static enum status check_window_room(MPI_Comm comm, MPI_Aint size_bytes)
{
    int n_sharing = node_count(comm);
    double most = (double)size_bytes;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
    struct memory_need need = {.shared_bytes = window_node_bytes(n_sharing, most) / n_sharing};
    return status_agree(comm, memory_check_now("a window of MPI", &need, n_sharing,
                                               "use fewer processes on the node"));
}

/* A function of MPI, and what to say where it refuses. */
struct window_kind {
    int (*allocate)(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                    MPI_Win *window);
    enum status code;
    const char *refusal;
};

static enum status allocate_kind(const struct window_kind *kind, MPI_Comm comm, MPI_Aint size_bytes,
                                 void **base, MPI_Win *window)
{
    *window = MPI_WIN_NULL;
    TRY(check_window_room(comm, size_bytes));
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(comm, &handler);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int error = kind->allocate(size_bytes, 1, MPI_INFO_NULL, comm, base, window);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    enum status status = STATUS_OK;
    if (error != MPI_SUCCESS)
        status = FAIL(kind->code, "%s", kind->refusal);
    status = status_agree(comm, status);
    /* MPI_Win_free is collective: a window of some processes only is leaked. */
    if (status != STATUS_OK)
        *window = MPI_WIN_NULL;
    return status;
}

enum status window_allocate(MPI_Comm comm, MPI_Aint size_bytes, void **base, MPI_Win *window)
{
    static const struct window_kind kind = {
        MPI_Win_allocate, STATUS_USAGE,
        "MPI has no one-sided communication between these processes; with Open MPI over TCP: "
        "mpirun --mca osc ^ucx, and not --progress thread"};
    return allocate_kind(&kind, comm, size_bytes, base, window);
}

enum status window_allocate_shared(MPI_Comm comm, MPI_Aint size_bytes, void **base, MPI_Win *window)
{
    static const struct window_kind kind = {
        MPI_Win_allocate_shared, STATUS_NO_MEMORY,
        "MPI has no memory that these processes share: use fewer processes on the node"};
    return allocate_kind(&kind, comm, size_bytes, base, window);
}

enum status window_check(MPI_Comm comm)
{
    int n;
    void *base;
    MPI_Win window;
    MPI_Comm_size(comm, &n);
    if (node_count(comm) == n)
        return check_window_room(comm, 1);
    TRY(window_allocate(comm, sizeof(double), &base, &window));
    MPI_Win_free(&window);
    return STATUS_OK;
}
