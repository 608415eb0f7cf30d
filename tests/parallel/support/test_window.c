/* Windows that one process alone cannot have: all processes are refused, and none waits. MPI's
 * function for them, and each process as a node of its own, stand in for a transport that lacks
 * them on one host. */
#include "support/mpi/window.h"
#include "tests/check.h"

#include <string.h>
#include <unistd.h>

static int refused; /* the process that gets no window; -1: none */

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
    (void)type, (void)info;
    MPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, rank, key, node);
}

static void test_a_refusal_is_everyones(void **state)
{
    (void)state;
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

static void test_windows_that_all_have_are_freed(void **state)
{
    (void)state;
    refused = -1;
    check_ok(window_check(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_refusal_is_everyones),
        cmocka_unit_test(test_windows_that_all_have_are_freed),
    };
    alarm(20); /* not the test's limit of time: the others would wait in MPI */
    return check_run_parallel(tests, &argc, &argv);
}
