/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions with a count beyond int: every element is reduced once. */
#include "support/mpi/long_reduce.h"
#include "tests/check.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* Stands before MPI's own function: records the ranges, or passes them on. */
static struct recorder {
    bool on;
    const char *next; /* address at which the next range must begin */
    int64_t n;        /* elements so far */
    int n_wrong;      /* ranges that leave a gap, overlap or are empty */
} recorder;

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    if (!recorder.on)
        return PMPI_Allreduce(send, receive, count, type, op, comm);
    int element_bytes;
    MPI_Type_size(type, &element_bytes);
    recorder.n_wrong += send != MPI_IN_PLACE || receive != recorder.next || count <= 0;
    recorder.next = (const char *)receive + (ptrdiff_t)count * element_bytes;
    recorder.n += count;
    return MPI_SUCCESS;
}

TEST(more_elements_than_an_int_counts_are_all_reduced)
{
    const int64_t counts[] = {
        0, 1, INT_MAX, (int64_t)INT_MAX + 1, (int64_t)UINT_MAX + 1, INT64_C(5) * INT_MAX + 3};
    char *elements = (char *)(intptr_t)4096; /* never dereferenced */
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        recorder = (struct recorder){.on = true, .next = elements};
        long_reduce(elements, counts[i], MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        recorder.on = false;
        assert_int_equal(recorder.n_wrong, 0);
        assert_true(recorder.n == counts[i]);
    }
}

/* Element i is 1 + i % 1000 on one process and 0 on the others, across several
 * reductions. */
TEST(values_are_those_of_one_reduction)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int64_t n = (INT64_C(1) << 23) + 5;
    float *numbers = calloc((size_t)n + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = rank; i < n; i += size)
        numbers[i] = 1 + (float)(i % 1000);
    numbers[n] = -7;
    long_reduce(numbers, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    int64_t n_wrong = 0;
    for (int64_t i = 0; i < n; i++)
        n_wrong += numbers[i] != 1 + (float)(i % 1000);
    assert_int_equal(n_wrong, 0);
    assert_true(numbers[n] == -7);
    free(numbers);
}
