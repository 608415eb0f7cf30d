/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a node: here all of them, or part of a communicator. */
#include "support/base/node.h"
#include "tests/check.h"

static void check_ranks(MPI_Comm comm)
{
    int size, n;
    MPI_Comm_size(comm, &size);
    const int *ranks = node_ranks(comm, &n);
    assert_ptr_equal(ranks, node_ranks(comm, &n));
    assert_int_equal(node_count(comm), size);
    assert_int_equal(n, size);
    for (int i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
}

TEST(all_processes_of_a_communicator_share_this_machine)
{
    int rank;
    MPI_Comm backwards, duplicate;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    check_ranks(MPI_COMM_WORLD);
    check_ranks(MPI_COMM_SELF);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
    check_ranks(backwards);
    /* It has a copy of its own. */
    MPI_Comm_dup(backwards, &duplicate);
    MPI_Comm_free(&backwards);
    check_ranks(duplicate);
    MPI_Comm_free(&duplicate);
}
