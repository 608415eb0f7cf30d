/* The processes of a node: here all of them, or part of a communicator. */
#include "support/base/node.h"
#include "tests/check.h"

#include <stdlib.h>

static void test_all_processes_share_this_machine(void **state)
{
    (void)state;
    int size, n;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    assert_int_equal(node_count(MPI_COMM_WORLD), size);
    assert_int_equal(node_count(MPI_COMM_SELF), 1);
    int *ranks = node_ranks(MPI_COMM_WORLD, &n);
    assert_int_equal(n, size);
    for (int i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
    free(ranks);
}

static void test_ranks_are_those_in_the_communicator(void **state)
{
    (void)state;
    int rank, own, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm backwards;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
    MPI_Comm_rank(backwards, &own);
    int *ranks = node_ranks(backwards, &n);
    MPI_Comm node = node_comm(backwards);
    int node_rank;
    MPI_Comm_rank(node, &node_rank);
    assert_int_equal(ranks[node_rank], own);
    for (int i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
    free(ranks);
    MPI_Comm_free(&node);
    MPI_Comm_free(&backwards);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_processes_share_this_machine),
        cmocka_unit_test(test_ranks_are_those_in_the_communicator),
    };
    return check_run_parallel(tests, &argc, &argv);
}
