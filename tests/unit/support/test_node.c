/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a node: here all of them, or part of a communicator. */
#include "support/base/node.h"
#include "tests/check.h"

TEST(all_processes_share_this_machine)
{
    int size, n;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    assert_int_equal(node_count(MPI_COMM_WORLD), size);
    assert_int_equal(node_count(MPI_COMM_SELF), 1);
    const int *ranks = node_ranks(MPI_COMM_WORLD, &n);
    assert_int_equal(n, size);
    for (int i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
}

TEST(ranks_are_those_in_the_communicator)
{
    int rank, own, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm backwards;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
    MPI_Comm_rank(backwards, &own);
    const int *ranks = node_ranks(backwards, &n);
    assert_in_range(own, 0, n - 1);
    for (int i = 0; i < n; i++)
        assert_int_equal(ranks[i], i);
    MPI_Comm_free(&backwards);
}

TEST(duplicates_have_a_copy_of_their_own)
{
    int n, n_copied;
    MPI_Comm first, duplicate;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    const int *ranks = node_ranks(first, &n);
    assert_ptr_equal(ranks, node_ranks(first, &n));
    MPI_Comm_dup(first, &duplicate);
    MPI_Comm_free(&first);
    const int *copied = node_ranks(duplicate, &n_copied);
    assert_int_equal(n_copied, n);
    for (int i = 0; i < n; i++)
        assert_int_equal(copied[i], i);
    MPI_Comm_free(&duplicate);
}
