/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows that one process alone cannot have, or for which there is no memory: all processes are
 * refused, and none waits. MPI's function for them, and each process as a node of its own, stand in
 * for a transport that lacks them on one host. */
#include "support/base/node.h"
#include "support/mpi/window.h"
#include "tests/check.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static int refused = -1; /* the process that gets no window; -1: none */
static bool one_node;    /* else each process is one */

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                     MPI_Win *window)
{
    int rank, error = PMPI_Win_allocate(size, unit, info, comm, base, window);
    MPI_Comm_rank(comm, &rank);
    return rank == refused ? MPI_ERR_WIN : error;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *node)
{
    int rank;
    if (one_node)
        return PMPI_Comm_split_type(comm, type, key, info, node);
    MPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, rank, key, node);
}

/* All processes, on one node: whose number is kept with a communicator. */
static MPI_Comm split_one_node(void)
{
    MPI_Comm node;
    one_node = true;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &node);
    node_count(node);
    one_node = false;
    return node;
}

/* Where one process made a file in /dev/shm for all, the others would wait for it. */
TEST(no_memory_is_everyones)
{
    const MPI_Aint size_bytes = (MPI_Aint)1 << 50;
    void *base;
    MPI_Win window;
    MPI_Comm node = split_one_node();
    check_status(STATUS_NO_MEMORY, window_allocate(node, size_bytes, &base, &window));
    assert_true(window == MPI_WIN_NULL);
    check_status(STATUS_NO_MEMORY, window_allocate_shared(node, size_bytes, &base, &window));
    assert_true(window == MPI_WIN_NULL);
    assert_non_null(strstr(status_text(), "a window of MPI needs "));
    MPI_Comm_free(&node);
}

TEST(windows_of_one_node)
{
    int rank, unit;
    MPI_Aint size_bytes;
    void *own, *first;
    MPI_Win window;
    MPI_Comm node = split_one_node();
    MPI_Comm_rank(node, &rank);
    check_ok(window_allocate_shared(node, rank == 0 ? 8 : 0, &own, &window));
    MPI_Win_shared_query(window, 0, &size_bytes, &unit, &first);
    assert_int_equal(size_bytes, 8);
    assert_true(rank > 0 || own == first);
    MPI_Win_free(&window);
    MPI_Comm_free(&node);
}

TEST(a_refusal_is_everyones)
{
    void *base;
    MPI_Win window;
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (refused = 0; refused < size; refused++) {
        check_status(STATUS_USAGE, window_allocate(MPI_COMM_WORLD, 8, &base, &window));
        assert_true(window == MPI_WIN_NULL);
        check_status(STATUS_USAGE, window_check(MPI_COMM_WORLD));
        assert_non_null(strstr(status_text(), "mpirun --mca osc ^ucx"));
    }
}

TEST(windows_that_all_have_are_freed)
{
    refused = -1;
    check_ok(window_check(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    alarm(20); /* not the test's limit of time: the others would wait in MPI */
    return check_run(argc, argv);
}
